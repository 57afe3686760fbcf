# SPDX-License-Identifier: BSD-2-Clause
"""Measure LTE's layer 2 in Zephyr's threads: ``python -m lab.bench_lte.zephyr``, or ``make bench-lte``.

This is the experiment of `lab.bench_lte` with the same code, in the application `threads`. A timer
hands over a transport block each millisecond; MAC, RLC and PDCP are threads. Without a Zephyr tree nothing is measured,
and a line tells why.
"""

import argparse
import functools
import os
import re
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from cipherlane.errors import SimulatedBoardError
from cipherlane_base.figures import write

from gateware import targets
from gateware.flow import emulator, toolchain, zephyr
from gateware.flow.firmware import REPOSITORY
from lab.bench.board import ProgramBoard, WrongAnswerError
from lab.bench_lte import blocks
from lab.bench_lte.__main__ import MOST_MBPS, STEP_MBPS
from lab.results import kept
from lab.results.tables.bench_lte import RATES_MBPS, TTI_MS, milliseconds
from lab.results.tables.bench_lte_zephyr import ORDERS, TABLE

SAMPLE = REPOSITORY / "lab" / "bench_lte" / "threads"
# Configuration of the simulated board. In place-and-route, this configuration reaches the clock that the simulation
# assumes.
CONFIGURATION = "eth_zephyr"
# The engines that we measure. A request selects an engine by its index in this tuple. None means no ciphering
# (128-EEA0).
ENGINES = (
    None,
    "byte",
    "table",
    "ise",
    "ise_fused",
    "ise_vmem",
    "accelerator",
    "accelerator, asleep",
    "crypto API, vector unit",
    "crypto API, accelerator",
)
# These engines need many TTIs (1 ms) for each block. So measure only SLOW_BLOCKS blocks with them.
SLOW = ("byte", "table")
BLOCKS, SLOW_BLOCKS, MOST_BLOCKS = 6, 1, 32
REPLY_WORDS = 12 + MOST_BLOCKS
# Relative tolerance for the measured length of a TTI. The timer's handler runs late if interrupts are disabled when the
# timer expires.
TTI_TOLERANCE = 0.05
START_TIMEOUT_S = 60
COSTS = {
    "switch_cycles": r"from thread to thread: (\d+) cycles",
    "queue_cycles": r"a PDU into a queue and out of it: (\d+) cycles",
    "hand_over_cycles": r"to a thread that waits for it, and back: (\d+) cycles",
}


@functools.cache
def build(configuration: str) -> Path:
    """Compile the Zephyr application, and build a simulated board that starts it; return the board's folder.

    Raises
    ------
    zephyr.ZephyrError
        There is no Zephyr tree, or the sample did not compile.
    subprocess.CalledProcessError
        The board could not be built; the build has printed the reason.
    """
    zephyr.require_base()
    board = emulator.build(configuration)
    output = REPOSITORY / "build" / "bench" / f"lte_{configuration}"
    image = zephyr.compile_application(SAMPLE, output, targets.load("sim", configuration).name)
    return emulator.lay_out(output, board, image)


class ZephyrLteBoard(ProgramBoard):
    """Run the Zephyr application `threads` on a simulated board."""

    def __init__(self, configuration: str = CONFIGURATION):
        super().__init__(build(configuration))

    def costs(self) -> dict[str, int]:
        """Return the CPU cycles that a thread switch and queue operations take in Zephyr's kernel. The application
        measures these cycles when it starts.

        Raises
        ------
        WrongAnswerError
            The sample did not start.
        """
        deadline = time.monotonic() + START_TIMEOUT_S
        while "transport blocks on" not in (text := self._board.output()):
            if time.monotonic() > deadline:
                raise WrongAnswerError(f"the sample did not start: {self._board.obituary('it still runs')}")
            time.sleep(0.1)
        return {name: int(re.search(pattern, text).group(1)) for name, pattern in COSTS.items()}

    def ask_for(self, example: blocks.Example, engine: str | None, times: int) -> dict[str, tuple[int, ...]]:
        """Send a block to the application. Return a dict that contains one reply for each order of the threads'
        priorities. A reply is a sequence of 32-bit numbers; the application's `main.c` describes them. The last `times`
        numbers are the cycles of the measured blocks.
        """
        reply = self.ask(REPLY_WORDS * len(ORDERS), example.request(ENGINES.index(engine), times))
        return {
            order: reply[n * REPLY_WORDS : (n + 1) * REPLY_WORDS][: REPLY_WORDS - MOST_BLOCKS + times]
            for n, order in enumerate(ORDERS)
        }

    def measure(self, engine: str | None, size: int) -> list[dict]:
        """Measure blocks of `size` bytes, one block per TTI (1 ms); return one record for each order in `ORDERS`.

        Raises
        ------
        WrongAnswerError
            The board reports an error, or the packets are wrong.
        """
        example = blocks.example(engine, size)
        found = self.ask_for(example, engine, SLOW_BLOCKS if engine in SLOW else BLOCKS)
        of_board = {"clock_hz": self.clock_hz, "clock_met_by": self.clock_met_by}
        return [record(engine, size, order, example.packets, reply) | of_board for order, reply in found.items()]


