"""Signals that end a command: TERM and HUP as INT does, so that sessions close and a simulated board stops."""

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from types import FrameType

from .errors import CipherlaneError

_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
_HANGING_UP = getattr(signal, "SIGHUP", signal.SIGTERM)


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
    _stop_and_continue_simply()
    let_go_of_what_is_gone()
    raise Interrupted(number)


@contextmanager
def deferring() -> Iterator[None]:
    """Let INT, TERM and HUP wait for the end of this, which is bounded."""
    _stop_and_continue_simply()
    came: list[int] = []
    previous = {number: signal.getsignal(number) for number in (signal.SIGINT, *_ENDING)}
    for number, handler in previous.items():
        if handler != signal.SIG_IGN:
            signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    if came:
        raise Interrupted(came[0])


@contextmanager
def ending_with_terminal(finish: Callable[[], None]) -> Iterator[None]:
    """Let the process end when the terminal at its standard input is gone: after `finish`, as by the signal HUP.

    There need be no such signal, and whoever is stuck in output for that terminal does not come back.
    """

    def end() -> None:
        while not ended.is_set():
            if _is_gone(0, 0.5):
                with suppress(CipherlaneError):
                    finish()
                os._exit(exit_status(Interrupted(_HANGING_UP)))

    ended = Event()
    Thread(target=end, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _stop_and_continue_simply() -> None:
    """Undo what an app has to be done at TSTP and CONT, which comes behind HUP too: at its end it fails."""
    if os.name == "posix":
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        signal.signal(signal.SIGCONT, lambda *_: None)


def _is_gone(descriptor: int, patience: float) -> bool:
    """Return whether a terminal or pipe is gone, or goes within `patience` seconds."""
    if not hasattr(select, "poll"):
        time.sleep(patience)
        return False
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(events & (select.POLLHUP | select.POLLERR) for _, events in poll.poll(patience * 1000))


def flush_output() -> None:
    """Write what standard output holds back.

    Raises:
        BrokenPipeError: whoever read it has stopped; what is written there from now on goes nowhere.
    """
    try:
        if sys.stdout:
            sys.stdout.flush()
    except BrokenPipeError:
        let_go_of_what_is_gone()
        raise


def let_go_of_what_is_gone() -> None:
    """Let output go nowhere that went to a terminal or pipe that is gone: an error there would hide the signal."""
    for descriptor in (1, 2):
        if _is_gone(descriptor, 0):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, descriptor)
            os.close(nowhere)
