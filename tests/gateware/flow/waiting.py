"""A task that says where it runs, and waits until it may go on."""

import os
import time
from pathlib import Path

from tests.waiting import HANG_S, until

TASK_S = 10 * HANG_S  # more than what the tests allow for its end


def wait(folder: str, name: str) -> str:
    """`name`, once there is a file `go` in the folder; first there is one `<name>.<its process>.<its worker's>`."""
    Path(folder, f"{name}.{os.getpid()}.{os.getppid()}").touch()
    until(Path(folder, "go").exists)
    return name


def kill_worker() -> None:
    os.kill(os.getppid(), 9)
    time.sleep(TASK_S)


def die(folder: str) -> None:
    Path(folder, str(os.getpid())).touch()
    os.kill(os.getpid(), 9)
