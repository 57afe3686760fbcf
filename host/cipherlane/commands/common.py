"""Options that all commands share."""

import argparse
import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .. import results
from ..device import Device
from ..errors import ArgumentError
from ..linkbench import LinkMeasurement
from ..protocol.layout import Engine
from ..recordlog import RecordLog
from ..results import Measurement
from ..transport import open_transport
from ..transport.serial import DEFAULT_BAUD

FASTEST_FIRST = (
    Engine.FASTPATH,
    Engine.ACCELERATOR,
    Engine.ISE_VMEM,
    Engine.ISE_FUSED,
    Engine.ISE,
    Engine.ZKN,
    Engine.TABLE,
    Engine.BYTE,
)
NETWORK = (
    "Over a network, key, token and data of a session cross in the clear, and whoever can send there can pretend to be "
    "host or board: use a cable or a network of your own until there are authenticated sessions."
)
ENGINE_NAMES = tuple(engine.name.lower() for engine in Engine)


def add_link_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which board and how to report."""
    parser.add_argument(
        "--port",
        default=os.environ.get("CIPHERLANE_PORT"),
        help="serial device, udp://host[:port], socket://host:port, or sim[:folder] (UART) or sim+udp[:folder] "
        "(Ethernet) to start the simulated board, by default that of $CIPHERLANE_SIM or $CIPHERLANE_SIM_ETH or of the "
        "checkout (default: $CIPHERLANE_PORT)",
    )
    parser.add_argument("--baud", type=int, default=DEFAULT_BAUD, help="bits a second (default: %(default)s)")
    parser.add_argument("--timeout", type=_seconds, help="seconds to wait for each reply (default: from the link)")
    parser.add_argument(
        "--log", metavar="FILE", help="write each record sent and received as a line of JSON, keys and data left out"
    )
    parser.add_argument("--json", action="store_true", help="print JSON on standard output and nothing else there")


def add_results_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that keeps the figures."""
    parser.add_argument("--results", metavar="FILE", help="write the figures as JSON to FILE")


def write_results(
    args: argparse.Namespace, measurements: Iterable[Measurement | LinkMeasurement], device: Device
) -> list[dict[str, Any]]:
    """Return the measurements of `device` as records, and write them where `args` says."""
    records = [item.record() for item in measurements]
    if args.results:
        info = device.info()
        results.write(
            Path(args.results),
            {"records": records},
            command=shlex.join(["cipherlane", *map(str, args.argv)]),
            board=info.board,
            configuration={"firmware": f"{info.firmware} {info.firmware_version}", "clock_hz": info.clock_hz},
            tools=device.link.transport.tools,
        )
    return records


def open_device(args: argparse.Namespace) -> Device:
    """Return the device that `args` name, to be used as a context manager."""
    log = RecordLog(args.log) if args.log else None
    return Device(open_transport(args.port, args.baud), args.timeout, log)


def choose_engine(device: Device, name: str | None) -> Engine:
    """Return the engine called `name`, by default the fastest present.

    Raises:
        ArgumentError: the board lacks it.
    """
    present = device.info().engines
    if not present:
        raise ArgumentError("the board has no engine: flash current firmware")
    engine = Engine[name.upper()] if name else min(present, key=FASTEST_FIRST.index)
    if engine not in present:
        names = ", ".join(item.name.lower() for item in present)
        raise ArgumentError(f"the board has no engine {name}: choose one of {names}")
    return engine


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < 86400:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds above 0")
    return value
