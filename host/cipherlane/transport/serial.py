# SPDX-License-Identifier: BSD-2-Clause
"""Sends and receives records over a byte stream: TCP, RFC 2217, or a device or URL that pyserial can open.

pyserial is imported only when one of its ports is opened, because it does not work on every system.
"""

import contextlib
import errno
from collections import deque
from typing import Any

from cipherlane_base.wire import layout

from ..clock import REAL, Clock
from ..errors import PortError
from ..protocol.framing import DELIMITER, FrameParser, FramingCounters, frame, frame_size
from . import tcp
from .base import HARDWARE, SIMULATED, Transport

DEFAULT_BAUD = 1_000_000
# Exceptions to expect from ports. pyserial does not replace `termios.error` by an exception of its own.
_FAULTS: tuple[type[Exception], ...] = (OSError,)
with contextlib.suppress(ImportError):
    import termios

    _FAULTS = (OSError, termios.error)
_MAX_RECORD = layout.HEADER.size + 0xFFFF


class SerialTransport(Transport):
    """Sends and receives records in COBS frames with CRC-32. A serial port is opened for exclusive use."""

    ordered = True

    def __init__(self, url: str, baud: int = DEFAULT_BAUD, clock: Clock = REAL, port: Any = None):
        """Open `url` at `baud` bits per second, or use the open pyserial-like object `port`. All waits use `clock`.

        Raises:
            PortError: the port is absent, busy, or not a serial port.
        """
        self.url = url
        self.clock = clock
        # A socket can lead to a simulated board. Use long time-outs until the board's info record shows its kind.
        self.pace = SIMULATED if "://" in url else HARDWARE
        if not url.startswith(f"{tcp.SCHEME}:"):
            self.advice = "check the board's power, cable, --port and --baud"
        self._parser = FrameParser(_MAX_RECORD)
        self._ready: deque[bytes] = deque()
        try:
            self._port = port or _open(url, baud, self.write_timeout)
        except Exception as error:  # pyserial's URL handlers can raise any exception
            raise PortError(_reason(url, error)) from error

    @property
    def counters(self) -> FramingCounters:
        """The counters of the frame parser."""
        return self._parser.counters

    def send(self, record: bytes) -> None:
        """Send `record` as one frame."""
        self._write(frame(record))

    def resync(self) -> None:
        """Send a zero byte, which ends any incomplete frame."""
        self._write(DELIMITER)

    def send_break(self) -> None:
        """Send a break after the bytes already sent: hold the line low for longer than any byte does.

        On `socket://`, urgent data stand for a break; the simulated board treats them as one.
        """
        try:
            self._port.send_break()
        except _FAULTS as error:
            raise PortError(f"port {self.url} sends no break: {error}; check the board and its cable") from error

    def receive(self, timeout: float) -> bytes | None:
        """Return the next record with a correct CRC, or None after `timeout` seconds."""
        deadline = self.clock.now() + timeout
        while not self._ready:
            self._ready.extend(self._parser.feed(self._read(max(0.0, deadline - self.clock.now()))))
            if self.clock.now() >= deadline:
                break
        return self._ready.popleft() if self._ready else None

    def wire_size(self, record_size: int) -> int:
        """Return the maximum size of the frame of a record of `record_size` bytes."""
        return frame_size(record_size)

    def strays(self) -> int:
        """Return the number of bytes in dropped frames and in an incomplete frame."""
        return self._parser.pending + self.counters.dropped_bytes

    def close(self) -> None:
        """Close the port."""
        with contextlib.suppress(*_FAULTS):
            self._port.close()

    def _write(self, data: bytes) -> None:
        try:
            if self._port.write_timeout != self.write_timeout:
                self._port.write_timeout = self.write_timeout
            self._port.write(data)
        except _FAULTS as error:
            raise PortError(f"port {self.url} failed while sending: {error}; check the board and its cable") from error

    def _read(self, timeout: float) -> bytes:
        try:
            self._port.timeout = timeout
            data: bytes = self._port.read(1)
            if data:
                self._port.timeout = 0
                data += self._port.read(65536)
            return data
        except _FAULTS as error:
            raise PortError(f"port {self.url} went away: {error}; check the board and its cable") from error


def _open(url: str, baud: int, write_timeout: float) -> Any:
    if url.startswith(f"{tcp.SCHEME}:"):
        return tcp.TcpPort(url)
    if url.startswith("rfc2217:"):
        from . import rfc2217

        return rfc2217.open_port(url, baud)
    import serial

    exclusive = None if "://" in url else True
    return serial.serial_for_url(url, baudrate=baud, timeout=0, write_timeout=write_timeout, exclusive=exclusive)


def _reason(url: str, error: Exception) -> str:
    """Return why a port could not be opened. On Windows, only the text of pyserial's error gives the reason."""
    number, text = getattr(error, "errno", None), str(error)
    if isinstance(error, ImportError):
        return f"serial ports such as {url} need what this system lacks ({text}): name udp://host or socket://host:port"
    if number in (errno.EBUSY, errno.EAGAIN) or "exclusively lock" in text or "PermissionError" in text:
        return f"port {url} is busy: close the other program that uses it"
    if number == errno.ENOENT or "FileNotFoundError" in text:
        return f"no port {url}: connect the board, or name its port with --port (`cipherlane find` lists them)"
    if number == errno.EACCES:
        return f"no permission to open port {url}: add yourself to its group (often dialout)"
    if number == errno.ECONNREFUSED or "refused" in text:
        return f"nothing listens at {url}: start the board or the simulated board first"
    if "does not seem to support RFC2217" in text:
        return f"the server at {url} does not speak RFC 2217: if it passes bytes on, name it socket://host:port"
    ways = "a serial device, socket://host:port, rfc2217://host:port or sim"
    return f"cannot open port {url}: {error}; name {ways} with --port"
