# SPDX-License-Identifier: BSD-2-Clause
"""For each promise in SECURITY.md, removes the code that enforces the promise (the guard). The test that
SECURITY.md names for this promise must then fail.

For each test, `guards.toml` has a file, the guard's text in it, and the replacement. Proofs are not listed there, since
each refutes broken copies of its own design.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.mutant import ROOT, Mutant, digest_of

# Files that list guards: one for the main SECURITY.md, and one for each folder with its own SECURITY.md.
TABLES = [Path(__file__).with_suffix(".toml"), *ROOT.glob("*/tests/guards.toml")]
PROOFS = "tests/formal/"


@dataclass(frozen=True)
class Guard(Mutant):
    """A mutant that lacks one guard. With this mutant, the guard's test must run and fail. If the test cannot run, for
    example because the mutant does not compile, this is an error.
    """

    must_fail = True

    def digest(self) -> str:
        """Return a digest of the mutant and of its test. If the test changes, the mutant must be tested again."""
        return digest_of([self.place, self.change, self.judges()])

    def control(self) -> Mutant:
        """Return a `Mutant` with unchanged sources, for the control run. The guard's test must pass in this run."""
        return Mutant(f"{self.tests[0]}, as it is", self.part, self.tests, "", " ".join(self.tests), boards=self.boards)


def guards() -> list[Guard]:
    """Return a mutant for each guard that the files in `TABLES` list, in their order.

    Raises
    ------
    ValueError
        A guard's text is not in its file, or is there more than once.
    """
    tables = [tomllib.loads(path.read_text(encoding="utf-8")) for path in TABLES]
    return [_guard(**entry) for table in tables for entry in table["guard"]]


def _guard(test: str, file: str, guard: str, broken: str, boards: tuple[str, ...] = ()) -> Guard:
    text = (ROOT / file).read_text(encoding="utf-8")
    if text.count(guard) != 1:
        raise ValueError(
            f"{file} has the guard {guard!r} {text.count(guard)} times: name it in guards.toml as it is now"
        )
    part = file.partition("/")[0]
    name = f"{test}: {file}: {' '.join(guard.split())} -> {' '.join(broken.split()) or 'nothing'}"
    return Guard(name, part, (test,), file, text.replace(guard, broken), boards=tuple(boards))
