# SPDX-License-Identifier: BSD-2-Clause
"""Generate and check many variants of every kind of core: ``python -m tests.gateware.cores.matrix [TOOL ...]``.

Each variant must pass lint without a warning, and its checks in Icarus, cocotb and Verilator, or only the given TOOLs.
AES cores cover every datapath with every S-box. The other options do not depend on these two and vary one at a time.

Several variants are checked at a time (``--jobs``). A run that was interrupted resumes: it repeats no check that passed
with the same files, the same tools and the same commands.
"""

import argparse
import functools
import gc
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from gateware.aes.cores import DATAPATHS
from gateware.aes.sub_bytes import IMPLEMENTATIONS
from gateware.cores import cfu, gcm, ghash, macsec
from tests.gateware.cores import made
from tests.gateware.cores.made import icarus, lint, make, run, verilator
from tests.gateware.support import ROOT

FOLDER = ROOT / "build" / "cores-all"
BUSES = ("stream", "axi-stream")
LENGTHS = ("128", "192", "256", "128,192", "128,256", "192,256")


def members() -> Iterator[dict]:
    """Yield the generator options of each variant of each kind of core."""
    for n, (datapath, sbox) in enumerate(product(DATAPATHS, IMPLEMENTATIONS)):
        yield {"core": "aes", "datapath": datapath, "sbox": sbox, "bus": BUSES[n % 2], "slots": 1 + n % 3}
    for lengths, bus in product(LENGTHS, BUSES):
        yield {"core": "aes", "datapath": 32, "sbox": "tower", "key_lengths": lengths, "bus": bus}
    for bus, datapath in product(("wishbone", "axi-lite"), DATAPATHS):
        yield {"core": "aes", "datapath": datapath, "sbox": "tower", "bus": bus, "slots": 2}
    for engines, datapath in product((2, 4), (32, 64, 128)):
        yield {"core": "aes", "datapath": datapath, "sbox": "tower", "engines": engines}
    for stages in (1, 2, 3, 4):
        yield {"core": "aes", "datapath": "pipelined", "sbox": "tower_cut", "stages": stages, "key_lengths": "128"}
    for datapath, bus in product(DATAPATHS, BUSES):
        yield {"core": "ctr", "datapath": datapath, "sbox": "tower", "bus": bus, "slots": 2}
    for slots, engines in product((1, 3, 16), (1, 4)):
        yield {"core": "ctr", "datapath": 32, "sbox": "tower", "slots": slots, "engines": engines}
    for cycles, cells, bus in product(ghash.CYCLES, ghash.CELLS, BUSES):
        yield {"core": "ghash", "cycles": cycles, "cells": cells, "bus": bus}
    for cycles, bus in product(ghash.CYCLES, BUSES):
        yield {"core": "gcm", "datapath": 128, "sbox": "tower", "cycles": cycles, "bus": bus}
    for datapath, depth in zip(DATAPATHS, gcm.DEPTHS, strict=False):
        yield {"core": "gcm", "datapath": datapath, "sbox": "tower", "depth": depth, "slots": 3}
    for datapath, bus in product((128, "pipelined"), BUSES):
        engines = 4 if datapath == 128 else 1
        yield {"core": "macsec", "datapath": datapath, "sbox": "tower", "engines": engines, "bus": bus}
    for cycles, rows in zip(ghash.CYCLES, macsec.ROWS, strict=False):
        yield {"core": "macsec", "datapath": 32, "sbox": "tower", "cycles": cycles, "rows": rows}
    for datapath, bus in product(DATAPATHS, ("wishbone", "axi-lite")):
        yield {"core": "accelerator", "datapath": datapath, "sbox": "tower", "bus": bus, "slots": 4}
    for sbox, memory in product(cfu.IMPLEMENTATIONS, ("none", "0x40000000:0x2000")):
        yield {"core": "cfu", "sbox": sbox, "memory": memory}


def cocotb(folder: Path, name: str) -> tuple[int, str]:
    """Run a core's cocotb checks in Icarus; return exit status and output."""
    return run([sys.executable, f"test_{name}.py", "icarus"], folder)


