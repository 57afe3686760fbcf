"""Runs the tests of a mutant in a tree of its own, which has what the mutated one has not: the fault."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping

from tests.gateware import mutation
from tests.mutants.mutant import BUILD, ROOT, Mutant

LEAST_S = 120  # for tests that do not end; more if they take long without a mutant
FACTOR = 6
NO_TESTS = 5  # what pytest ends with where it has found none


def command(tests: Iterable[str]) -> list[str]:
    """What runs tests and ends at the first that fails."""
    plugins = ["-p", "no:cacheprovider", "-p", "tests.gateware.mutation"]
    return [sys.executable, "-m", "pytest", "-x", "-q", *plugins, *tests]


class Tree:
    """A copy of the tracked files, with the caches of the original beside them."""

    def __init__(self, number: int):
        """Make the copy."""
        self.path = BUILD / f"tree{number}"
        shutil.rmtree(self.path, ignore_errors=True)
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        for name in listed.stdout.split("\0"):
            if name and (ROOT / name).is_file():
                (self.path / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.path / name)
        (self.path / "build").mkdir()
        for cache in ("tools", "cache"):  # kept by content, so that they can be shared
            (ROOT / "build" / cache).mkdir(parents=True, exist_ok=True)
            (self.path / "build" / cache).symlink_to(ROOT / "build" / cache)

    def passes(self, mutant: Mutant, limit: float) -> tuple[bool, float]:
        """Whether the tests pass within `limit` seconds, and how long they took."""
        if mutant.environment or not mutant.place:
            return self._run(mutant.tests, limit, mutant.environment)
        place = self.path / mutant.place
        original = place.read_text()
        place.write_text(mutant.change)
        try:
            return self._run(mutant.tests, limit, {})
        finally:
            place.write_text(original)

    def _run(self, tests: Iterable[str], limit: float, environment: Mapping[str, str]) -> tuple[bool, float]:
        variables = {**os.environ, **environment, "PYTHONDONTWRITEBYTECODE": "1"}
        variables["PYTHONPATH"] = f"{self.path / 'host'}{os.pathsep}{self.path}"
        start = time.monotonic()
        with (BUILD / f"{self.path.name}.log").open("wb") as log:
            process = subprocess.Popen(
                command(tests),
                cwd=self.path,
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
        # Any other end is the fault's, as it was 0 without.
        if status == NO_TESTS or (environment and status == mutation.NOT_SIMULATED):
            raise RuntimeError(f"pytest ended with status {status}: see {log.name}")
        return status == 0, time.monotonic() - start


def limit_of(seconds: float) -> float:
    """How long tests may take that take `seconds` without a mutant."""
    return max(LEAST_S, FACTOR * seconds)


def _end(process: subprocess.Popen) -> None:
    """End the tests with all that they started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
