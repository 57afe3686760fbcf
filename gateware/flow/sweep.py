# SPDX-License-Identifier: BSD-2-Clause
"""Runs independent tasks (such as place-and-route with several seeds) through Dask, here or on a lab's machines.

::

    sources, inputs ─► bundle ─┐                  ┌─► tree of the bundle, process of the task ─┐
                               ├─► Dask ─► worker ┤                                            ├─► take(name, result)
    function, arguments ───────┘                  └─► ...                                     ─┘

A task is a function of a module in this repository. Sources and inputs travel with it as one bundle. A worker unpacks
the bundle once, under its digest. Later edits do not affect the tasks, and no shared file system is needed. A worker
uses its own tools and packages; their versions are compared before it gets a task. Results travel back to the caller,
and no one else keeps them. `gateware.flow.worker` is the worker's part.
"""

import argparse
import contextlib
import hashlib
import io
import logging
import os
import pickle
import sys
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any

from .cache import REPOSITORY
from .worker import Answer, describe, packages

# Time limits in seconds: until the scheduler answers, until the first worker connects, and until a worker reports its
# versions.
CONNECT_S, WORKER_S, CHECK_S = 10, 60, 60
# Maximum number of retries if a task's process is killed. If the worker itself dies, Dask's scheduler retries the task
# at most three times.
RETRIES = 2
INPUTS = Path("inputs")  # subfolder of a task's working folder, with its input files
LOOPBACK = "127.0.0.1:0"
LOST = "the scheduler was lost: the same command resumes"


class SweepError(RuntimeError):
    """Tasks cannot be distributed, or a task raised an exception; the message names the remedy."""


@dataclass(frozen=True)
class Failed:
    """Replaces the result of a task that failed in every attempt. `reason` is one line of text."""

    reason: str


@dataclass(frozen=True)
class Workers:
    """Selects the machines that run tasks: this machine (`jobs` tasks at a time) or the workers of a Dask scheduler."""

    jobs: int = 1
    scheduler: str | None = None


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options ``--jobs`` and ``--scheduler``, which set the fields of `Workers`."""
    parser.add_argument("--jobs", type=count, default=os.cpu_count(), help="tasks at a time here (default: all cores)")
    parser.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="give tasks to this Dask scheduler's workers")


def count(text: str) -> int:
    """Parses the value of an option that must be an integer of at least 1."""
    if not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a valid number: give 1 or more")
    return int(text)


def run(
    function: Callable[..., Any],
    tasks: Mapping[str, Sequence[Any]],
    take: Callable[[str, Any], None],
    workers: Workers,
    *,
    inputs: Mapping[str, bytes] | None = None,
    tools: Mapping[str, str] | None = None,
) -> None:
    """Submits the tasks in the order of `tasks`, and calls `take` with each result when the result arrives.

    Parameters
    ----------
    function : callable
        A function of a module in this repository. It is called in a folder with the sources and `INPUTS`.
    tasks : mapping
        Arguments of each call, by the task's name.
    take : callable
        Called with each name and the call's result, or with `Failed` if its worker or process died each time.
    workers : Workers
        The workers that run the tasks.
    inputs : mapping, optional
        Contents of files in `INPUTS`, by name.
    tools : mapping, optional
        Versions (`toolchain.versions`) of the tools that results depend on.

    Raises
    ------
    SweepError
        No scheduler or worker answers, a worker has other versions, or a call raised an exception.
    """
    if not tasks:
        return

    def give(*arguments: Any) -> Answer:
        # This import runs only on the worker, so the scheduler needs no file of this repository.
        from .worker import work

        return work(*arguments)

    bundle = _bundle(inputs or {})
    digest = hashlib.sha256(bundle).hexdigest()[:16]
    with _client(workers) as client:
        # The archive of sources and inputs is the result of a Dask task. If the worker that stores this result dies,
        # Dask runs the task again.
        source = client.submit(bytes, bundle, pure=False)
        expected = {**describe(packages()), **(tools or {})} if workers.scheduler else {}
        submit = partial(client.submit, give, source, digest, expected, retries=RETRIES, pure=False)
        _check(client, submit)
        waiting = {submit(pickle.dumps((function, tuple(arguments)))): name for name, arguments in tasks.items()}
        for future in _completed(client, list(waiting)):
            take(waiting.pop(future), _outcome(future))


def _bundle(inputs: Mapping[str, bytes]) -> bytes:
    """Returns an archive of the sources and inputs. Equal contents give equal bytes."""
    files = {str(path.relative_to(REPOSITORY)): path.read_bytes() for path in _sources()}
    files |= {str(INPUTS / name): content for name, content in inputs.items()}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(content), 1 << 30
            member.mode = 0o755 if os.access(REPOSITORY / name, os.X_OK) else 0o644
            archive.addfile(member, io.BytesIO(content))
    return zlib.compress(buffer.getvalue(), level=1)


def _sources() -> Iterator[Path]:
    """Yields all files of the repository except Git's own files and the files that Git ignores."""
    lines = (REPOSITORY / ".gitignore").read_text().split()
    ignored = [".git", str(INPUTS), *(Path(line).name for line in lines)]
    for folder, folders, files in os.walk(REPOSITORY):
        folders[:] = [name for name in folders if not any(fnmatch(name, pattern) for pattern in ignored)]
        yield from (Path(folder, name) for name in files if name not in ignored and Path(folder, name).is_file())


