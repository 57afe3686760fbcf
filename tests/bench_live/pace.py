# SPDX-License-Identifier: BSD-2-Clause
"""Measure for each engine how many pictures per second the simulated board delivers to a live view with a viewer.

The simulator is a program that counts cycles, and its speed depends on its share of a core. The output shows this
share with pictures a second by the wall clock. It also shows pictures for each second of CPU time, which is the rate on
a machine that gives the simulator a whole core. The command fails if `ise_vmem` is below the bar by that rate.
"""

import argparse
import contextlib

import psutil
from cipherlane.commands.live import SIMULATED_EDGE
from cipherlane.link.device import Device
from cipherlane.live import streamer
from cipherlane.live.hub import Channel, Hub
from cipherlane.transport import open_transport
from cipherlane_base.figures import write
from rich.console import Console
from rich.table import Table

from tests.bench_live.viewing import Enough, load, points_of, viewed
from tests.gateware.support import ROOT

COMMAND = "make bench-live LIVE=pace"
BAR, BAR_ENGINE = streamer.FEWEST_PICTURES, "ise_vmem"
ENGINES = ("fastpath", "accelerator", "ise_vmem", "ise_fused", "ise")
STRETCH = 4.0  # seconds


class Pace(Hub):
    """Stream pictures with each combination of engine and bits per pixel in `choices`. For each combination, ignore the
    first period, then measure `rounds` periods.
    """

    def __init__(self, choices: list[dict], rounds: int):
        super().__init__()
        self.choices, self._rounds = choices, rounds
        self.records: list[dict] = []
        self._now: list[dict] = []
        self._cpu: list[float] = []
        self._shown = self._seen = 0
        self.device: Device | None = None
        self.streaming: streamer.Streamer | None = None

    def open_device(self, port: str) -> Device:
        self.device = Device(open_transport(port))
        return self.device

    def put(self, channel: Channel, message: bytes) -> None:
        super().put(channel, message)
        self._shown += channel == Channel.PICTURE
        if channel != Channel.STATE:
            return
        points = points_of(channel, message)
        cpu = psutil.Process(self.device.link.transport.board.pid).cpu_times()
        wanted = self.choices[len(self.records)]
        last = points[-1] if points else {}
        if len(points) == self._seen:
            self.streaming.choose(wanted)
            return
        self._seen = len(points)
        if any(last[name] != value for name, value in wanted.items() if name in last and value):
            return
        self._now.append(last)
        self._cpu.append(cpu.user + cpu.system)
        if len(self._now) == 1:
            self._shown = 0
        if len(self._now) > self._rounds:
            self._finish()

    def _finish(self) -> None:
        points, cpu = self._now[1:], self._cpu[-1] - self._cpu[0]
        seconds = sum(each["seconds"] for each in points)
        pictures = sum(each["pictures_a_second"] * each["seconds"] for each in points)
        cycles = [each["picture_cycles"] for each in points if each["picture_cycles"]]
        self.records.append(
            {
                "engine": points[0]["engine"],
                "kind": "sim",
                "edge": SIMULATED_EDGE,
                "bits": points[-1]["bits"],
                "chosen_bits": self.choices[len(self.records)]["bits"],
                "pictures_a_second": round(pictures / seconds, 2),
                "pictures_a_simulator_cpu_second": round(pictures / cpu, 2),
                "simulator_share": round(cpu / seconds, 2),
                "picture_kilocycles": round(sum(cycles) / len(cycles) / 1e3, 1) if cycles else None,
                "shown_a_second": round(self._shown / seconds, 2),
                "host_share": round(sum(each["host_share"] * each["seconds"] for each in points) / seconds, 3),
            }
        )
        self._now, self._cpu = [], []
        if len(self.records) == len(self.choices):
            raise Enough
        self.streaming.choose(self.choices[len(self.records)])


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command-line options of this measurement."""
    parser.add_argument("--port", default="sim+udp", help="of the simulated board (default: sim+udp)")
    parser.add_argument("--rounds", type=int, default=3, help=f"stretches of {STRETCH:g} s of each (default: 3)")


def run(args: argparse.Namespace) -> int:
    """Measure the pictures per second, print and save the results; return the exit status."""
    streamer.STRETCHES = (STRETCH,)
    engines = [each for each in ENGINES if args.port.startswith("sim+udp") or each != "fastpath"]
    choices = [{"engine": each, "bits": 8} for each in engines] + [
        {"engine": BAR_ENGINE, "bits": 4},
        {"engine": BAR_ENGINE, "bits": 0},
    ]
    hub = Pace(choices, args.rounds)
    with contextlib.suppress(Enough):
        hub.streaming = streamer.Streamer(hub, lambda: hub.open_device(args.port), SIMULATED_EDGE, engine=engines[0])
        with viewed(hub, hub.streaming, 1e6, 0.0):
            hub.streaming.run()
    table = Table(
        title=f"{SIMULATED_EDGE}x{SIMULATED_EDGE} pictures through the simulated board, with a viewer (sim); {load()}"
    )
    columns = {
        "engine": "engine",
        "bits": "bits a\npixel",
        "pictures_a_second": "pictures a\nsecond",
        "simulator_share": "simulator's\npart of a core",
        "pictures_a_simulator_cpu_second": "pictures a second\nof its CPU time",
        "picture_kilocycles": "kilocycles\na picture",
        "shown_a_second": "shown\na second",
        "host_share": "tool's part\nof a core",
    }
    for heading in columns.values():
        table.add_column(heading, justify="right")
    for each in hub.records:
        chosen = "" if each["chosen_bits"] else " (as the board gives)"
        table.add_row(*(f"{each[name]}{chosen if name == 'bits' else ''}" for name in columns))
    Console(width=150).print(table)
    path = ROOT / "build" / "results" / "bench-live-pace.json"
    write(
        path, {"records": hub.records}, command=COMMAND, board="sim", configuration={"port": args.port, "load": load()}
    )
    (rate,) = (
        each["pictures_a_simulator_cpu_second"]
        for each in hub.records
        if (each["engine"], each["chosen_bits"]) == (BAR_ENGINE, 8)
    )
    print(f"{BAR_ENGINE}: {rate} pictures, of a byte a pixel, for each second of a core; the bar is {BAR:g}")
    return int(rate < BAR)
