"""Chooses the transport that a port name stands for."""

from ..errors import PortError
from .base import Transport
from .serial import DEFAULT_BAUD, SerialTransport
from .sim import SimTransport


def open_transport(port: str | None, baud: int = DEFAULT_BAUD) -> Transport:
    """Open `port`: `sim`, a serial device, or a URL of pyserial such as `socket://host:port`.

    Raises:
        PortError: no port is named, or it cannot be opened.
    """
    if not port:
        raise PortError("no port named: use --port (a serial device, socket://host:port or sim) or CIPHERLANE_PORT")
    return SimTransport() if port == "sim" else SerialTransport(port, baud)
