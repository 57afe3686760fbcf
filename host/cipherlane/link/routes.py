# SPDX-License-Identifier: BSD-2-Clause
"""Finds the route to an address: this machine's source address, and the gateway from Linux's routing table."""

import ipaddress
import socket
from pathlib import Path

TABLE = Path("/proc/net/route")
_UP, _GATEWAY = 0x1, 0x2  # bits of the column Flags in the routing table


def source(host: str, port: int) -> str:
    """Return the source address of datagrams from this machine to `host`.

    Raises:
        OSError: there is no route to it.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((host, port))
        return str(probe.getsockname()[0])


def gateway(host: str, table: Path | None = None) -> str:
    """Return the gateway on the route to the IPv4 address `host`; empty if the route has no gateway or is unknown."""
    if ipaddress.IPv4Address(host).is_loopback:  # the routing table file contains no loopback routes
        return ""
    try:
        rows = [line.split() for line in (table or TABLE).read_text(encoding="ascii").splitlines()[1:]]
        wanted = int(ipaddress.IPv4Address(host))
        routes = [(_number(row[7]), -int(row[6]), int(row[3], 16), row[2], _number(row[1])) for row in rows if row]
    except (OSError, ValueError, IndexError):
        return ""
    fitting = [route for route in routes if route[2] & _UP and wanted & route[0] == route[4]]
    if not fitting:
        return ""
    _, _, flags, through, _ = max(fitting)
    return str(ipaddress.IPv4Address(_number(through))) if flags & _GATEWAY else ""


def _number(text: str) -> int:
    """Return the IPv4 address in `text` as a number. The routing table writes it in hexadecimal, last byte first."""
    return int.from_bytes(bytes.fromhex(text), "little")
