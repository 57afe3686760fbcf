# SPDX-License-Identifier: BSD-2-Clause
"""Tasks that the tests of sweeps run. `wait` reports its process id, then waits until the file `go` exists."""

import os
import time
from pathlib import Path

from tests.waiting import HANG_S, until

TASK_S = 10 * HANG_S  # a hanging task ends after this time, in seconds; the tests end earlier


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
