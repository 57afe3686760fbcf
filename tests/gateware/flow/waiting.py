# SPDX-License-Identifier: BSD-2-Clause
"""Tasks for the tests of sweeps. `wait` reports its process and waits until the test lets it continue."""

import os
import time
from pathlib import Path

from tests.waiting import HANG_S, until

TASK_S = 10 * HANG_S  # a task that hangs ends after this time; the tests do not wait so long


def wait(folder: str, name: str) -> str:
    """Create the file `<name>.<process id>.<parent's process id>`. Wait for the file `go`, then return `name`."""
    Path(folder, f"{name}.{os.getpid()}.{os.getppid()}").touch()
    until(Path(folder, "go").exists)
    return name


def kill_worker() -> None:
    os.kill(os.getppid(), 9)
    time.sleep(TASK_S)


def die(folder: str) -> None:
    Path(folder, str(os.getpid())).touch()
    os.kill(os.getpid(), 9)
