"""Signals that end a command: TERM and HUP as INT does, so that sessions close and a simulated board stops."""

import os
import select
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Interrupted(KeyboardInterrupt):
    """Signal `number` came."""

    def __init__(self, number: int):
        """Note the signal."""
        super().__init__()
        self.number = number


def exit_status(interrupt: KeyboardInterrupt) -> int:
    """Return what a shell expects of a program that `interrupt` ended: 128 and the number of the signal."""
    return 128 + getattr(interrupt, "number", signal.SIGINT)


@contextmanager
def interrupting() -> Iterator[None]:
    """Raise `Interrupted` when TERM or HUP comes, unless it is ignored (nohup)."""
    previous = {number: signal.getsignal(number) for number in _ENDING}
    for number, handler in previous.items():
        if handler != signal.SIG_IGN:
            signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    for other in _ENDING:  # what is to be done at the end is bounded, and done once
        signal.signal(other, signal.SIG_IGN)
    _let_go_of_what_is_gone()
    raise Interrupted(number)


def _let_go_of_what_is_gone() -> None:
    """Let output go nowhere that went to a terminal or pipe that is gone: an error there would hide the signal."""
    if not hasattr(select, "poll"):
        return
    for descriptor in (1, 2):
        poll = select.poll()
        poll.register(descriptor, 0)
        if any(events & (select.POLLHUP | select.POLLERR) for _, events in poll.poll(0)):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, descriptor)
            os.close(nowhere)
