# SPDX-License-Identifier: BSD-2-Clause
"""Makes mutants of gateware: Yosys' command `mutate` changes the Verilog that the tests simulate."""

import os
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.gateware import mutation
from tests.mutants import runner
from tests.mutants.mutant import BUILD, ROOT, Mutant, Target

RECORD_TIMEOUT_S = 3600
FAULTY = BUILD / "faulty"


def draw(target: Target, rng: random.Random, count: int) -> Iterator[Mutant]:
    """Yield `count` mutants of the designs that the target's tests simulate. The probability of a design is
    proportional to the square root of its size.

    Raises
    ------
    RuntimeError
        The tests fail, or simulate nothing.
    """
    designs = _designs(target)
    chosen = rng.choices(designs, [path.stat().st_size ** 0.5 for path in designs], k=count)
    for path in designs:
        seed = rng.randrange(1 << 30)
        if path not in chosen:
            continue
        text, commands = mutation.with_faults(path.read_text(), chosen.count(path), seed)
        folder = FAULTY / f"{target.digest()}-{seed}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / path.name).write_text(text)
        tests = tuple(dict.fromkeys(path.with_suffix(".tests").read_text().splitlines()))
        for number, command in enumerate(commands, 1):
            change = re.sub(r" -ctrl \S+ \S+ \S+| -src \S+", "", command).removeprefix("mutate ")
            line = re.search(r"-src in.v:(\d+)", command)
            name = f"{path.stem}.v:{line[1] if line else '?'}: {change} ({target.tests[0]})"
            environment = {mutation.FAULTY: folder.name, mutation.NUMBER: str(number)}
            yield Mutant(name, target.part, tests, path.stem, change, environment)


def _designs(target: Target) -> list[Path]:
    """Run the tests once to record the designs that they simulate; return the Verilog files of these designs.

    Next to each design is a list of the tests that use it.
    """
    folder = BUILD / "designs" / target.digest()
    if not (folder / "complete").exists():
        folder.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, mutation.RECORD: str(folder)}
        command = runner.command(target.tests)
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=RECORD_TIMEOUT_S
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(target.tests)} fail without a mutant:\n{done.stdout[-2000:]}")
        (folder / "complete").touch()
    designs = sorted(path for path in folder.glob("*.v") if path.with_suffix(".tests").exists())
    if not designs:
        raise RuntimeError(f"{' '.join(target.tests)} simulate nothing")
    return designs
