# SPDX-License-Identifier: BSD-2-Clause
"""Runs tools that take minutes. When this process ends or is killed, the tools and all their children end, too.

This file is also the program that starts the tool, in a process group of its own. It reads from a pipe to its parent.
When the parent ends or is killed, the kernel closes the pipe, and the program kills the group.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any


def on_lifeline(program: Sequence, arguments: Sequence = (), **options: Any) -> tuple[subprocess.Popen, int]:
    """Starts a program in its own Unix session. A pipe lets the program notice when the caller ends.

    The program gets the descriptor of its end as an argument, after the words of `program` and before `arguments`.
    `options` are those of `subprocess.Popen`. Returns the process, and our end of the pipe for the caller to close.
    The program can read the end of the pipe when the caller has closed it or has ended.
    """
    theirs, ours = os.pipe()
    try:
        words = [*program, str(theirs), *arguments]
        return subprocess.Popen(words, pass_fds=[theirs], start_new_session=True, **options), ours
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)


@contextlib.contextmanager
def started(command: Sequence, **options: Any) -> Iterator[subprocess.Popen]:
    """Starts a command as `subprocess.Popen` does. Leaving the context kills the command's remaining processes.

    A command that a signal ends has the exit status that shells report for it.
    """
    process, ours = on_lifeline([sys.executable, "-I", __file__], command, **options)
    try:
        yield process
    finally:
        os.close(ours)
        process.wait()


def run(command: Sequence, limit_s: float, **options: Any) -> int:
    """Runs a command to its end; returns the exit status.

    Raises
    ------
    subprocess.TimeoutExpired
        It did not end within `limit_s` seconds.
    """
    with started(command, **options) as process:
        return process.wait(limit_s)


def _main(tether: int, command: list[str]) -> int:
    try:
        process = subprocess.Popen(command, process_group=0)
    except OSError as error:
        print(f"error: {command[0]}: {error.strerror}", file=sys.stderr)
        return 127

    def end_with_parent() -> None:
        os.read(tether, 1)
        os.killpg(process.pid, signal.SIGKILL)

    threading.Thread(target=end_with_parent, daemon=True).start()
    status = process.wait()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(_main(int(sys.argv[1]), sys.argv[2:]))
