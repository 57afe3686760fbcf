# SPDX-License-Identifier: BSD-2-Clause
"""Generate and check many variants of every kind of core: ``python -m tests.gateware.cores.matrix [TOOL ...]``.

Each variant must pass lint without a warning, and its checks in Icarus, cocotb and Verilator, or only the given TOOLs.
AES cores cover every datapath with every S-box. The other options do not depend on these two and vary one at a time.
"""

import gc
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

from gateware.aes.cores import DATAPATHS
from gateware.aes.sub_bytes import IMPLEMENTATIONS
from gateware.cores import cfu, gcm, ghash, macsec
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


TOOLS: dict[str, Callable[[Path, str], tuple[int, str]]] = {
    "lint": linted,
    "icarus": icarus,
    "cocotb": cocotb,
    "verilator": verilator,
}


def main(tools: list[str]) -> int:
    """Check all variants of the cores with each tool in turn; return the exit status."""
    gc.set_threshold(100_000, 20, 100)  # as in conftest.py
    made = []
    for n, member in enumerate(members()):
        made.append(make(FOLDER / f"{n:03}", **member))
    failed = 0
    for tool in tools or TOOLS:
        passed = 0
        for folder, name in made:
            status, output = TOOLS[tool](folder, name)
            passed += not status
            if status:
                failed += 1
                print(f"{tool}: {folder}: failed\n{output[-2000:]}", flush=True)
        print(f"{tool}: {passed} of {len(made)} members passed", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
