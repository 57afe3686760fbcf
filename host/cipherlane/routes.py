"""The way to an address: from which of this machine's, and by which gateway, as Linux's routing table has it."""

import ipaddress
import socket
from pathlib import Path

TABLE = Path("/proc/net/route")
_UP, _GATEWAY = 0x1, 0x2  # of its column Flags


def source(host: str, port: int) -> str:
    """Return the address that datagrams to `host` leave this machine by.

    Raises:
        OSError: there is no way to it.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((host, port))
        return str(probe.getsockname()[0])


def gateway(host: str, table: Path | None = None) -> str:
    """Return the gateway on the way to the IPv4 address `host`, empty where there is none, or the system tells none."""
    if ipaddress.IPv4Address(host).is_loopback:  # which is in another table
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
    """Of an address as the table has it: in hexadecimal, the first byte last."""
    return int.from_bytes(bytes.fromhex(text), "little")
