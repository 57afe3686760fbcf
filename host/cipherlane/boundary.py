# SPDX-License-Identifier: BSD-2-Clause
"""Runs a command so that every failure, expected or not, ends as one line of text and an exit status.

It also opens the standard streams that the process was started without. At the end it checks that all output was
written.
"""

import contextlib
import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from . import views
from .errors import CipherlaneError, ReaderGoneError
from .signals import exit_status, interrupting, let_go_of_what_is_gone

_FAILED = CipherlaneError.exit_code
_PACKAGE = str(Path(__file__).parent)
_NO_MEMORY = "not enough memory: end other programs, or raise the limit (`ulimit -v`)"
_NO_THREAD = "no further thread can be started: end other programs, or raise the limit (`ulimit -u`, `ulimit -v`)"


def guarded(command: Callable[[], int], hint: Callable[[], str]) -> int:
    """Run `command` and return the exit status; `hint` returns the advice to print after an unexpected error.

    Exceptions of the command and of its threads are printed; SystemExit is raised again. The signals INT, TERM and HUP
    interrupt the command only, not the steps before or after it.
    """
    _open_streams()
    faults: list[str] = []
    ended = False

    def run() -> int:
        nonlocal ended
        try:
            return command()
        except SystemExit as end:
            ended = True
            return end.code if isinstance(end.code, int) else _FAILED if end.code else 0

    with _hooks(faults, hint):
        status = _status(run, hint)
        status = status or _flushed(sys.stdout) or (_FAILED if faults else 0)
        for stream in (sys.stdout, sys.stderr):
            _flushed(stream, False)
    if ended:  # argparse has printed its message and ended the command
        raise SystemExit(status)
    return status


def describe(error: BaseException, hint: str) -> str:
    """Return a one-line message for an exception that is not one of this tool's own classes.

    The message repeats no value, because a value may be a key.
    """
    if isinstance(error, MemoryError):
        return _NO_MEMORY
    if isinstance(error, RuntimeError) and "start new thread" in str(error):
        return _NO_THREAD
    if isinstance(error, OSError):
        text = error.strerror or type(error).__name__
        return text + (f": {error.filename}" if error.filename else f" ({_place(error.__traceback__)}){hint}")
    return f"a fault of this tool, {type(error).__name__} in {_place(error.__traceback__)}: report this line{hint}"


def _status(command: Callable[[], int], hint: Callable[[], str]) -> int:
    """Run the command, print the exceptions that it raises, and return the exit status."""
    try:
        try:
            with _interruptible(), interrupting():
                return command()
        except KeyboardInterrupt as interrupt:
            if not hasattr(interrupt, "__notes__"):
                interrupt.add_note("no result was kept")
            views.show_error(_with_notes("interrupted", interrupt))
            return exit_status(interrupt)
        # A reader such as `head` may close the pipe early. This is no failure, so no message is printed.
        except (ReaderGoneError, BrokenPipeError):
            let_go_of_what_is_gone()
            return ReaderGoneError.exit_code
        except CipherlaneError as error:
            views.show_error(_with_notes(str(error), error))
            return error.exit_code
        except Exception as error:
            views.show_error(_with_notes(describe(error, hint()), error))
            return _FAILED
    except MemoryError:  # there was not enough memory to describe the error
        views.show_error(_NO_MEMORY)
        return _FAILED


def _with_notes(text: str, error: BaseException) -> str:
    return "; ".join([text, *getattr(error, "__notes__", [])])


def _place(trace: TracebackType | None) -> str:
    """Return file and line of the innermost function of this package in the traceback."""
    place = "an unknown place"
    while trace:
        name = trace.tb_frame.f_code.co_filename
        if name.startswith(_PACKAGE):
            place = f"{name[len(_PACKAGE) + 1 :]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """If SIGINT would end the process (SIG_DFL), make SIGINT raise KeyboardInterrupt inside the context instead."""
    ends = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) == signal.SIG_DFL
    if ends:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if ends:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextlib.contextmanager
def _hooks(faults: list[str], hint: Callable[[], str]) -> Iterator[None]:
    """Print a line for each uncaught exception in a thread or destructor. For threads, append it to `faults`, too."""

    def in_thread(what: Any) -> None:
        if what.exc_value is not None and not issubclass(what.exc_type, SystemExit):
            faults.append(describe(what.exc_value, hint()))
            views.show_error(faults[-1])

    def in_destructor(what: Any) -> None:
        if what.exc_value is not None and not isinstance(what.exc_value, OSError | KeyboardInterrupt):
            views.show_error(describe(what.exc_value, hint()))

    before = threading.excepthook, sys.unraisablehook
    threading.excepthook, sys.unraisablehook = in_thread, in_destructor
    try:
        yield
    finally:
        threading.excepthook, sys.unraisablehook = before


def _open_streams() -> None:
    """Open the standard streams that the process lacks, and let text streams accept any character.

    Otherwise the next file opened would get the number of a missing stream, and output for the stream would go into
    it. A missing input is opened for writing only and a missing output for reading only, so that using either raises
    an error.
    """
    for number, flags in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        with contextlib.suppress(OSError):
            try:
                os.fstat(number)
            except OSError:
                opened = os.open(os.devnull, flags)
                if opened != number:
                    os.dup2(opened, number)
                    os.close(opened)
    for name, number in (("stdin", 0), ("stdout", 1), ("stderr", 2)):
        if getattr(sys, name) is None:
            stream = open(number, "w" if number else "r", encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)
    for output in (sys.stdout, sys.stderr):
        if isinstance(output, io.TextIOWrapper):
            output.reconfigure(errors="backslashreplace")


def _flushed(stream: TextIO, show: bool = True) -> int:
    """Flush `stream`; return 0, or the exit status if the output cannot be written.

    After a failure the stream leads to the null device, so that Python's own flush at exit does not fail again.
    """
    try:
        stream.flush()
    except ValueError:  # the stream was closed
        pass
    except OSError as error:
        with contextlib.suppress(OSError, ValueError):
            number = stream.fileno()
            # os.open needs a free descriptor, and the process may have none. So close the stream's descriptor first.
            os.close(number)
            nowhere = os.open(os.devnull, os.O_WRONLY)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            stream.flush()
        if error.errno == errno.EPIPE:  # the reader has closed the pipe
            return ReaderGoneError.exit_code
        if show:
            views.show_error(f"cannot write standard output: {error.strerror}; send it to a file or pipe with room")
            return _FAILED
    return 0
