# SPDX-License-Identifier: BSD-2-Clause
"""Simulates the netlist of a board and talks to it: ``python -m gateware.flow.netlist_check ecpix5``, `make netlist`.

It simulates the netlist of synthesis, then the one of place-and-route, with the firmware in their block RAMs. Each must
answer `info`, pass the self-test, and encrypt on every AES engine exactly as the library `cryptography` does. The data
pass over the bits of the UART or, with Ethernet, of RGMII. The board's own counter counts the cycles, which are
compared with the cycles of the simulated board of the same configuration and firmware. The results are results of a
simulation. Cycles of transfers over Ethernet may differ by `CACHE_CYCLES`.
"""

import argparse
import io
import random
import subprocess
import sys
from pathlib import Path

from cipherlane.errors import CipherlaneError
from cipherlane.link.device import Device
from cipherlane.measuring.oracle import Verifier
from cipherlane.transport.sim import SimTransport, SimUdpTransport
from cipherlane.transport.simboard import SimulatedBoard
from cipherlane_base.figures import Measurement, commit, write
from cipherlane_base.wire.layout import HEADER, Engine
from rich.console import Console
from rich.table import Table

from .. import targets
from . import bitstream, emulator, netlist, netlist_board, simulation, toolchain, unpacked
from .firmware import REPOSITORY, FirmwareError

RESULTS = REPOSITORY / "build" / "results"
STAGES = {"synthesis": lambda target: f"{target.name}.json", "routed": bitstream.routed}
# Time limit in seconds for an answer over the UART. At 1 Mbaud, a byte takes 1000 cycles. The simulator performs only
# some tens of thousands of cycles a second.
TIMEOUT_S = 900
# Time in seconds after which the host sends a datagram again. A board that is still in reset loses datagrams.
DATAGRAM_TIMEOUT_S = 100
BYTES, RECORD_BYTES = 500, 256
BENCH_BYTES = 1024
# Tolerance in cycles for transfers over Ethernet. Between two datagrams, the CPU does other work, such as a search for
# idle sessions. This work can evict the AES tables from the data cache, so that the CPU must load them again.
CACHE_CYCLES = 100
CYCLES_SOURCE = "the netlist's own cycle counter, in simulation"


class WrongAnswerError(RuntimeError):
    """A self-test fails, or cycle counts of the netlist differ from the cycle counts of the normal simulated board."""


def exercise(folder: Path) -> dict[Engine, dict[str, int]]:
    """Runs the self-test on the simulated board in a folder; measures how many cycles each AES engine takes.

    Returns
    -------
    dict
        By engine: `cycles` for `BENCH_BYTES` from memory to memory, if the engine supports that, and `transfer_cycles`
        for `BYTES` transferred over UART or Ethernet and compared byte by byte with the library `cryptography`.

    Raises
    ------
    WrongAnswerError
        The self-test fails.
    CipherlaneError
        The board does not answer, or a byte is wrong.
    """
    has_ethernet = bool(SimulatedBoard(folder).ip_address)
    transport = SimUdpTransport(folder) if has_ethernet else SimTransport(folder)
    with Device(transport, timeout=DATAGRAM_TIMEOUT_S if has_ethernet else TIMEOUT_S) as device:
        if (test := device.selftest()).failed or not test.tests:
            raise WrongAnswerError(f"{test.failed} of {test.tests} known-answer tests fail in {folder}")
        print(f"    {device.info().board} passes {test.tests} known-answer tests", flush=True)
        return {engine: _measure(device, engine) for engine in device.info().engines_of("aes")}


def _measure(device: Device, engine: Engine) -> dict[str, int]:
    cycles = {} if engine.traits.serves else {"cycles": device.bench(engine, 128, total_bytes=BENCH_BYTES).cycles}
    cycles["transfer_cycles"] = _transfer(device, engine).cycles
    print(f"    {engine.name.lower()}: {' and '.join(map(str, cycles.values()))} cycles", flush=True)
    return cycles


def _transfer(device: Device, engine: Engine) -> Measurement:
    """Encrypts `BYTES` random bytes over the board's link and checks each answer. The seed is the engine's number.

    Only one record is under way at a time, so the arrival of the host's next record costs the present one no cycle.
    """
    draw = random.Random(engine)
    key, iv, data = draw.randbytes(16), draw.randbytes(16), draw.randbytes(BYTES)
    reader, writer = Verifier(key, iv).watch(io.BytesIO(data), io.BytesIO())
    with device.open_session(key, iv, engine, length=BYTES, record_bytes=RECORD_BYTES) as session:
        one = device.link.transport.wire_size(HEADER.size + RECORD_BYTES)
        report = session.transfer(reader, writer, length=BYTES, in_flight=one)
        return session.measurement(engine, key, report, verified=True)