def linted(folder: Path, name: str) -> tuple[int, str]:
    """Run lint on a core; return (1, output) if lint printed anything, otherwise (0, "")."""
    output = lint(folder, name)
    return int(bool(output)), output


def verilated(folder: Path, name: str) -> tuple[int, str]:
    """Run a core's test bench in Verilator. All cores of this process share one compiled Verilator library."""
    return verilator(folder, name, FOLDER / f"verilator-library-{os.getpid()}")


TOOLS: dict[str, Callable[[Path, str], tuple[int, str]]] = {
    "lint": linted,
    "icarus": icarus,
    "cocotb": cocotb,
    "verilator": verilated,
}


@dataclass(frozen=True)
class Result:
    """The result of one tool for one variant of a core.

    Attributes
    ----------
    failure : str
        What the tool printed, if it failed; otherwise empty.
    seconds : float or None
        Duration, or None if the tool passed in an earlier run.
    """

    tool: str
    failure: str
    seconds: float | None


@functools.cache
def _environment() -> bytes:
    """Return bytes that identify the installed tools and this program. A check's result depends only on these bytes and
    on the files of the core.
    """
    commands = [["verilator", "--version"], ["vvp", "-V"]]
    versions = [subprocess.run(each, capture_output=True).stdout for each in commands if shutil.which(each[0])]
    return b"".join([*versions, Path(__file__).read_bytes(), Path(made.__file__).read_bytes()])


def check(number: int, member: dict, tools: list[str]) -> tuple[str, list[Result]]:
    """Generate a variant of a core, and check it with each tool. Return a text that identifies the variant, and a list
    of the tools' results.
    """
    gc.set_threshold(100_000, 20, 100)  # as in conftest.py
    place = FOLDER / f"{number:03}"
    try:
        folder, name = make(place, **member)
    except ValueError as error:
        return f"{place}: {member}", [Result(tool, f"cannot be generated: {error}", None) for tool in tools]
    texts = [path.name.encode() + path.read_bytes() for path in sorted(folder.iterdir())]
    digest = hashlib.sha256(b"".join([_environment(), *texts])).hexdigest()
    passed_file = place / "passed.json"
    passed = json.loads(passed_file.read_text()) if passed_file.exists() else {}
    results = []
    for tool in tools:
        start = time.monotonic()
        if passed.get(tool) == digest:
            results.append(Result(tool, "", None))
            continue
        status, output = TOOLS[tool](folder, name)
        seconds = time.monotonic() - start
        results.append(Result(tool, (output[-2000:].strip() or f"exit status {status}") if status else "", seconds))
        if not status:
            passed[tool] = digest
            passed_file.write_text(json.dumps(passed))
    return f"{number:03} {name}", results


def _say(result: Result) -> str:
    """Return a short text: the tool's name, and `FAILED`, `passed before` or the number of seconds."""
    if result.failure:
        return f"{result.tool} FAILED"
    return f"{result.tool} passed before" if result.seconds is None else f"{result.tool} {result.seconds:.0f} s"


def main(arguments: list[str]) -> int:
    """Check all variants of the cores with each tool; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.gateware.cores.matrix", description="Check all cores.")
    parser.add_argument("tools", nargs="*", metavar="TOOL", help=f"{', '.join(TOOLS)} (default: all)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="variants at a time (default: all cores)")
    options = parser.parse_args(arguments)
    tools = options.tools or list(TOOLS)
    if unknown := set(tools) - set(TOOLS):
        parser.error(f"unknown tool {', '.join(sorted(unknown))}: choose {', '.join(TOOLS)}")
    todo = list(members())
    FOLDER.mkdir(parents=True, exist_ok=True)
    passed = dict.fromkeys(tools, 0)
    with ProcessPoolExecutor(options.jobs) as pool:
        for title, results in pool.map(check, range(len(todo)), todo, [tools] * len(todo)):
            print(f"{title}: {', '.join(map(_say, results))}", flush=True)
            for result in results:
                passed[result.tool] += not result.failure
                if result.failure:
                    print(f"{result.tool}: {title}: failed: {result.failure}", flush=True)
    for tool, count in passed.items():
        print(f"{tool}: {count} of {len(todo)} members passed")
    return int(any(count < len(todo) for count in passed.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
