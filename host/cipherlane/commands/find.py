# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane find`: lists this machine's serial ports, and the boards that answer on a network."""

import argparse
from dataclasses import asdict
from typing import Any

from cipherlane_base import build_id

from .. import settings, tables, views
from ..errors import NoReplyError
from ..link.discovery import Found, SerialPort, ask, boards, serial_ports
from ..transport.udp import SCHEME, parse
from . import common

_SECONDS = 2.0


def add_to(commands: Any) -> None:
    """Add the command `find` to the command-line parser."""
    parser = common.add_command(
        commands,
        "find",
        link=False,
        help="list serial ports, and boards that answer on a network",
        description="List the serial ports of this machine with their USB identity, and the boards that answer at the "
        "addresses that --network names. Serial ports are opened only with --ask, because other devices may be "
        "connected to them.",
    )
    parser.add_argument(
        "--network",
        help="network to search: 192.168.1.0/24 (each address of it), 192.168.1.50, or udp://host[:port] (default: "
        "$CIPHERLANE_NETWORK, or the host of a configured udp:// port)",
    )
    parser.add_argument(
        "--ask",
        action="store_true",
        help="send one record of the protocol to each USB serial port, and list the boards that answer",
    )
    common.add_timeout(parser, f"for answers (default: {_SECONDS:g})", default=argparse.SUPPRESS)
    common.add_json(parser, default=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """List the ports and boards."""
    ports = serial_ports()
    network = args.network
    configured = settings.value("port")[0]
    if not network and configured and configured.startswith(f"{SCHEME}:"):
        network = configured
    found: list[Found] = []
    if args.ask:
        found += ask(ports, settings.value("baud")[0], args.timeout or _SECONDS)
    if network:
        where = parse(network) if network.startswith(f"{SCHEME}:") else (network,)
        found += boards(where[0], args.timeout or _SECONDS, *where[1:])
    if args.json:
        views.show_json({"serial": [asdict(port) for port in ports], "boards": [_record(each) for each in found]})
    else:
        _show(ports, found, network, args.ask)
    if not ports and not found:
        raise NoReplyError(
            "found neither a serial port nor a board: check power and cable, or name the board's network with --network"
        )
    return 0


def _record(board: Found) -> dict[str, Any]:
    record = asdict(board)
    if board.info:
        record["info"]["engines"] = [engine.name.lower() for engine in board.info.engines]
    return record


def _may_be(port: SerialPort) -> str:
    return " or ".join(port.uart_of) or "-"


def _show(ports: list[SerialPort], found: list[Found], network: str | None, asked: bool) -> None:
    if ports:
        rows = (
            (each.port, each.usb or "-", each.serial_number or "-", each.description or "-", _may_be(each))
            for each in ports
        )
        views.show(tables.text_table(("serial port", "USB", "serial no.", "description", "may be the UART of"), rows))
    if found:
        boards_found = (
            (
                each.port,
                each.info.board,
                each.info.kind,
                f"{each.info.firmware} {each.info.firmware_version}",
                build_id.short(each.info.build_id),
            )
            if each.info
            else (each.port, "?", "?", "of another record version", "-")
            for each in found
        )
        views.show(tables.text_table(("board at", "name", "kind", "firmware", "build"), boards_found))
    elif network:
        views.show(f"no board answers at {network}")
    elif asked:
        views.show("no board answers at a serial port on USB")
    else:
        views.show("no network was searched: name one with --network; --ask searches serial ports")
