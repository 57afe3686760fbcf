# SPDX-License-Identifier: BSD-2-Clause
"""Measure how fast the simulated board runs: ``python -m tests.bench_sim_speed``, or ``make bench-sim-speed``.

It is compared with a baseline of the same design: every unit runs at every clock edge, LiteX's own script compiles it,
and tracing is built in. The two take turns, so the ratio also holds on a busy machine. Seconds are the simulator's CPU
time. The board counts cycles while an engine works from memory to memory. Both must count the same, except for small
differences from the moment at which a request arrives. A ratio below the bar fails the command.
"""

import argparse
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path

from cipherlane.link.device import Device
from cipherlane.transport.sim import SimTransport
from cipherlane_base.figures import write
from cipherlane_base.wire.layout import Engine
from rich.console import Console
from rich.table import Table

from gateware import targets
from gateware.flow import simulation, toolchain
from gateware.flow.cache import Stamp, digest
from gateware.flow.firmware import FirmwareError
from gateware.flow.zephyr import ZephyrError
from tests.gateware.support import ROOT

COMMAND = "make bench-sim-speed"
BASELINE = ROOT / "build" / "bench-sim-speed"
BAR_RATIO = 2
BAR_ENGINE = Engine.TABLE
KEY_BITS = 128
# Bytes to encrypt with each engine, chosen so that each measurement takes about one second.
WORK = {Engine.TABLE: 8192, Engine.ISE_VMEM: 400_000, Engine.ACCELERATOR: 800_000}
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def build_baseline(target: targets.Target, directory: Path) -> Path:
    """Build the baseline with LiteX's own script; return the folder of the baseline. The baseline is another simulation
    model of the board. This model evaluates every unit at every clock edge.
    """
    _, sources = simulation.lay_out(target, directory, ())
    stamp = Stamp(directory / "model.digest", digest(sources))
    gateware = directory / "gateware"
    if not (stamp.is_current() and (gateware / simulation.EXECUTABLE).exists()):
        stamp.clear()
        environment = {**os.environ, "OPT_FAST": "-O2", "OPT_GLOBAL": "-O2", "JOBS": str(os.cpu_count())}
        log = directory / "verilator.log"
        with log.open("wb") as output:
            script = ["bash", "build_sim.sh"]
            status = subprocess.run(script, cwd=gateware, env=environment, stdout=output, stderr=output).returncode
        if status:
            raise simulation.SimulationError(f"the baseline did not compile: see {log}")
        stamp.set()
    return simulation.describe(target, directory).parent


def cpu_seconds(pid: int) -> float:
    """Return the CPU time that a process has used so far, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


def measure(folder: Path) -> dict[Engine, tuple[int, float]]:
    """Run the benchmark with each engine. For each engine, return how many cycles the benchmark took on the simulated
    board, and how many CPU seconds the simulator used.
    """
    transport = SimTransport(folder)
    with Device(transport) as device:
        device.info()
        figures = {}
        for engine, size in WORK.items():
            before = cpu_seconds(transport.board.pid)
            cycles = device.bench(engine, KEY_BITS, total_bytes=size).cycles
            figures[engine] = cycles, cpu_seconds(transport.board.pid) - before
    return figures


def summary(engine: Engine, ours: list[tuple[int, float]], baseline: list[tuple[int, float]]) -> dict:
    """Return the result of one engine: the simulation speeds of our model and of the baseline, and the ratio of the two
    speeds. A speed is the number of cycles per CPU second (median over all rounds).

    Raises
    ------
    AssertionError
        Cycles of two rounds differ by more than 2 %, the most that the moment of a request explains.
    """
    cycles = [count for count, _ in (*ours, *baseline)]
    assert max(cycles) - min(cycles) <= max(cycles) / 50, f"{engine.name.lower()}: cycles differ: {cycles}"
    ours_hz, baseline_hz = (statistics.median(count / seconds for count, seconds in runs) for runs in (ours, baseline))
    return {
        "engine": engine.name.lower(),
        "cycles": statistics.median_low(cycles),
        "cycles_per_second": round(ours_hz),
        "baseline_cycles_per_second": round(baseline_hz),
        "ratio": round(ours_hz / baseline_hz, 2),
        "key_bits": KEY_BITS,
    }


def show(records: list[dict]) -> None:
    """Print the results of the measurements as a table."""
    table = Table(title="the simulated board: its cycles in a second of CPU time")
    for name in ("engine", "cycles", "LiteX's script", "this board", "ratio"):
        table.add_column(name, justify="left" if name == "engine" else "right")
    for record in records:
        speeds = (f"{record[name]:,}" for name in ("cycles", "baseline_cycles_per_second", "cycles_per_second"))
        table.add_row(record["engine"], *speeds, f"{record['ratio']:.2f}")
    Console(width=100).print(table)


def main() -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench_sim_speed", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "results" / "sim-speed.json")
    arguments = parser.parse_args()
    target = targets.load("sim")
    try:
        folder = simulation.build(target, ROOT / "build" / target.name).parent
        print("the baseline: minutes, once", flush=True)
        baseline = build_baseline(target, BASELINE)
    except (FirmwareError, ZephyrError, simulation.SimulationError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    rounds = [(measure(folder), measure(baseline)) for _ in range(arguments.rounds)]
    records = [
        summary(engine, [ours[engine] for ours, _ in rounds], [base[engine] for _, base in rounds]) for engine in WORK
    ]
    write(
        arguments.results,
        {"records": records},
        command=COMMAND,
        board=target.name,
        configuration={"rounds": arguments.rounds, "machine": platform.processor() or platform.machine()},
        tools=toolchain.versions(os.environ, toolchain.SIMULATION),
    )
    show(records)
    (barred,) = (record for record in records if record["engine"] == BAR_ENGINE.name.lower())
    if barred["ratio"] < BAR_RATIO:
        print(f"error: {barred['engine']} runs less than {BAR_RATIO} times as fast as the baseline", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
