"""A task that says where it runs, and waits until it may go on."""

import os
import time
from pathlib import Path

LIMIT_S = 60
TASK_S = 300  # more than what the tests allow for its end


def wait(folder: str, name: str) -> str:
    """`name`, once there is a file `go` in the folder; first there is one `<name>.<its process>.<its worker's>`."""
    Path(folder, f"{name}.{os.getpid()}.{os.getppid()}").touch()
    until(Path(folder, "go").exists, TASK_S)
    return name


def until(condition, limit: float = LIMIT_S) -> None:
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def kill_worker() -> None:
    os.kill(os.getppid(), 9)
    time.sleep(TASK_S)


def die(folder: str) -> None:
    Path(folder, str(os.getpid())).touch()
    os.kill(os.getpid(), 9)
