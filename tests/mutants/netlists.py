"""Mutants of gateware: Yosys' `mutate` on the Verilog that the tests' benches simulate."""

import json
import os
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.gateware import mutation
from tests.mutants.mutant import BUILD, ROOT, Mutant, Target
from tests.mutants.runner import command

RECORD_TIMEOUT_S = 3600


def draw(target: Target, rng: random.Random, count: int) -> Iterator[Mutant]:
    """`count` mutants of what the target's tests simulate, of larger designs more.

    Raises
    ------
    RuntimeError
        The tests fail, or simulate nothing.
    """
    designs = _designs(target)
    chosen = rng.choices(designs, [path.stat().st_size for path in designs], k=count)
    for path in designs:
        seed = rng.randrange(1 << 30)
        if path not in chosen:
            continue
        for line in mutation.commands(path.read_text(), chosen.count(path), seed):
            where = re.search(r"-mode (\S+) .*-cell (\S+) -port (\S+) -portbit (\d+)", line)
            yield Mutant(f"{target.tests[0]} {path.stem}: {' '.join(where.groups())}", target, path.stem, line)


def _designs(target: Target) -> list[Path]:
    """The Verilog of each design that the tests simulate, recorded while they run once."""
    folder = BUILD / "designs" / target.digest()
    if not (folder / "complete").exists():
        folder.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, mutation.RECORD: str(folder)}
        done = subprocess.run(
            command(target), cwd=ROOT, env=environment, capture_output=True, text=True, timeout=RECORD_TIMEOUT_S
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(target.tests)} fail without a mutant:\n{done.stdout[-2000:]}")
        (folder / "complete").touch()
    designs = sorted(folder.glob("*.v"))
    if not designs:
        raise RuntimeError(f"{' '.join(target.tests)} simulate nothing")
    return designs


def environment(design: str, change: str) -> dict[str, str]:
    """What makes the benches simulate a design with a change; with none, as Yosys writes it."""
    return {mutation.MUTANT: json.dumps({"design": design, "command": change})}
