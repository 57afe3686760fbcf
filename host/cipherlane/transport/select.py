"""Chooses the transport that a port name stands for."""

from pathlib import Path

from ..errors import PortError
from .base import Transport
from .serial import DEFAULT_BAUD, SerialTransport
from .sim import SimTransport, SimUdpTransport
from .udp import SCHEME, UdpTransport

SIMULATED_PORTS = {"sim": SimTransport, "sim+udp": SimUdpTransport}


def open_transport(port: str | None, baud: int = DEFAULT_BAUD) -> Transport:
    """Open `port`.

    It is `sim` or `sim+udp`, with `:folder` for another simulated board than the checkout's, udp://host[:port], a
    serial device, or a URL such as `socket://host:port`.

    Raises:
        PortError: no port is named, or it cannot be opened.
    """
    if not port:
        raise PortError(
            "no port named: use --port (a serial device, udp://host, socket://host:port, sim or sim+udp) "
            "or CIPHERLANE_PORT"
        )
    if port.startswith(f"{SCHEME}:"):
        return UdpTransport(port)
    simulated, _, folder = port.partition(":")
    if simulated in SIMULATED_PORTS:
        return SIMULATED_PORTS[simulated](Path(folder) if folder else None)
    return SerialTransport(port, baud)
