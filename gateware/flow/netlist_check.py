"""Has the netlist of a board answer the host tool: ``python -m gateware.flow.netlist_check ecpix5``, `make netlist`.

What synthesis made of the board, and what place-and-route made of that, are simulated one after the other with the
firmware in their block RAMs. Each answers `info`, passes the self-test, and encrypts on every engine of AES what the
library `cryptography` encrypts too, over the bits of its UART or, with Ethernet, of its RGMII. Cycles, by the board's
own counter, are compared with those of the simulated board of the same configuration, which runs the same firmware.
They are figures of a simulation. Those of transfers over Ethernet may differ by `CACHE_CYCLES`.
"""

import argparse
import io
import random
import subprocess
import sys
from pathlib import Path

from cipherlane.device import Device
from cipherlane.errors import CipherlaneError
from cipherlane.oracle import Verifier
from cipherlane.protocol.layout import HEADER, Engine
from cipherlane.results import Measurement, commit, write
from cipherlane.transport.sim import SimTransport, SimUdpTransport
from cipherlane.transport.simboard import SimulatedBoard
from rich.console import Console
from rich.table import Table

from gateware import targets
from gateware.flow import bitstream, emulator, netlist, netlist_board, simulation, toolchain, unpacked
from gateware.flow.firmware import REPOSITORY, FirmwareError

RESULTS = REPOSITORY / "build" / "results"
STAGES = {"synthesis": lambda target: f"{target.name}.json", "routed": bitstream.routed}
# A byte takes 1000 cycles at 1 Mbaud, and of the netlist some tens of thousands a second are simulated.
TIMEOUT_S = 900
# A datagram that comes before the board is out of its reset is lost, and sent again after this time.
DATAGRAM_TIMEOUT_S = 100
BYTES, RECORD_BYTES = 500, 256
BENCH_BYTES = 1024
# What a board with Ethernet does between two datagrams, such as looking for idle sessions at times of its own, leaves
# traces in the core's data cache: by when the host's next record comes, some tables' lines are read anew.
CACHE_CYCLES = 100
CYCLES_SOURCE = "the netlist's own cycle counter, in simulation"


class WrongAnswerError(RuntimeError):
    """A netlist's board does something else than the simulated board, or than it is to do."""


def exercise(folder: Path) -> dict[Engine, dict[str, int]]:
    """What the simulated board in a folder takes on each engine of AES, in cycles, after it has passed its self-test.

    Returns
    -------
    dict
        By engine: `cycles` of `BENCH_BYTES` from memory to memory, if it does that, and `transfer_cycles` of `BYTES`
        that came and went over UART or Ethernet, each byte as the library `cryptography` has it.

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
    """Encrypts `BYTES` over the board's link, checked while they come; the engine's number is the seed.

    One record at a time: the host's next one, whenever it comes, takes no cycle of this one's.
    """
    draw = random.Random(engine)
    key, iv, data = draw.randbytes(16), draw.randbytes(16), draw.randbytes(BYTES)
    reader, writer = Verifier(key, iv).watch(io.BytesIO(data), io.BytesIO())
    with device.open_session(key, iv, engine, length=BYTES, record_bytes=RECORD_BYTES) as session:
        one = device.link.transport.wire_size(HEADER.size + RECORD_BYTES)
        report = session.transfer(reader, writer, length=BYTES, in_flight=one)
        return session.measurement(engine, key, report, verified=True)


def reference(target: targets.Target, image: Path) -> Path:
    """The simulated board of a target's configuration, with the target's own firmware in its ROM; returns its folder.

    The SoCs are the same but for clocks and pins, and so are their maps of memories and registers.
    """
    name = target.configuration.name
    subprocess.run([sys.executable, "-m", "gateware.flow", "sim", name], cwd=REPOSITORY, check=True)
    model = REPOSITORY / "build" / targets.load("sim", name).name
    return emulator.lay_out(REPOSITORY / "build" / f"netlist_{target.name}_reference", model, image)


def check(target: targets.Target, stages: list[str]) -> list[dict]:
    """Builds and exercises the netlists of a target; one record for each stage and engine.

    Raises
    ------
    WrongAnswerError
        A netlist takes other cycles than the simulated board; all that are wrong are named.
    """
    built = REPOSITORY / "build" / target.name
    print("the simulated board, with the same firmware", flush=True)
    expected = exercise(reference(target, built / "firmware" / "firmware.bin"))
    records = []
    for stage in stages:
        print(f"the netlist after {stage}: compiled in minutes, exercised in ten", flush=True)
        source = built / "gateware" / STAGES[stage](target)
        folder = REPOSITORY / "build" / f"netlist_{target.name}_{stage}"
        netlist_board.build(target, source, folder)
        for engine, cycles in exercise(folder).items():
            records.append({"stage": stage, "engine": engine.name.lower(), "verified": True, **cycles})
    if wrong := differences(records, expected, CACHE_CYCLES if target.configuration.ethernet else 0):
        raise WrongAnswerError(f"other cycles than on the simulated board: {'; '.join(wrong)}")
    return [{**record, "cycles_source": CYCLES_SOURCE, "kind": "sim"} for record in records]


def differences(records: list[dict], expected: dict[Engine, dict[str, int]], transfers: int = 0) -> list[str]:
    """Where records say other cycles than are expected of their engine; of transfers, by more than `transfers`."""
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
    print(f"{target.name}.bit is what place-and-route wrote, with the netlist's contents of {count} block RAMs")


def _show(records: list[dict], path: Path) -> None:
    table = Table("stage", "engine", "cycles", "of a transfer", title="netlists: the simulated board's cycles (sim)")
    for record in records:
        table.add_row(*(str(record.get(name, "-")) for name in ("stage", "engine", "cycles", "transfer_cycles")))
    console = Console()
    console.print(table)
    console.print(f"every byte and all known-answer tests right; {path}", soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
