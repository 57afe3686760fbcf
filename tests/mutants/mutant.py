# SPDX-License-Identifier: BSD-2-Clause
"""Defines mutants, in a form that is common to all languages."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.gateware import mutation

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mutants"


def digest_of(texts) -> str:
    state = hashlib.sha256()
    for text in texts:
        state.update(text.encode() + b"\0")
    return state.hexdigest()[:24]


@dataclass(frozen=True)
class Target:
    """Sources and the tests that should detect a fault in them; see `targets.toml`."""

    part: str
    tests: tuple[str, ...]
    weight: int
    files: tuple[str, ...] = ()

    def digest(self) -> str:
        """Return a digest of the tests and of all files on which they can depend, such as the tested sources."""
        folders = {
            "host": ["host/cipherlane", "host/cipherlane_base"],
            "firmware": ["firmware"],
            "gateware": ["gateware"],
        }[self.part]
        folders += [str(Path(test).parent) for test in self.tests]
        paths = {path for folder in folders for path in (ROOT / folder).rglob("*.*") if path.suffix in SUFFIXES}
        paths |= set((ROOT / "tests" / self.part).glob("*.py"))
        return digest_of([*self.tests, *(path.read_text() for path in sorted(paths))])


SUFFIXES = {".py", ".c", ".h", ".toml"}


@dataclass(frozen=True)
class Mutant:
    """One fault, in a source file or in the Verilog of a gateware design.

    `name` tells where the fault is. Either `place` is a file of the tree, and its text becomes `change`. Or `place` is
    a design of the tests' benches, and Yosys' mutation `change` is applied to it; `environment` selects it, and its
    folder is one of the inputs of a task. `tests` should notice the fault. They need the simulated boards of the
    configurations `boards`.
    """

    name: str
    part: str
    tests: tuple[str, ...]
    place: str
    change: str
    environment: Mapping[str, str] = field(default_factory=dict)
    boards: tuple[str, ...] = ()

    # Tests can end without success although no test failed, for example after a time-out. If `must_fail` is true, this
    # is an error. If `must_fail` is false, the mutant then counts as detected.
    must_fail = False

    def digest(self) -> str:
        """Return a digest of the fault: the changed text, or the design and its change."""
        return digest_of([self.place, self.change])

    def judges(self) -> str:
        """Return a digest of the tests' names and of the present text of their files."""
        files = sorted({test.partition("::")[0] for test in self.tests})
        return digest_of([*self.tests, *((ROOT / file).read_text() for file in files)])

    def control(self) -> "Mutant":
        """Return a `Mutant` without a fault for the control run, in which the tests must pass. In gateware, Yosys
        rewrites the design in the control run, too.
        """
        if self.part == "gateware":
            environment = {**self.environment, mutation.NUMBER: "0"}
            return Mutant(f"{self.place}, as it is", self.part, self.tests, self.place, "", environment)
        return Mutant(f"{self.tests[0]} …, as it is", self.part, self.tests, "", " ".join(self.tests))
