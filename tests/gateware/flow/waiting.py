# SPDX-License-Identifier: BSD-2-Clause
"""A task that reports the process in which it runs, and waits until the test lets it continue."""

import os
import time
from pathlib import Path

from tests.waiting import HANG_S, until

TASK_S = 10 * HANG_S  # time limit of the task: longer than the tests wait for its end


def wait(folder: str, name: str) -> str:
    """Write a file `<name>.<process id>.<parent's process id>`; return `name` when a file `go` exists in the folder."""
    Path(folder, f"{name}.{os.getpid()}.{os.getppid()}").touch()
    until(Path(folder, "go").exists)
    return name


def kill_worker() -> None:
    os.kill(os.getppid(), 9)
    time.sleep(TASK_S)


def die(folder: str) -> None:
    Path(folder, str(os.getpid())).touch()
    os.kill(os.getpid(), 9)
