# SPDX-License-Identifier: BSD-2-Clause
"""Measure the fast path over a simulated GMII at 1 Gb/s: ``python -m tests.bench_eth``, or ``make bench-eth``.

Receive and transmit side run at the same time with frames back to back, and every byte sent is checked. The bar applies
to the core of the Ethernet boards; other cores show why the boards use this one. A figure below the bar fails the
command.
"""

import argparse
import itertools
import os
import sys
from pathlib import Path

from cipherlane_base.figures import write
from cipherlane_base.wire.layout import Suite
from rich.console import Console
from rich.table import Table

from gateware import targets
from gateware.flow import toolchain
from tests.bench_eth.measure import Case, WrongAnswerError, added_latency_ns, measure, name_of
from tests.gateware.net.gmii import CORE, PROTECTED_CORE, GMIIBoard
from tests.gateware.support import ROOT

CLOCKS_HZ = (targets.load("ecpix5", "eth").sys_clk_freq, 100_000_000)
# UDP payloads to measure, in bytes. 40: a record with one AES block. 1464: the largest record that contains only whole
# AES blocks. 1472: the largest record at an MTU of 1500.
PAYLOADS = (40, 64, 128, 256, 512, 1024, 1280, 1464, 1472)
SESSIONS = (1, 8)
KEY_BITS = (128, 256)
BAR_SHARE = 0.99
BAR_PAYLOAD = 1024
# UDP payloads to measure with MACsec. MACsec reduces the MTU to 1468 bytes, so the last value is the largest record at
# this MTU.
PROTECTED_PAYLOADS = (*PAYLOADS[:-2], 1440)
# AES cores to measure. The first core has two engines, as on boards with Ethernet but without MACsec. The second core
# has one engine, and shows for which payloads one engine is too slow.
CORES = (CORE, {"datapath": 128, "sbox": "block_ram"})
PROTECTED = targets.load("ecpix5", "macsec")


def show(records: list[dict]) -> None:
    """Print the results of the measurements as a table."""
    table = Table(title="UDP payload through the fast path, both ways at once (sim)")
    for name in (
        "core",
        "MACsec",
        "MHz",
        "key",
        "sessions",
        "payload",
        "rx Mbps",
        "tx Mbps",
        "limit",
        "share",
        "latency",
        "cause",
    ):
        table.add_column(name, justify="left" if name in ("core", "MACsec", "cause") else "right")
    for record in records:
        names = ("key_bits", "sessions", "payload", "rx_mbps", "tx_mbps", "wire_limit_mbps")
        cells = [
            str(record["core"]),
            record["suite"] or "-",
            f"{record['clock_hz'] / 1e6:g}",
            *(str(record[name]) for name in names),
        ]
        table.add_row(*cells, f"{record['share']:.2%}", str(record["latency_cycles"]), record["cause"])
    Console(width=160).print(table)


def protected() -> list[dict]:
    """Measure the fast path with MACsec on the link; return the results."""
    print("measuring with MACsec", file=sys.stderr, flush=True)
    clock_hz = PROTECTED.sys_clk_freq
    board = GMIIBoard(sys_hz=clock_hz, macsec=True, **PROTECTED_CORE)
    records = []
    met = {"clock_met_by": PROTECTED.name if PROTECTED.fit.clock_met else ""}
    for suite, payload in itertools.product(Suite, PROTECTED_PAYLOADS):
        key_bits = 256 if suite == Suite.GCM_AES_256 else 128
        cases = [Case(payload, sessions, key_bits, clock_hz, suite) for sessions in SESSIONS]
        added = added_latency_ns(board, cases[0])
        records += [measure(board, case, PROTECTED_CORE) | added | met for case in cases]
    board.close()
    return records


def main() -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench_eth", description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "results" / "bench-eth.json")
    arguments = parser.parse_args()
    records = []
    try:
        for core in CORES:
            print(f"measuring with the core {name_of(core)}", file=sys.stderr, flush=True)
            board = GMIIBoard(sys_hz=CLOCKS_HZ[0], **core)
            for clock, key_bits, sessions, payload in itertools.product(CLOCKS_HZ, KEY_BITS, SESSIONS, PAYLOADS):
                case = Case(payload=payload, sessions=sessions, key_bits=key_bits, clock_hz=clock)
                records.append(measure(board, case, core))
            board.close()
        records += protected()
    except WrongAnswerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    write(
        arguments.results,
        {"records": records},
        command="make bench-eth",
        board="none: the fast path on a GMII",
        configuration={"cores": (*CORES, PROTECTED_CORE), "clocks_hz": (*CLOCKS_HZ, PROTECTED.sys_clk_freq)},
        tools=toolchain.versions(os.environ, toolchain.SIMULATION[:1]),
    )
    show(records)
    print(f"{len(records)} figures in {arguments.results}")
    barred = [
        record
        for record in records
        if record["suite"] or (record["core"] == name_of(CORE) and record["payload"] >= BAR_PAYLOAD)
    ]
    missed = [record for record in barred if record["share"] < BAR_SHARE]
    for record in missed:
        print(f"error: below {BAR_SHARE:.0%} of the wire's limit: {record}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
