# SPDX-License-Identifier: BSD-2-Clause
"""Writes labgrid's environment file of a target, from its data file: ``python -m gateware.flow.environment ecpix5``.

`make hil` writes it into ``build/hil/<target>.yaml`` and runs the suite with it. A lab can start its own file from it.
``tests/hil/board.py`` defines the resources and drivers that it names. A board with its own bootloader has no driver
that loads it: the suite tests the contents of its flash and compares the build id.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import yaml
from cipherlane.errors import FlashError
from cipherlane.link import cables
from cipherlane.link.flashing import cable_of
from cipherlane.transport.udp import SCHEME

from .. import targets
from ..configurations import DEFAULT, Configuration
from ..description import Board, Cable
from ..targets import Target
from .firmware import REPOSITORY
from .flash import REVISION

FOLDER = REPOSITORY / "build" / "hil"
UART, UDP = "uart", "udp"
# Sizes in bytes of three transfers in tests: a normal one, a timed one, and one that the test interrupts.
_BYTES = ("data_bytes", "link_bytes", "broken_bytes")
_OF_BOARD, _OF_SIMULATED = (20001, 100000, 100000), {UART: (300, 16000, 9000), UDP: (1500, 60000, 40000)}


class EnvironmentFileError(RuntimeError):
    """No environment file can be made for the target; the message names the remedy."""


def transports(target: Target) -> tuple[str, ...]:
    """Returns the transports by which the board can be reached: UART, UDP, or both. A simulated board has only one."""
    if target.board.simulated:
        return (UDP,) if target.configuration.ethernet else (UART,)
    found = {UART: target.board.has_uart, UDP: target.configuration.ethernet is not None}
    return tuple(name for name, there in found.items() if there)


def engines(configuration: Configuration) -> list[str]:
    """Returns the names of a configuration's AES engines, as the command `info` prints them.

    Engines of other ciphers are left out.
    """
    return [
        "byte",
        "table",
        *configuration.unit_engines,
        "accelerator",
        *(["fastpath"] if configuration.ethernet else []),
    ]


def content(target: Target, build: Path, port: str = "", *, remote: bool = False, revision: str = "") -> dict[str, Any]:
    """Returns the contents of labgrid's environment file for a target.

    Parameters
    ----------
    target : Target
        Board and configuration.
    build : Path
        The folder that contains the build of each target.
    port : str
        A serial port, or `udp://` with an address, if the board's data file names another one.
    remote : bool
        Whether a place of a coordinator provides the resources, so that the file need not name them.
    revision : str
        The board's revision; empty to find it by the cable attached to this machine.

    Raises
    ------
    EnvironmentFileError
        The board's serial port or its revision is unknown.
    """
    board, ways = target.board, transports(target)
    simulated = board.simulated
    if simulated and port:
        raise EnvironmentFileError("the simulated board has no port: leave PORT out")
    if simulated:
        resources: dict[str, Any] = {"SimulatedBoard": {"directory": str(build / target.name)}}
        drivers: dict[str, Any] = {"SimulatedBoardDriver": {}, "BoardStrategy": {"title": target.title}}
    else:
        there = () if remote else cables.attached() or ()
        try:
            cable = cable_of(board, [each.usb for each in there], revision, REVISION)
        except FlashError as error:
            raise EnvironmentFileError(str(error)) from error
        resources = {} if remote else _resources(target, cable, ways, port)
        drivers = _drivers(board, cable)
    options = {
        "target": target.name,
        "kind": "sim" if simulated else "board",
        "clock_hz": target.sys_clk_freq,
        "transports": list(ways),
        "engines": engines(target.configuration),
        **dict(zip(_BYTES, _OF_SIMULATED[ways[0]] if simulated else _OF_BOARD, strict=True)),
    }
    found = {"targets": {"main": {"resources": resources, "drivers": drivers, "options": options}}}
    if not simulated:
        found["images"] = {"bitstream": str(build / target.name / "gateware" / f"{target.name}.bit")}
    return {**found, "imports": [f"tests.hil.{name}" for name in ("openfpgaloader", "board", "strategy")]}


def _resources(target: Target, cable: Cable, ways: tuple[str, ...], port: str) -> dict[str, Any]:
    """Returns labgrid's resources for a board: JTAG cable, UART and network address, as far as the board has them."""
    board, found, over_udp = target.board, {}, port.startswith(SCHEME)
    if port and (UDP if over_udp else UART) not in ways:
        raise EnvironmentFileError(f"{target.title} answers only by {' and '.join(ways)}, not at PORT={port}")
    if not board.bootloader:
        found["JtagCable"] = {"match": _match(cable.usb)}
    if UART in ways:
        found |= _serial(board, cable, "" if over_udp else port)
    if target.configuration.ethernet:
        address = port.removeprefix(f"{SCHEME}://") if over_udp else target.configuration.ethernet.ip_address
        found["BoardAddress"] = {"address": address}
    return found


