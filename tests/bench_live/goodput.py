# SPDX-License-Identifier: BSD-2-Clause
"""Measure how much the goodput falls while a viewer watches the live view.

The live view streams pictures to the echoing null board over the loopback interface, in stretches. Stretches with a
viewer and without one take turns in one run. The viewer is a separate program that asks for each picture as a browser
does. Rates count data bits to the board and back once, for each second by the wall clock, and for each second of the
tool's CPU time in all its threads.

The cost is measured in two ways. Directly: each stretch with a viewer is compared with the next stretch without one.
This shows the mean loss and its 95 % interval, which is wide if the machine's own speed changes more. By account: the
CPU time that two threads spend on pictures, the streaming thread while it makes one and the serving thread, as a share
of all time. Streaming lacks this share of a core.

An account above the bar fails the command. So does a direct cost in CPU time if its whole interval is above the bar and
the tool had a core nearly to itself. Pictures follow the wall clock, so with less of a core they are a larger share.
"""

import argparse
import contextlib
import math
import statistics
import threading
import time
from collections.abc import Callable

from cipherlane.commands.live import EDGE
from cipherlane.link.device import Device
from cipherlane.live import server, streamer
from cipherlane.live.hub import Channel, Hub
from cipherlane.transport import open_transport
from cipherlane_base.figures import write

from tests.bench_host.__main__ import null_board
from tests.bench_live.viewing import Enough, load, points_of, viewed
from tests.gateware.support import ROOT

COMMAND = "make bench-live"
BAR = 0.01  # of goodput
WHOLE_CORE = 0.8
STRETCH = 1.0  # seconds
TURN = 2.5  # stretches


class Turns(Hub):
    """Collect the measurements of the picture stream, separately for periods with a viewer and periods without one.
    Ignore each period in which the viewer connected or disconnected.
    """

    def __init__(self, rounds: int):
        super().__init__()
        self.found: dict[int, list[dict]] = {0: [], 1: []}
        # A function that returns how many CPU seconds were used for pictures so far.
        self.spent: Callable[[], float] = lambda: 0.0
        self._pictures, self._rounds, self._begun, self._spent = 0, rounds, -1, 0.0

    def put(self, channel: Channel, message: bytes) -> None:
        super().put(channel, message)
        self._pictures += channel == Channel.PICTURE
        if points := points_of(channel, message):
            spent = self.spent()
            if self._begun == self.viewers:
                more = {"pictures": self._pictures, "spent": spent - self._spent}
                self.found[self.viewers].append(points[-1] | more)
            self._begun, self._pictures, self._spent = self.viewers, 0, spent
            if min(map(len, self.found.values())) >= self._rounds:
                raise Enough


def rates_of(points: list[dict]) -> dict[str, list[float]]:
    """Return two data rates in Mbps for each period: the data per second of CPU time, and the data per second of
    wall-clock time.
    """
    return {
        "core": [each["wall_mbps"] / each["host_share"] for each in points],
        "wall": [each["wall_mbps"] for each in points],
    }


def clock_of(thread: str) -> int:
    """Return the id of the clock that counts the CPU time of the thread named `thread`."""
    (found,) = (each for each in threading.enumerate() if each.name == thread)
    assert found.ident
    return time.pthread_getcpuclockid(found.ident)


def measure(rounds: int) -> dict:
    """Measure the data rates in alternating periods with and without a viewer; return a dictionary of the results."""
    streamer.STRETCHES = (STRETCH,)
    hub = Turns(rounds)
    with null_board() as (url, _), contextlib.suppress(Enough):
        streaming = streamer.Streamer(hub, lambda: Device(open_transport(url)), EDGE)
        with viewed(hub, streaming, TURN * STRETCH, TURN * STRETCH):
            serving = clock_of(server.THREAD)
            hub.spent = lambda: streaming.picture_seconds + time.clock_gettime(serving)
            streaming.run()
    record: dict = {"kind": "null", "edge": EDGE, "rounds": rounds, "stretch_seconds": STRETCH}
    off, on = (rates_of(hub.found[viewers][:rounds]) for viewers in (0, 1))
    for rate in off:
        for name, values in (("off", off[rate]), ("on", on[rate])):
            record[f"{name}_{rate}_mbps"] = round(statistics.median(values), 1)
            record[f"{name}_{rate}_mbps_spread"] = [round(min(values), 1), round(max(values), 1)]
        missing = [1 - with_viewer / without for with_viewer, without in zip(on[rate], off[rate], strict=True)]
        record[f"direct_{rate}"] = round(statistics.mean(missing), 5)
        record[f"direct_{rate}_half_interval"] = round(1.96 * statistics.stdev(missing) / math.sqrt(rounds), 5)
    busy, spent, pictures, seconds = (
        sum(value(each) for each in hub.found[1])
        for value in (
            lambda each: each["host_share"] * each["seconds"],
            lambda each: each["spent"],
            lambda each: each["pictures"],
            lambda each: each["seconds"],
        )
    )
    record["pictures"] = pictures
    record["pictures_a_second"] = round(pictures / seconds, 2)
    record["picture_cpu_ms"] = round(spent / pictures * 1e3, 4)
    record["cost"] = round(spent / seconds, 5)
    record["host_share"] = round(busy / seconds, 3)
    return record


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command-line options of this measurement."""
    parser.add_argument("--rounds", type=int, default=40, help="stretches with a viewer, and without (default: 40)")


def run(args: argparse.Namespace) -> int:
    """Measure the goodput, print and save the results; return the exit status."""
    record = measure(args.rounds)
    for name, what in (("core", "a second of CPU time"), ("wall", "a second by the wall clock")):
        for state in ("off", "on"):
            low, high = record[f"{state}_{name}_mbps_spread"]
            print(f"view {state:3} {record[f'{state}_{name}_mbps']:8.1f} Mb {what}, {low} to {high}")
        mean, half = record[f"direct_{name}"], record[f"direct_{name}_half_interval"]
        interval = f"95 % interval {mean - half:.2%} to {mean + half:.2%}"
        print(f"         directly, {args.rounds} pairs: {mean:.2%} of goodput, {interval}")
    print(f"the tool had {record['host_share']:.0%} of a core, {load()}; {record['pictures']} pictures were shown")
    rate, cost = f"{record['pictures_a_second']:g} a second", f"{record['cost']:.2%}"
    print(f"a picture for a viewer takes {record['picture_cpu_ms']:.2f} ms of CPU time: with {rate} {cost} of a core,")
    print(f"and of the goodput that one gives; the bar is {BAR:.0%}")
    path = ROOT / "build" / "results" / "bench-live.json"
    write(path, {"records": [record]}, command=COMMAND, board="null", configuration={"echo": True})
    direct = record["direct_core"] - record["direct_core_half_interval"]
    if record["host_share"] < WHOLE_CORE:
        print("the direct cost is that of a tool with so little of a core: it is not held against the bar")
        direct = 0.0
    return int(max(record["cost"], direct) > BAR)
