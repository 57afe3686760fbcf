# SPDX-License-Identifier: BSD-2-Clause
"""Handles signals that end a command. SIGTERM and SIGHUP act like SIGINT: sessions close, a simulated board stops."""

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
    """Raised when signal `number` arrives."""

    def __init__(self, number: int):
        """Store the signal's number."""
        super().__init__()
        self.number = number


def exit_status(interrupt: KeyboardInterrupt) -> int:
    """Return the exit status that a shell expects after `interrupt`: 128 plus the signal's number."""
    return 128 + getattr(interrupt, "number", signal.SIGINT)


@contextmanager
def interrupting() -> Iterator[None]:
    """Inside the context, raise `Interrupted` on TERM or HUP, unless the process ignores that signal (nohup)."""
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
    for other in _ENDING:  # further signals must not interrupt the cleanup, which takes limited time
        signal.signal(other, signal.SIG_IGN)
    _stop_and_continue_simply()
    let_go_of_what_is_gone()
    raise Interrupted(number)


@contextmanager
def deferring() -> Iterator[None]:
    """Defer INT, TERM and HUP until the context ends. The code in the context must take limited time."""
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
    """If the terminal at standard input is closed, call `finish`, and end the process with the exit status of SIGHUP.

    The system may not send HUP, and a thread that is blocked in output to the terminal never returns.
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
    """Replace the handlers that the terminal app has installed for SIGTSTP and SIGCONT. Those handlers fail after
    SIGHUP has ended the app.
    """
    if os.name == "posix":
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        signal.signal(signal.SIGCONT, lambda *_: None)


def _is_gone(descriptor: int, patience: float) -> bool:
    """Wait up to `patience` seconds until the other end of a terminal or pipe closes. Return whether it is closed."""
    if not hasattr(select, "poll"):
        time.sleep(patience)
        return False
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(events & (select.POLLHUP | select.POLLERR) for _, events in poll.poll(patience * 1000))


def flush_output() -> None:
    """Flush standard output.

    Raises:
        BrokenPipeError: the reader has closed the pipe; later output is discarded.
    """
    try:
        if sys.stdout:
            sys.stdout.flush()
    except BrokenPipeError:
        let_go_of_what_is_gone()
        raise


def let_go_of_what_is_gone() -> None:
    """Discard further output to a terminal or pipe that is gone. A write error there would hide the signal."""
    for descriptor in (1, 2):
        if _is_gone(descriptor, 0):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, descriptor)
            os.close(nowhere)
