"""Measures what the live view costs: ``python -m tests.bench_live``, or ``make bench-live``.

The live view streams pictures to the echoing null board over the loopback interface, stretch by stretch, while a
viewer, a program of its own that asks for each picture as a browser does, comes and goes: stretches with it and without
it take turns in one run. Rates are data bits to the board and back, counted once: for each second by the wall clock,
and for each second that the tool was running on a processor, in all its threads (CPU time). What a viewer costs is the
CPU time beyond what the same bytes take without one, for each picture, times the pictures a second that are shown at
most: the part of a whole core, and so of the goodput of a tool that has one to itself. On a busy machine the tool has
less than a core, and the rates side by side show more than that. A cost above the bar fails the command.
"""

import argparse
import asyncio
import contextlib
import json
import statistics
import subprocess
import sys
import time

from cipherlane.commands.live import EDGE
from cipherlane.device import Device
from cipherlane.live import server, streamer
from cipherlane.live.hub import Channel, Hub
from cipherlane.results import write
from cipherlane.transport import open_transport
from websockets.asyncio.client import connect

from tests.bench_host.__main__ import null_board
from tests.gateware.support import ROOT

COMMAND = "make bench-live"
BAR = 0.01  # of goodput
STRETCH = 2.0  # seconds


class Enough(BaseException):
    """All was measured."""


class Turns(Hub):
    """Keeps the figures of stretches that had one viewer from beginning to end, or none."""

    def __init__(self, rounds: int):
        super().__init__()
        self.found: dict[int, list[dict]] = {0: [], 1: []}
        self._pictures, self._rounds, self._begun = 0, rounds, -1

    def put(self, channel: Channel, message: bytes) -> None:
        super().put(channel, message)
        self._pictures += channel == Channel.PICTURE
        if channel == Channel.STATE and (points := json.loads(message)["points"]):
            if self._begun == self.viewers:
                self.found[self.viewers].append(points[-1] | {"pictures": self._pictures})
            self._begun, self._pictures = self.viewers, 0
            if min(map(len, self.found.values())) >= self._rounds:
                raise Enough


async def view(address: str) -> None:
    """Watch for some stretches, then not, until ended."""
    while True:
        async with connect(f"ws://{address}/messages", origin=f"http://{address}", proxy=None) as viewer:
            end = time.monotonic() + 2.5 * STRETCH
            while time.monotonic() < end:
                await viewer.send("ready")
                await viewer.recv()
        await asyncio.sleep(2.5 * STRETCH)


def measure(rounds: int) -> dict:
    """Let stretches with a viewer and without take turns; return a record of their rates."""
    streamer.STRETCHES = (STRETCH,)
    hub = Turns(rounds)
    listener, hosts, _ = server.listen("127.0.0.1", 0)
    address = f"127.0.0.1:{listener.getsockname()[1]}"
    with null_board() as (url, _):
        streaming = streamer.Streamer(hub, lambda: Device(open_transport(url)), EDGE)
        viewer = [sys.executable, "-m", "tests.bench_live", "--view", address]
        serving = server.serving(server.application(hub, streaming.choose, hosts, None), listener)
        with serving, subprocess.Popen(viewer) as watching, contextlib.suppress(Enough):
            try:
                streaming.run()
            finally:
                watching.terminate()
    record: dict = {"kind": "null", "edge": EDGE, "rounds": rounds, "stretch_seconds": STRETCH}
    for name, points in (("off", hub.found[0]), ("on", hub.found[1])):
        rates = {"core": [each["wall_mbps"] / each["host_share"] for each in points]}
        rates["wall"] = [each["wall_mbps"] for each in points]
        for rate, values in rates.items():
            record[f"{name}_{rate}_mbps"] = round(statistics.median(values), 1)
            record[f"{name}_{rate}_mbps_spread"] = [round(min(values), 1), round(max(values), 1)]
    busy, bits, pictures = (
        sum(value(each) for each in hub.found[1])
        for value in (
            lambda each: each["host_share"] * each["seconds"],
            lambda each: each["wall_mbps"] * each["seconds"],
            lambda each: each["pictures"],
        )
    )
    record["pictures"] = pictures
    record["picture_cpu_ms"] = round((busy - bits / record["off_core_mbps"]) / pictures * 1e3, 4)
    record["cost"] = round(record["picture_cpu_ms"] / 1e3 * streamer.PICTURES_A_SECOND, 5)
    record["host_share"] = round(busy / sum(each["seconds"] for each in hub.found[1]), 3)
    return record


def main() -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench_live", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=12, help="stretches with a viewer, and without (default: 12)")
    parser.add_argument("--view", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.view:
        asyncio.run(view(args.view))
    record = measure(args.rounds)
    for name, what in (("core", "a second of CPU time"), ("wall", "a second by the wall clock")):
        for state in ("off", "on"):
            low, high = record[f"{state}_{name}_mbps_spread"]
            print(f"view {state:3} {record[f'{state}_{name}_mbps']:8.1f} Mb {what}, {low} to {high}")
    print(f"the tool had {record['host_share']:.0%} of a core; {record['pictures']} pictures were shown")
    rate, cost = f"{streamer.PICTURES_A_SECOND:g} a second", f"{record['cost']:.2%}"
    print(f"a picture for a viewer takes {record['picture_cpu_ms']:.2f} ms of CPU time: at {rate} {cost} of a core,")
    print(f"and of the goodput that one gives; the bar is {BAR:.0%}")
    path = ROOT / "build" / "results" / "bench-live.json"
    write(path, {"records": [record]}, command=COMMAND, board="null", configuration={"echo": True})
    return int(record["cost"] > BAR)


if __name__ == "__main__":
    sys.exit(main())