def record(engine: str | None, size: int, order: str, packets: Sequence[bytes], reply: Sequence[int]) -> dict:
    """Return the results in a reply as a record; the caller adds the board's clock. `size` is the size of the measured
    blocks in bytes, and `packets` are the packets in each block.

    Raises
    ------
    WrongAnswerError
        The reply is an error, or its packets are wrong.
    """
    status, crc, came, sent, control, unknown, dropped, full, switches, missed, shortest, longest, *cycles = reply
    case = f"{engine or 'no engine'}, {order}, {size} bytes"
    if status:
        raise WrongAnswerError(f"{case}: status {status - (1 << 32)}")
    if control or unknown or dropped or full:
        raise WrongAnswerError(
            f"{case}: {control} PDUs were control, {unknown} of no bearer, {dropped} dropped, {full} found a queue full"
        )
    data, runs = b"".join(packets), len(cycles) + 1
    if (came, sent) != (len(packets) * runs, len(data) * runs) or crc != zlib.crc32(data):
        raise WrongAnswerError(f"{case}: the packets are not those that the block was made of")
    return {
        "cipher": blocks.cipher_of(engine),
        "engine": engine,
        "order": order,
        "mbps": size * 8 // 1000,
        "block_bytes": size,
        "packets": len(packets),
        "packet_bytes": len(data),
        "blocks": len(cycles),
        "shortest_cycles": min(cycles),
        "median_cycles": median(cycles),
        "cycles": max(cycles),
        "missed_ttis": missed,
        "switches": round(switches / runs, 1),
        "tti_cycles": [shortest, longest],
        "kind": "sim",
        "verified": True,
    }


def in_time(found: dict) -> bool:
    """Return True if each block was finished before the next block arrived.

    Raises
    ------
    WrongAnswerError
        The next blocks were not due after 1 ms.
    """
    tti = found["clock_hz"] * TTI_MS / 1000
    shortest, longest = found["tti_cycles"]
    if not tti * (1 - TTI_TOLERANCE) < shortest <= longest < tti * (1 + TTI_TOLERANCE):
        raise WrongAnswerError(f"a TTI took {shortest} to {longest} cycles, not {tti:.0f}")
    return milliseconds(found) <= TTI_MS and not found["missed_ttis"]


def measured(board: ZephyrLteBoard, engines: Sequence[str | None]) -> Iterator[dict]:
    """Measure each engine with each order of the threads' priorities, and yield records. Start with the data rates
    `RATES_MBPS`, then raise the rate. Continue with the next engine when blocks are late with every order.
    """
    for engine in engines:
        print(f"measuring {engine or 'the stack alone'} in threads", file=sys.stderr, flush=True)
        for mbps in (*RATES_MBPS, *range(RATES_MBPS[-1] + STEP_MBPS, MOST_MBPS + 1, STEP_MBPS)):
            found = board.measure(engine, mbps * 1000 // 8)
            yield from found
            held = [in_time(one) for one in found]
            if mbps >= RATES_MBPS[-1] and not any(held):
                break


def main() -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m lab.bench_lte.zephyr", description=__doc__.partition(":")[0])
    parser.add_argument("--results", type=Path, default=REPOSITORY / "build" / "results" / "bench-lte_zephyr.json")
    parser.add_argument("--only", action="append", choices=[e for e in ENGINES if e], help="an engine (repeatable)")
    arguments = parser.parse_args()
    if zephyr.find_base() is None:
        print("Zephyr's threads were not measured: set ZEPHYR_BASE to a tree, or `make zephyr-setup`")
        return 0
    try:
        with ZephyrLteBoard() as board:
            costs = board.costs()
            records = list(measured(board, [None, *arguments.only] if arguments.only else ENGINES))
    except (zephyr.ZephyrError, SimulatedBoardError, WrongAnswerError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    release = ".".join(map(str, zephyr.version(zephyr.require_base())))
    content = {"costs": {**costs, "kind": "sim"}, "records": records}
    write(
        arguments.results,
        content,
        command="make bench-lte",
        board=f"sim_{CONFIGURATION}",
        configuration={"engines": arguments.only or "all", "Zephyr": release},
        tools=toolchain.versions(os.environ, toolchain.SIMULATION),
    )
    bare_metal = kept.load(("bench-lte.json",), TABLE.command)
    for line in TABLE.render({"bench-lte_zephyr": content, **bare_metal}):
        print(line)
    print(f"{len(records)} figures in {arguments.results}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