def require_equal_maps(target: targets.Target) -> None:
    """Refuses a target that differs from its simulated board in more than clocks, pins and the sizes of memories.

    Raises
    ------
    WrongAnswerError
        The part is so small that the configuration has another core or fewer slots for frames.
    """
    own, simulated = (each.configuration for each in (target, targets.load("sim", target.configuration.name)))
    if (own.ethernet, own.core_datapath) != (simulated.ethernet, simulated.core_datapath):
        raise WrongAnswerError(
            f"{target.name} has a smaller core or fewer slots than the simulated board: choose a larger part"
        )


def reference(target: targets.Target, image: Path) -> Path:
    """Makes the simulated board of a target's configuration, with the target's firmware in its ROM; returns its folder.

    The two SoCs have the same registers, and memories at the same addresses (`require_equal_maps`).
    """
    name = target.configuration.name
    subprocess.run([sys.executable, "-m", "gateware.flow", "sim", name], cwd=REPOSITORY, check=True)
    model = REPOSITORY / "build" / targets.load("sim", name).name
    return emulator.lay_out(REPOSITORY / "build" / f"netlist_{target.name}_reference", model, image)


def check(target: targets.Target, stages: list[str]) -> list[dict]:
    """Simulates a target's netlist after each given build stage. Returns a list of records, one per stage and engine.

    Raises
    ------
    WrongAnswerError
        Cycles of a netlist differ from those that the simulated board takes; the message names all of them.
    """
    built = REPOSITORY / "build" / target.name
    print("the simulated board, with the same firmware", flush=True)
    expected = exercise(reference(target, built / "firmware" / "firmware.bin"))
    records = []
    for stage in stages:
        print(f"the netlist after {stage}: some minutes to compile, ten to run", flush=True)
        source = built / "gateware" / STAGES[stage](target)
        folder = REPOSITORY / "build" / f"netlist_{target.name}_{stage}"
        netlist_board.build(target, source, folder)
        for engine, cycles in exercise(folder).items():
            records.append({"stage": stage, "engine": engine.name.lower(), "verified": True, **cycles})
    if wrong := differences(records, expected, CACHE_CYCLES if target.configuration.ethernet else 0):
        raise WrongAnswerError(f"cycles differ from the simulated board's: {'; '.join(wrong)}")
    return [{**record, "cycles_source": CYCLES_SOURCE, "kind": "sim"} for record in records]


def differences(records: list[dict], expected: dict[Engine, dict[str, int]], transfers: int = 0) -> list[str]:
    """Returns a line of text for each unexpected cycle count. `transfers` is the tolerance for counts of transfers."""
    return [
        f"{record['engine']} has {what.replace('_', ' ')} {record[what]} after {record['stage']}, {value} there"
        for record in records
        for what, value in expected[Engine[record["engine"].upper()]].items()
        if abs(record[what] - value) > (transfers if what == "transfer_cycles" else 0)
    ]


def main() -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m gateware.flow.netlist_check", description=__doc__)
    parser.add_argument("board")
    parser.add_argument("configuration", nargs="?", default=targets.DEFAULT)
    parser.add_argument("--stage", choices=STAGES, action="append", help="repeatable (default: both)")
    arguments = parser.parse_args()
    measured = commit()
    try:
        target = targets.load(arguments.board, arguments.configuration)
        require_equal_maps(target)
        netlist_board.require(target)
        bitstream.build(target, REPOSITORY / "build" / target.name, RESULTS)
        _unpack(target)
        records = check(target, arguments.stage or list(STAGES))
    except (
        targets.UnknownTargetError,
        FirmwareError,
        bitstream.BitstreamError,
        simulation.SimulationError,
        netlist.NetlistError,
        subprocess.CalledProcessError,
        toolchain.ToolError,
        unpacked.BitstreamDiffersError,
        WrongAnswerError,
        CipherlaneError,
    ) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    path = RESULTS / f"netlist-{target.name}.json"
    tools = toolchain.environment(REPOSITORY / "build" / "tools")
    write(
        path,
        {"records": records},
        command=f"make netlist {target.variables}",
        board=target.name,
        configuration={"bytes": BYTES, "record_bytes": RECORD_BYTES, "bench_bytes": BENCH_BYTES, "key_bits": 128},
        tools=toolchain.versions(tools, (*toolchain.TOOLS, "verilator")),
        measured=measured,
    )
    _show(records, path)
    return 0


def _unpack(target: targets.Target) -> None:
    gateware = REPOSITORY / "build" / target.name / "gateware"
    module = netlist_board.load(gateware / bitstream.routed(target), target)
    tools = toolchain.environment(REPOSITORY / "build" / "tools")
    count = unpacked.check(gateware, target.name, module, tools)
    print(f"{target.name}.bit contains what place-and-route wrote; {count} block RAMs match the netlist")


def _show(records: list[dict], path: Path) -> None:
    table = Table("stage", "engine", "cycles", "of a transfer", title="netlists: the simulated board's cycles (sim)")
    for record in records:
        table.add_row(*(str(record.get(name, "-")) for name in ("stage", "engine", "cycles", "transfer_cycles")))
    console = Console()
    console.print(table)
    console.print(f"every byte and all known-answer tests are correct; results in {path}", soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