@contextlib.contextmanager
def _client(workers: Workers) -> Iterator[Any]:
    import dask  # imported here, as the import is slow and most commands run no tasks
    import distributed

    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    settings = {
        "comm.timeouts.connect": CONNECT_S,
        "admin.large-graph-warning-threshold": "1 GB",
        "worker.profile.enabled": False,  # Dask's profiler would use 1/40 of a CPU core
    }
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set({f"distributed.{name}": value for name, value in settings.items()}))
        address: Any = workers.scheduler
        if address is None:
            address = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=1,
                    threads_per_worker=workers.jobs,
                    processes=False,
                    memory_limit=None,
                    worker_dashboard_address=LOOPBACK,
                    scheduler_kwargs={"dashboard": False, "dashboard_address": LOOPBACK},
                )
            )
        try:
            client = stack.enter_context(distributed.Client(address, timeout=CONNECT_S))
        except (OSError, ValueError) as error:
            raise SweepError(
                f"no Dask scheduler answers at {address}: start it there with `.venv/bin/dask scheduler`, "
                "or give its address as tcp://HOST:PORT"
            ) from error
        yield client


def _check(client: Any, submit: Callable[..., Any]) -> None:
    """Checks that a worker connects within `WORKER_S` seconds, and that all connected workers have the right versions.

    Workers that do not answer within `CHECK_S` seconds, and workers that come later, are checked with their first task.

    Raises
    ------
    SweepError
        There is no worker, or one has other versions.
    """
    checks = {submit(None, workers=[address]): address for address in _present(client)}
    for check in _done(list(checks), CHECK_S, "ALL_COMPLETED"):
        if isinstance(outcome := _outcome(check), Failed):
            raise SweepError(f"worker {checks[check]}: {outcome.reason}")


def _present(client: Any) -> list[str]:
    """Waits at most `WORKER_S` seconds until a worker is connected; returns the addresses of all connected workers."""
    address = client.scheduler.address
    try:
        client.wait_for_workers(1, timeout=WORKER_S)
        return list(client.nthreads())
    except TimeoutError:
        raise SweepError(
            f"no worker connected to {address} for {WORKER_S} s: start one by `make worker SCHEDULER={address}`; "
            "the same command resumes"
        ) from None
    except OSError as error:
        raise SweepError(LOST) from error


def _completed(client: Any, futures: list[Any]) -> Iterator[Any]:
    """Yields futures as they complete; raises `SweepError` if no worker is connected for `WORKER_S` seconds."""
    while futures:
        done = _done(futures, WORKER_S, "FIRST_COMPLETED")
        if not done:
            _present(client)
        yield from (future for future in futures if future in done)
        futures = [future for future in futures if future not in done]


def _done(futures: list[Any], limit: float, return_when: str) -> set[Any]:
    """Waits at most `limit` seconds for Dask futures; returns the completed ones."""
    from distributed import CancelledError, wait

    try:
        wait(futures, timeout=limit, return_when=return_when)
    except CancelledError as error:
        raise SweepError(LOST) from error
    except TimeoutError:
        pass
    return {future for future in futures if future.done()}


def _outcome(future: Any) -> Any:
    """Returns a task's result, or `Failed` if the task's process or worker died. Other errors raise `SweepError`."""
    from distributed import CancelledError, KilledWorker

    error = future.exception()
    if isinstance(error, CancelledError):
        raise SweepError(LOST)
    if isinstance(error, KilledWorker):
        return Failed("its worker died each time")
    if isinstance(error, ChildProcessError):
        return Failed(str(error))
    if error is not None:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise SweepError(
            f"a worker cannot take tasks ({reason}): start it by `make worker` in a checkout of this commit"
        )
    has_returned, answer = future.result()
    if not has_returned:
        raise SweepError(answer)
    return pickle.loads(answer)


def main() -> int:
    """Starts a worker on this machine for the Dask scheduler at an address (`make worker`).

    Other machines reach the worker by the network through which it reaches the scheduler.
    """
    parser = argparse.ArgumentParser(prog="python -m gateware.flow.sweep", description="Runs tasks for a scheduler.")
    add_options(parser)
    arguments = parser.parse_args()
    if not arguments.scheduler:
        parser.error("--scheduler is missing: give the address of a Dask scheduler as tcp://HOST:PORT")
    try:
        with _client(Workers(scheduler=arguments.scheduler)):
            from distributed.comm import get_address_host
            from distributed.utils import get_ip

            host = get_ip(get_address_host(arguments.scheduler))
    except SweepError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    command = [sys.executable, "-m", "distributed.cli.dask_worker", arguments.scheduler, "--host", host]
    command += ["--nthreads", str(arguments.jobs), "--memory-limit", "0", "--dashboard-address", LOOPBACK]
    os.execv(sys.executable, [*command, "--death-timeout", str(WORKER_S)])


if __name__ == "__main__":
    sys.exit(main())