def _serial(board: Board, cable: Cable, port: str) -> dict[str, Any]:
    if port:
        return {"RawSerialPort": {"port": port, "speed": board.uart_baudrate}}
    if not cable.uart_usb:
        raise EnvironmentFileError(f"the UART of {board.title} may be at any adapter: name it by PORT=/dev/ttyUSB0")
    return {"USBSerialPort": {"match": _match(cable.uart_usb), "speed": board.uart_baudrate}}


def _match(usb: str) -> dict[str, str]:
    """Returns the udev properties of a USB device given as `vendor:product` or `vendor:product/interface`."""
    identity, _, interface = usb.partition("/")
    vendor, product = identity.split(":")
    found = {"ID_VENDOR_ID": vendor, "ID_MODEL_ID": product}
    return found | ({"ID_USB_INTERFACE_NUM": interface} if interface else {})


def _drivers(board: Board, cable: Cable) -> dict[str, Any]:
    if board.bootloader:
        return {"AttachedBoardDriver": {}, "BoardStrategy": {"title": board.title, "image": "bitstream"}}
    words = dict(zip(cable.loader[::2], cable.loader[1::2], strict=True))
    options = {name.removeprefix("--"): value for name, value in words.items()}
    return {
        "OpenFPGALoaderDriver": {**options, "image": "bitstream"},
        "AttachedBoardDriver": {},
        "BoardStrategy": {"title": board.title, "part": board.part},
    }


def write(path: Path, target: Target, build: Path, port: str = "", **options: Any) -> None:
    """Writes labgrid's environment file to `path`. For the other parameters and for errors, see `content`."""
    text = yaml.safe_dump(content(target, build, port, **options), sort_keys=False, default_flow_style=None)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# {target.title}: written by `make hil {target.variables}`, anew each time.\n{text}")


def main() -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m gateware.flow.environment", description=__doc__)
    parser.add_argument("board", help="as make names it")
    parser.add_argument("configuration", nargs="?", default=DEFAULT, help="as make names it")
    parser.add_argument(
        "--port", default="", help="serial port, or udp://address (default: as the board's cable has it)"
    )
    parser.add_argument("--remote", action="store_true", help="the board is at a place of a coordinator")
    parser.add_argument("--revision", default="", help="of the board (default: by the cable attached)")
    parser.add_argument("--build", type=Path, default=REPOSITORY / "build", help="folder of the builds")
    parser.add_argument("--to", type=Path, help="file to write (default: build/hil/<target>.yaml)")
    arguments = parser.parse_args()
    try:
        target = targets.load(arguments.board, arguments.configuration)
        path = arguments.to or FOLDER / f"{target.name}.yaml"
        write(
            path,
            target,
            arguments.build.resolve(),
            arguments.port,
            remote=arguments.remote,
            revision=arguments.revision,
        )
    except (targets.UnknownTargetError, EnvironmentFileError) as error:
        print(f"hil: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
