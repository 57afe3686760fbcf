"""Measures AES with its data in SDRAM: ``python -m tests.bench.sdram``, or ``make bench-sdram``.

The same programs as of ``make bench``, on a simulated board with SDRAM, in CTR in place over 32 KB (engines in C:
2 KB); the pass that warms the caches up is left out. Every figure's data are compared with those of `cryptography`.
Where the vector unit's loads or the accelerator's DMA do not reach, the engines go another way: `copied` has the
program bring the data into the buffer memory and back, 2 KB at a time, and counts that.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from cipherlane.results import write

from gateware.flow import toolchain
from gateware.flow.firmware import REPOSITORY
from results.tables.bench_sdram import render
from tests.bench import cases
from tests.bench.board import SDRAM_FAMILIES, BenchBoard, WrongAnswerError

BYTES, C_BYTES = 32 * 1024, 2 * 1024
PASSES = 3
# Engines whose own way leads to the buffer memory alone.
ON_CHIP = ("ise_vmem", "accelerator")


def measure(board: BenchBoard, key_bits: int = 128) -> Iterator[cases.Record]:
    """One record for each place of the data that the engine can work on."""
    engine = board.family.engine
    size = C_BYTES if engine in ("byte", "table") else BYTES
    for memory in ("buffer", "sdram", *(["sdram, copied"] if engine in ON_CHIP else [])):
        found = board.measure("ctr", key_bits=key_bits, size=size, passes=PASSES, memory=memory)
        yield cases.record(board, "sdram", "ctr", False, key_bits, memory=memory, **cases.rates(found.longest, size))


def main() -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.sdram", description=__doc__)
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
