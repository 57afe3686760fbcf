"""Runs the tests of a mutant in a tree of its own, which has what the mutated one has not: the fault."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time

from tests.mutants.mutant import BUILD, ROOT, Mutant, Target

LEAST_S = 120  # for tests that do not end; more if they take long without a mutant
FACTOR = 6


def command(target: Target) -> list[str]:
    """What runs the target's tests and ends at the first that fails."""
    return [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *target.tests]


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
        for cache in ("tools", "verilated"):  # kept by content, so that they can be shared
            (ROOT / "build" / cache).mkdir(parents=True, exist_ok=True)
            (self.path / "build" / cache).symlink_to(ROOT / "build" / cache)

    def run(self, target: Target, limit: float, environment: dict[str, str] | None = None) -> tuple[bool, float]:
        """Whether the tests pass within `limit` seconds, and how long they took."""
        variables = {**os.environ, **(environment or {}), "PYTHONDONTWRITEBYTECODE": "1"}
        variables["PYTHONPATH"] = f"{self.path / 'host'}{os.pathsep}{self.path}"
        start = time.monotonic()
        with (BUILD / f"{self.path.name}.log").open("wb") as log:
            process = subprocess.Popen(
                command(target),
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
        if status not in (0, 1, 2, None):
            raise RuntimeError(f"pytest ended with status {status}: see {log.name}")
        return status == 0, time.monotonic() - start

    def notices(self, mutant: Mutant, limit: float, environment: dict[str, str]) -> bool:
        """Whether a test fails, or does not end, with the mutant."""
        if environment:
            return not self.run(mutant.target, limit, environment)[0]
        place = self.path / mutant.place
        original = place.read_text()
        place.write_text(mutant.change)
        try:
            return not self.run(mutant.target, limit)[0]
        finally:
            place.write_text(original)


def limit_of(seconds: float) -> float:
    """How long tests may take that take `seconds` without a mutant."""
    return max(LEAST_S, FACTOR * seconds)


def _end(process: subprocess.Popen) -> None:
    """End the tests with all that they started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
