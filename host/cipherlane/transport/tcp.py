# SPDX-License-Identifier: BSD-2-Clause
"""A byte stream over TCP. It offers the pyserial methods that this package calls, but it does not use pyserial."""

import socket
from urllib.parse import urlsplit

SCHEME = "socket"
_CONNECT_TIMEOUT = 5.0  # seconds


class TcpPort:
    """A TCP connection. A read waits for at most `timeout` seconds, and a write for at most `write_timeout` seconds."""

    def __init__(self, url: str):
        """Connect to `url`, socket://host:port.

        Raises:
            ValueError: `url` is no such address.
            OSError: nothing listens there.
        """
        parts = urlsplit(url)
        if parts.scheme != SCHEME or not parts.hostname or not parts.port:
            raise ValueError("it is not socket://host:port")
        self.timeout = self.write_timeout = 0.0
        self._socket = socket.create_connection((parts.hostname, parts.port), _CONNECT_TIMEOUT)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # send each frame immediately

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes that have arrived; return no bytes if nothing arrived in time.

        Raises:
            ConnectionError: the other end has closed the connection.
        """
        self._socket.settimeout(self.timeout)
        try:
            data = self._socket.recv(size)
        except (BlockingIOError, TimeoutError):
            return b""
        if not data:
            raise ConnectionResetError("the other end has closed the connection")
        return data

    def write(self, data: bytes) -> None:
        """Send all of `data`.

        Raises:
            OSError: that fails, or takes too long.
        """
        self._socket.settimeout(self.write_timeout)
        self._socket.sendall(data)

    def send_break(self) -> None:
        """Send a byte of urgent data, which the simulated board treats as a break on the UART line.

        Raises:
            OSError: sending fails or takes too long.
        """
        self._socket.settimeout(self.write_timeout)
        self._socket.send(b"\0", socket.MSG_OOB)

    def close(self) -> None:
        """Close the connection; closing twice is allowed."""
        self._socket.close()
