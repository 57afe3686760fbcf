# SPDX-License-Identifier: BSD-2-Clause
"""Measure LTE's layer 2 with each engine: ``python -m lab.bench_lte``, or ``make bench-lte``.

This is the experiment of Hessel, Szczesny, Lohmann, Bilgic and Hausner (2009). A transport block comes each
millisecond. MAC, RLC and PDCP with deciphering must be finished before the next block. The host makes the blocks. It
compares the packets that come out with the packets that went in, in a separate pass after the timed passes.
"""

import argparse
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

from cipherlane_base.figures import write

from gateware.flow import emulator, toolchain
from gateware.flow.firmware import REPOSITORY
from lab.bench.board import ProgramBoard, WrongAnswerError
from lab.bench_lte import blocks
from lab.results.tables.bench_lte import RATES_MBPS, TTI_MS, milliseconds, render
from tests import rom

SOURCES = REPOSITORY / "lab" / "bench_lte" / "firmware"
EXTENSION = REPOSITORY / "lab" / "snow3g" / "firmware"
BUILD = REPOSITORY / "build" / "bench" / "lte"
# The engines that we measure. A request selects an engine by its index in this tuple. None means no ciphering
# (128-EEA0).
ENGINES = (None, "byte", "table", "ise", "ise_fused", "ise_vmem", "accelerator", "snow3g")
# The configuration of the simulated board that contains every engine in ENGINES.
CONFIGURATION = "lte"
# We measure first at the data rates of Hessel et al. 2009, then at higher rates in steps of STEP_MBPS (Mbit/s). We stop
# when a block takes longer than 1 ms, or after MOST_MBPS: larger blocks do not fit in the program's memory.
STEP_MBPS, MOST_MBPS = 25, 400
# Number of timed passes over a block. The engines in C need about ten times the 1 ms that LTE permits for a block, so
# they make fewer passes.
PASSES, C_PASSES = 4, 2


class LteBoard(ProgramBoard):
    """A simulated board that runs the program of `lab/bench_lte/firmware`."""

    def __init__(self):
        board = emulator.build(CONFIGURATION)
        more, defines = (SOURCES / "layer2.c",), (f"-I{SOURCES}",)
        super().__init__(rom.build(BUILD, SOURCES / "lte_bench.c", more, defines, board=board, extension=EXTENSION))

    def measure(self, engine: str | None, size: int) -> dict:
        """Measure a block of `size` bytes; return the results as a record. `lte_bench.c` describes the measurement.

        Raises
        ------
        WrongAnswerError
            The board reports an error, or the packets are wrong.
        """
        example = blocks.example(engine, size)
        passes = C_PASSES if engine in ("byte", "table") else PASSES
        case = f"{engine or 'no engine'}, {size} bytes"
        reply = self.ask(11, example.request(ENGINES.index(engine), passes))
        status, first, shortest, longest, came, sent, control, unknown, dropped, crc, hz = reply
        if status or control or unknown or dropped:
            raise WrongAnswerError(f"{case}: status {status}; {control}, {unknown}, {dropped} PDUs were not packets")
        data = b"".join(example.packets)
        if (came, sent) != (len(example.packets), len(data)) or crc != zlib.crc32(data):
            raise WrongAnswerError(f"{case}: the packets are not those that the block was made of")
        return {
            "cipher": blocks.cipher_of(engine),
            "engine": engine,
            "mbps": size * 8 // 1000,
            "block_bytes": size,
            "packets": came,
            "packet_bytes": sent,
            "first_cycles": first,
            "cycles": longest,
            "shortest_cycles": shortest,
            "clock_hz": hz,
            "clock_met_by": self.clock_met_by,
            "kind": "sim",
            "verified": True,
        }


def measured(board: LteBoard, engines: list[str | None]) -> Iterator[dict]:
    """Measure each engine and yield records. Start with the data rates of Hessel et al. 2009. Then raise the rate until
    a block takes longer than 1 ms, or up to `MOST_MBPS`.
    """
    for engine in engines:
        print(f"measuring {engine or 'the stack alone'}", file=sys.stderr, flush=True)
        last = None
        for mbps in RATES_MBPS:
            last = board.measure(engine, mbps * 1000 // 8)
            yield last
        mbps = RATES_MBPS[-1] + STEP_MBPS
        while in_time(last) and mbps <= MOST_MBPS:
            last = board.measure(engine, mbps * 1000 // 8)
            yield last
            mbps += STEP_MBPS


def in_time(record: dict) -> bool:
    """Return True if the measured block was finished within 1 ms. In LTE, the next block arrives after this time."""
    return milliseconds(record) <= TTI_MS


def main() -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m lab.bench_lte", description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=REPOSITORY / "build" / "results" / "bench-lte.json")
    parser.add_argument("--only", action="append", choices=[e for e in ENGINES if e], help="an engine (repeatable)")
    arguments = parser.parse_args()
    try:
        with LteBoard() as board:
            records = list(measured(board, [None, *arguments.only] if arguments.only else list(ENGINES)))
    except WrongAnswerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    write(
        arguments.results,
        {"records": records},
        command="make bench-lte",
        board=f"sim_{CONFIGURATION}",
        configuration={"engines": arguments.only or "all"},
        tools=toolchain.versions(os.environ, toolchain.SIMULATION),
    )
    for line in render({"bench-lte": {"records": records}}):
        print(line)
    print(f"{len(records)} figures in {arguments.results}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
