"""What a mutant is, whichever language it is of."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mutants"


def _digest(texts) -> str:
    state = hashlib.sha256()
    for text in texts:
        state.update(text.encode() + b"\0")
    return state.hexdigest()[:24]


@dataclass(frozen=True)
class Target:
    """Sources and the tests that should notice a fault in them; see `targets.toml`."""

    part: str
    tests: tuple[str, ...]
    weight: int
    files: tuple[str, ...] = ()

    def digest(self) -> str:
        """Stands for the tests and all that they may depend on: the sources of their part."""
        folders = {"host": ["host/cipherlane"], "firmware": ["firmware/core"], "gateware": ["gateware"]}[self.part]
        folders += [str(Path(test).parent) for test in self.tests]
        paths = sorted({path for folder in folders for path in (ROOT / folder).rglob("*.*") if path.suffix in SUFFIXES})
        return _digest([*self.tests, *(path.read_text() for path in paths)])


SUFFIXES = {".py", ".c", ".h", ".toml"}


@dataclass(frozen=True)
class Mutant:
    """One fault.

    `name` tells where it is; `place` is a file of the tree, whose text becomes `change`, or a design of the tests'
    benches, to which Yosys' command `change` is done.
    """

    name: str
    target: Target
    place: str
    change: str

    def digest(self) -> str:
        """Stands for the mutant and the tests that are to notice it."""
        return _digest([self.target.digest(), self.place, self.change])
