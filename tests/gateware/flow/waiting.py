"""A task that says where it runs, and waits until it may go on."""

import os
import time
from pathlib import Path

LIMIT_S = 100


def wait(folder: str, name: str) -> str:
    """`name`, once there is a file `go` in the folder; first there is one `<name>.<its process>.<its worker's>`."""
    Path(folder, f"{name}.{os.getpid()}.{os.getppid()}").touch()
    until(Path(folder, "go").exists)
    return name


def until(condition) -> None:
    limit = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < limit, "waited in vain"
        time.sleep(0.05)


def kill_worker() -> None:
    os.kill(os.getppid(), 9)
    time.sleep(LIMIT_S)
