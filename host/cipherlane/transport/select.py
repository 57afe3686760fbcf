# SPDX-License-Identifier: BSD-2-Clause
"""Chooses the transport for a port name."""

import difflib
import re
from pathlib import Path

from ..errors import PortError
from .base import Transport
from .serial import DEFAULT_BAUD, SerialTransport
from .udp import SCHEME, UdpTransport, require_ipv4

SIMULATED_PORTS = ("sim", "sim+udp")
_HOST = re.compile(r"(localhost|[\w-]+(\.[\w-]+)+)(:\d+)?")
_OTHER_SCHEME = re.compile(r"(tcp|telnet|https?)://")
_NEAR = {"sim": "sim", "sim+udp": "sim+udp", "sim-udp": "sim+udp", "sim_eth": "sim+udp"}


def open_transport(port: str | None, baud: int = DEFAULT_BAUD) -> Transport:
    """Open the port called `port`, and return its transport.

    It is `sim` or `sim+udp`, with `:folder` for a simulated board that is not in the checkout; udp://host[:port]; a
    serial device; or a URL such as `socket://host:port`.

    Raises:
        PortError: no port is named, or it cannot be opened.
    """
    if not port:
        raise PortError(
            "no port named: use --port (a serial device, udp://host, socket://host:port, sim or sim+udp) "
            "or CIPHERLANE_PORT; `cipherlane find` lists what is there"
        )
    if port.startswith(f"{SCHEME}:"):
        return UdpTransport(port)
    require_ipv4(port)
    simulated, _, folder = port.partition(":")
    if simulated in SIMULATED_PORTS:
        from . import sim  # import only here: the module runs only on Linux

        kind = sim.SimTransport if simulated == "sim" else sim.SimUdpTransport
        return kind(Path(folder) if folder else None)
    meant = None if Path(port).exists() else suggestion(port)
    if meant:
        raise PortError(f"no port {port}: did you mean --port {meant}?")
    return SerialTransport(port, baud)


def suggestion(port: str) -> str | None:
    """`port` is an invalid port name. Return the valid name that the user probably meant, or None."""
    if _HOST.fullmatch(port):
        return f"{SCHEME}://{port}"
    if scheme := _OTHER_SCHEME.match(port):
        return f"socket://{port[scheme.end() :]}"
    if not Path(port).is_absolute() and (Path("/dev") / port).is_char_device():
        return f"/dev/{port}"
    name, colon, folder = port.partition(":")
    near = difflib.get_close_matches(name.lower(), _NEAR, 1, 0.75)
    return _NEAR[near[0]] + colon + folder if near else None
