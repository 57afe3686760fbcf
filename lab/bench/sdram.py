# SPDX-License-Identifier: BSD-2-Clause
"""Measure AES with its data in SDRAM: ``python -m lab.bench.sdram``, or ``make bench-sdram``.

It runs the programs of ``make bench`` on a simulated board with SDRAM, in CTR in place over 32 KB (engines in C:
2 KB). The pass that warms the caches does not count. Every figure's data are compared with `cryptography`.

The vector unit's loads and the accelerator's DMA do not reach SDRAM. With `copied`, the program copies the data into
the buffer memory and back, 2 KB at a time, and the copies count.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from cipherlane_base.figures import write

from gateware.flow import toolchain
from gateware.flow.firmware import REPOSITORY
from lab.bench import cases
from lab.bench.board import SDRAM_FAMILIES, BenchBoard, WrongAnswerError
from lab.results.tables.bench_sdram import render

BYTES, C_BYTES = 32 * 1024, 2 * 1024
PASSES = 3
# These engines reach only the buffer memory: `ise_vmem` with its own load and store instructions, `accelerator` with
# its DMA.
ON_CHIP = ("ise_vmem", "accelerator")


def measure(board: BenchBoard, key_bits: int = 128) -> Iterator[cases.Record]:
    """Measure CTR in each memory where the engine can process data; yield one record for each memory."""
    engine = board.family.engine
    size = C_BYTES if engine in ("byte", "table") else BYTES
    for memory in ("buffer", "sdram", *(["sdram, copied"] if engine in ON_CHIP else [])):
        found = board.measure("ctr", key_bits=key_bits, size=size, passes=PASSES, memory=memory)
        yield cases.record(board, "sdram", "ctr", False, key_bits, memory=memory, **cases.rates(found.longest, size))


def main() -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m lab.bench.sdram", description=__doc__)
    parser.add_argument("--results", type=Path, default=REPOSITORY / "build" / "results" / "bench-sdram.json")
    parser.add_argument("--only", action="append", help="name of an engine (repeatable; default: all)")
    arguments = parser.parse_args()
    records = []
    try:
        for family in SDRAM_FAMILIES:
            if arguments.only is None or family.engine in arguments.only:
                print(f"measuring {family.engine}", file=sys.stderr, flush=True)
                with BenchBoard(family) as board:
                    records += measure(board)
    except WrongAnswerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    write(
        arguments.results,
        {"records": records},
        command="make bench-sdram",
        board="sim_sdram",
        configuration={"engines": arguments.only or "all"},
        tools=toolchain.versions(os.environ, toolchain.SIMULATION),
    )
    for line in render({"bench-sdram": {"records": records}}):
        print(line)
    print(f"{len(records)} figures in {arguments.results}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
