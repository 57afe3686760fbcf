# SPDX-License-Identifier: BSD-2-Clause
"""Runs the tests of a mutant in a separate copy of the source tree, which differs from the original only in
the fault.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from gateware.flow.sweep import INPUTS
from tests.gateware import mutation
from tests.mutants.mutant import BUILD, ROOT, Mutant
from tests.waiting import HANG_S

LEAST_S = 120  # minimum time limit in seconds for the tests; slow tests get more
FACTOR = 6
BUILD_S = 1800  # seconds to build a simulated board on a busy machine
END = 10_000  # number of characters that are stored from the end of the tests' output
NO_TESTS = 5  # pytest's exit status if it finds no tests


def command(tests: Iterable[str], *, thorough: bool = False) -> list[str]:
    """Return a pytest command for tests with (or without) the mark `thorough`. Pytest stops at the first failure."""
    plugins = ["-p", "no:cacheprovider", "-p", "tests.gateware.mutation"]
    return [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-m",
        "thorough" if thorough else "not thorough",
        *plugins,
        *tests,
    ]


def judge(mutant: Mutant, limit: float) -> tuple[bool, float, str]:
    """Return whether the tests pass within `limit` seconds, how long they took, and the end of their output.

    Tests marked `thorough` run only if there are no others.

    Raises
    ------
    RuntimeError
        Tests that must fail could not run.
    """
    BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD.resolve()) as folder:
        tree = Path(folder, "tree")
        _copy_to(tree)
        environment = mutant.environment
        if environment:
            environment = {**environment, mutation.FAULTY: str(faulty(mutant, INPUTS))}
        elif mutant.place:
            (tree / mutant.place).write_text(mutant.change)
        for board in mutant.boards:
            _build(tree, board)
        for thorough in (False, True):
            status, seconds, said = _run(tree, command(mutant.tests, thorough=thorough), limit, environment)
            if status != NO_TESTS:
                break
        # It is an error if there are no tests, or if no test simulates the faulty design. Any other failure is an
        # effect of the fault, because the tests pass without the fault.
        if status == NO_TESTS or (environment and status == mutation.NOT_SIMULATED):
            raise RuntimeError(f"pytest ended with status {status} for {' '.join(mutant.tests)}")
        passed = status == 0
        if mutant.must_fail and not passed and "\nFAILED " not in said:
            raise RuntimeError(f"{mutant.name}: its test did not fail, it could not run:\n{said[-END:]}")
        return passed, seconds, said[-END:]


def faulty(mutant: Mutant, folder: Path) -> Path:
    """Return the path of the mutant's faulty Verilog below `folder`."""
    return (folder / mutant.environment[mutation.FAULTY]).resolve()


def _copy_to(tree: Path) -> None:
    """Copy the sources to the folder `tree`. The caches are not copied: `tree` gets links to the original caches."""
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", ".venv*", "build", str(INPUTS), "__pycache__"))
    (tree / "build").mkdir()
    for cache in ("tools", "cache"):  # cache entries are named by content, so trees can share them
        (ROOT / "build" / cache).mkdir(parents=True, exist_ok=True)
        (tree / "build" / cache).symlink_to((ROOT / "build" / cache).resolve())


def _build(tree: Path, board: str) -> None:
    command = [sys.executable, "-m", "gateware.flow", "sim", board]
    subprocess.run(command, cwd=tree, env=_variables(tree), check=True, timeout=BUILD_S, capture_output=True)


def _variables(tree: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": f"{tree / 'host'}{os.pathsep}{tree}"}


def _run(tree: Path, words: list[str], limit: float, environment: Mapping[str, str]) -> tuple[int | None, float, str]:
    """Run a command in `tree`; return its status (None if it took longer than `limit` seconds), seconds and output."""
    variables = {**_variables(tree), **environment}
    start = time.monotonic()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            words,
            cwd=tree,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _end(process)
        log.seek(0)
        said = log.read().decode(errors="replace")
    return status, time.monotonic() - start, said


def limit_of(seconds: float, *, hangs: bool = False) -> float:
    """Return the time limit in seconds for tests that take `seconds` without a fault.

    If a fault may make a test wait (`hangs`), the test has time to fail by its own limit, which is `HANG_S`.
    """
    return max(LEAST_S, FACTOR * seconds) + (2 * HANG_S if hangs else 0)


def _end(process: subprocess.Popen) -> None:
    """End the tests and all processes that they started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
