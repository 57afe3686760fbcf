# SPDX-License-Identifier: BSD-2-Clause
"""Measure the data rate of the host tool on one CPU core: ``python -m tests.bench_host``, or ``make bench-host``.

The tool streams records to the echoing null board over the loopback interface. It takes turns with a bare echo: the
same datagrams to the same null board, with as many in flight, but nobody looks at the answers. Rates count data bits to
the board and back once, for each second of a process's CPU time. Other work on the machine changes CPU time little.
Rates by the wall clock are also shown, and depend on other work too. The null board is a separate process with its own
core, if there are two cores. Its time does not count for the tool.

The kernel sends and receives as many datagrams in a call as fit. Rows with fewer datagrams show networks that join
fewer; a row with one datagram shows a network that joins none. The command fails if the tool is below its bar, with as
many as fit. It also fails if the bare echo is below its own bar, because such a machine shows nothing about the tool.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from cipherlane.link.counterblocks import CounterBlocks
from cipherlane.link.device import Device
from cipherlane.measuring.linkbench import Load, measure
from cipherlane.protocol.datarun import DataCodec
from cipherlane.transport.udp import UdpTransport, most_segments
from cipherlane_base.figures import write
from cipherlane_base.wire.layout import HEADER, Engine
from rich.console import Console
from rich.table import Table

from tests.gateware.support import ROOT

COMMAND = "make bench-host"
BAR_MBPS, BAR_ECHO_MBPS = 1000, 2000
RECORD_BYTES = 1440
SEGMENTS = (64, 8, 1)  # maximum number of datagrams per system call
SILENCE = 1.0  # if no record arrives for this many seconds, all records in flight count as lost


@contextmanager
def null_board() -> Iterator[tuple[str, psutil.Process]]:
    """Start the null board, a program that only echoes records; yield its address and process."""
    command = [sys.executable, "-m", "cipherlane.cli", "null-board", "--echo", "--listen", "udp://127.0.0.1:0"]
    with psutil.Popen(command, stderr=subprocess.PIPE, text=True) as board:
        try:
            yield board.stderr.readline().split()[-1], board
        finally:
            board.terminate()
            board.communicate(timeout=20)


def pin(board: psutil.Process) -> bool:
    """Pin this process to one CPU core and the null board to another core, and return True. If fewer than two cores are
    available, pin nothing and return False.
    """
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_setaffinity") else []
    if len(cores) < 2:
        return False
    os.sched_setaffinity(0, cores[:1])
    os.sched_setaffinity(board.pid, cores[1:2])
    return True


def cpu_seconds(process: psutil.Process) -> float:
    """Return the CPU time that a process has used so far, in seconds."""
    times = process.cpu_times()
    return times.user + times.system


def echo(transport: UdpTransport, window: int, seconds: float) -> int:
    """For `seconds` seconds, keep `window` data records in flight to the null board. Return the number of data bytes
    that came back.
    """
    address, datagrams = transport._address, transport._datagrams
    most = min(window, most_segments(HEADER.size + RECORD_BYTES))
    run = DataCodec(1, 1, RECORD_BYTES).encode(0, [memoryview(bytes(RECORD_BYTES))] * most)
    came = in_flight = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        while in_flight + most <= window:
            datagrams.send_run(run.data, run.size, address)
            in_flight += most
        arrived = datagrams.receive(SILENCE)
        count = len(arrived[0]) // run.size if arrived else 0
        came += count
        in_flight = in_flight - count if count else 0
    return came * RECORD_BYTES


def figure(seconds: float, busy: float, board_busy: float, count: int) -> dict:
    """Return three data rates in Mbps: `count` bytes divided by this process's CPU time, by the null board's CPU time,
    and by the wall-clock time. If a time is 0, its rate is 0.
    """
    rates = {"core_mbps": busy, "board_core_mbps": board_busy, "wall_mbps": seconds}
    return {name: count * 8 / taken / 1e6 if taken else 0.0 for name, taken in rates.items()}


def turns(url: str, board: psutil.Process, segments: int, rounds: int, seconds: float) -> dict:
    """Measure the host tool and the function `echo` alternately, `rounds` times each. Return the median rates of
    both.
    """
    found: dict[str, list[dict]] = {"tool": [], "echo": []}
    with Device(UdpTransport(url)) as device:
        window = device.info().rx_window // device.link.transport.wire_size(HEADER.size + RECORD_BYTES)
        device.link.transport._datagrams.segments = segments
        for _ in range(rounds):
            before = cpu_seconds(board)
            done = measure(device, Load(Engine.TABLE, CounterBlocks(128), RECORD_BYTES, seconds=seconds))
            busy = done.bytes * 8 / done.host_core_mbps / 1e6 if done.bytes else 0.0
            found["tool"].append(figure(done.seconds, busy, cpu_seconds(board) - before, done.bytes))
            with UdpTransport(url) as bare:
                bare._datagrams.segments = segments
                begun, used, before = time.monotonic(), time.process_time(), cpu_seconds(board)
                count = echo(bare, window, seconds)
                taken, busy = time.monotonic() - begun, time.process_time() - used
                found["echo"].append(figure(taken, busy, cpu_seconds(board) - before, count))
    record: dict = {"kind": "null", "record_bytes": RECORD_BYTES, "window_records": window, "rounds": rounds}
    record["datagrams_a_call"] = min(segments, most_segments(HEADER.size + RECORD_BYTES))
    for name, figures in found.items():
        for rate in figures[0]:
            record[f"{name}_{rate}"] = round(statistics.median(each[rate] for each in figures), 1)
        rates = [each["core_mbps"] for each in figures]
        record[f"{name}_core_mbps_spread"] = [round(min(rates), 1), round(max(rates), 1)]
    record["ratio"] = round(record["tool_core_mbps"] / record["echo_core_mbps"], 3)
    return record


def show(records: list[dict], pinned: bool) -> None:
    """Print the results of the measurements as a table."""
    cores = "a core each" if pinned else "on any core"
    title = f"Records of {RECORD_BYTES} bytes to the echoing null board and back over loopback, {cores}: Mbps of data"
    table = Table(title=title)
    for name in (
        "datagrams\na call",
        "tool, a core\n(CPU time)",
        "bare echo, a core\n(CPU time)",
        "ratio",
        "null board, a core\n(CPU time)",
        "tool\n(wall)",
        "bare echo\n(wall)",
    ):
        table.add_column(name, justify="right")
    for each in records:
        cells = [
            f"{each[f'{name}_core_mbps']:.0f} ({low:.0f} to {high:.0f})"
            for name in ("tool", "echo")
            for low, high in (each[f"{name}_core_mbps_spread"],)
        ]
        rest = [f"{each[name]:.0f}" for name in ("tool_board_core_mbps", "tool_wall_mbps", "echo_wall_mbps")]
        table.add_row(str(each["datagrams_a_call"]), *cells, f"{each['ratio']:.2f}", *rest)
    Console(width=140).print(table)


def main() -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench_host", description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "results" / "bench-host.json")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="each turn")
    arguments = parser.parse_args()
    with null_board() as (url, board):
        pinned = pin(board)
        records = [turns(url, board, each, arguments.rounds, arguments.seconds) for each in SEGMENTS]
    write(
        arguments.results,
        {"records": records},
        command=COMMAND,
        board="null",
        configuration={"pinned": pinned, "cores": os.cpu_count(), "seconds": arguments.seconds},
    )
    show(records, pinned)
    tool, bare = records[0]["tool_core_mbps"], records[0]["echo_core_mbps"]
    print(f"{tool / bare:.2f} of a bare echo, {tool:.0f} Mbps a core; {arguments.results}")
    if tool < BAR_MBPS:
        print(f"error: the tool is below {BAR_MBPS} Mbps a core", file=sys.stderr)
    if bare < BAR_ECHO_MBPS:
        print(f"error: the bare echo is below {BAR_ECHO_MBPS} Mbps a core: use another machine", file=sys.stderr)
    return int(tool < BAR_MBPS or bare < BAR_ECHO_MBPS)


if __name__ == "__main__":
    sys.exit(main())
