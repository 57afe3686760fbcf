# SPDX-License-Identifier: BSD-2-Clause
"""Runs a task of `gateware.flow.sweep` on a Dask worker: unpacks the source tree, and starts a process in it.

A worker runs in a checkout of this repository (`make worker`), and the trees share the checkout's folder ``build``. The
process holds the reading end of a pipe. When the worker closes the other end or dies, the process ends, with everything
that it started.
"""

import contextlib
import importlib.metadata
import io
import os
import pickle
import signal
import subprocess
import sys
import tarfile
import threading
import time
import traceback
import zlib
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from . import tethered, toolchain
from .cache import REPOSITORY, made_once

# In seconds: pause between checks of a task's process, time for the process to end its children, time limit of a task.
POLL_S, GRACE_S, LIMIT_S = 0.5, 10, 24 * 3600
PYTHON = "Python"
Answer = tuple[bool, Any]  # (True, pickled result of a call) or (False, one-line text of the call's error)
_checked: set[tuple[str, ...]] = set()


def work(bundle: bytes, digest: str, expected: dict[str, str], call: bytes | None) -> Answer:
    """Checks that this machine has the expected versions of tools and packages, then runs the task in `call`, if any.

    Parameters
    ----------
    bundle : bytes
        Sources and inputs: a tar archive compressed by zlib.
    digest : str
        Digest of the bundle; names its folder.
    expected : dict
        Versions by name.
    call : bytes, optional
        Function and arguments, pickled.

    Raises
    ------
    ChildProcessError
        The process was killed.
    distributed.Reschedule
        The worker is closing, or nobody waits for the task.
    """
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def is_wanted() -> bool:
        task = worker.state.tasks.get(key)
        closing = worker.status.name in ("closing", "closed", "failed")
        return task is not None and task.state != "cancelled" and not closing

    tree = made_once((REPOSITORY / "build").resolve() / "sweep" / digest, partial(_unpack, bundle))
    asked = (digest, str(expected))
    if expected and asked not in _checked:
        described, found = _in_process(tree, pickle.dumps((describe, (list(expected),))), is_wanted)
        if not described:
            return False, f"worker {worker.address}: {found}"
        for name, version in pickle.loads(found).items():
            if version != expected[name]:
                differs = f"{name} is {version} there, {expected[name]} here"
                return False, f"worker {worker.address}: {differs}: bring both to the same, then start it anew"
        _checked.add(asked)
    return _in_process(tree, call, is_wanted) if call else (True, pickle.dumps(None))


def describe(names: Iterable[str]) -> dict[str, str]:
    """Returns the versions on this machine: of Python, of packages in ``requirements.txt`` and of tools, by name.

    Raises
    ------
    ToolError
        A tool is missing.
    """
    known = packages()
    found = {name: sys.version.split()[0] if name == PYTHON else _version(name) for name in names if name in known}
    environment = toolchain.environment(REPOSITORY / "build" / "tools")
    return found | toolchain.versions(environment, [name for name in names if name not in known])


def packages() -> list[str]:
    """Returns a list with "Python" and the names of all packages in ``requirements.txt``."""
    lines = (REPOSITORY / "requirements.txt").read_text().splitlines()
    return [PYTHON, *(line.partition("==")[0] for line in lines if "==" in line)]


def _version(package: str) -> str:
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(package)
    return "missing"


def extract(archive: tarfile.TarFile, folder: Path) -> None:
    """Extracts an archive of files and folders into a folder.

    Python before 3.11.4, as in Debian 12, has no filters for archives. Then no member may be anything else, or lie
    outside the folder.

    Raises
    ------
    tarfile.TarError
        A member is not allowed.
    """
    if hasattr(tarfile, "data_filter"):
        archive.extractall(folder, filter="data")
        return
    for member in archive.getmembers():
        name = Path(member.name)
        if not (member.isfile() or member.isdir()) or name.is_absolute() or ".." in name.parts:
            raise tarfile.ExtractError(f"the archive has {member.name!r}, which is no file in its folder")
    archive.extractall(folder)


def _unpack(bundle: bytes, folder: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(zlib.decompress(bundle))) as archive:
        extract(archive, folder)
    build = (REPOSITORY / "build").resolve()
    build.mkdir(exist_ok=True)
    (folder / "build").symlink_to(build)


def _in_process(tree: Path, call: bytes, is_wanted: Callable[[], bool]) -> Answer:
    """Executes a task's call in a new process in the unpacked source tree; returns the answer."""
    process, ours = tethered.on_lifeline(
        [sys.executable, "-m", "gateware.flow.worker"],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": f"{tree / 'host'}{os.pathsep}{tree}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        answer = _answer(process, call, is_wanted)
    finally:
        os.close(ours)
        _end(process)
    if process.returncode < 0:
        raise ChildProcessError(f"its process was ended by {signal.Signals(-process.returncode).name} each time")
    return pickle.loads(answer) if answer else (False, f"its process ended with status {process.returncode}")


def _answer(process: subprocess.Popen[bytes], call: bytes, is_wanted: Callable[[], bool]) -> bytes:
    from distributed import Reschedule

    given: bytes | None = call
    limit = time.monotonic() + LIMIT_S
    while time.monotonic() < limit:
        try:
            return process.communicate(given, POLL_S)[0]
        except subprocess.TimeoutExpired:
            given = None  # the first call of `communicate` sends the data, so later calls send nothing
        if not is_wanted():
            raise Reschedule
    raise ChildProcessError(f"not done after {LIMIT_S // 3600} hours")


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _main(lifeline: int) -> int:
    """Runs in a task's process: reads a call from standard input, executes it, writes the answer to standard output."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_interrupt_at_end_of, args=(lifeline,), daemon=True).start()
    output = os.dup(1)
    os.dup2(2, 1)
    try:
        function, arguments = pickle.load(sys.stdin.buffer)
        answer: Answer = True, pickle.dumps(function(*arguments))
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        traceback.print_exc()
        answer = False, " ".join(f"{type(error).__name__}: {error}".split())
    with os.fdopen(output, "wb") as file:
        pickle.dump(answer, file)
    return 0


def _interrupt_at_end_of(lifeline: int) -> None:
    os.read(lifeline, 1)
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    sys.exit(_main(int(sys.argv[1])))
