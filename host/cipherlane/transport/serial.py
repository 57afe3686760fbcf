"""Records over a byte stream: whatever pyserial opens by name or URL (a device, `socket://host:port`)."""

import contextlib
import errno
import socket
from collections import deque
from typing import Any

import serial

from ..clock import REAL, Clock
from ..errors import PortError
from ..protocol import layout
from ..protocol.framing import DELIMITER, FrameParser, frame, frame_size
from .base import HARDWARE, SIMULATED, Transport

DEFAULT_BAUD = 1_000_000
_MAX_RECORD = layout.HEADER.size + 0xFFFF


class SerialTransport(Transport):
    """Records in COBS frames with CRC-32 over a serial port, opened for this process alone."""

    ordered = True

    def __init__(self, url: str, baud: int = DEFAULT_BAUD, clock: Clock = REAL, port: Any = None):
        """Open `url` at `baud`, or use a `port` that is open and behaves like pyserial's; waits go by `clock`.

        Raises:
            PortError: the port is absent, busy, or not a serial port.
        """
        self.url = url
        self.clock = clock
        # A socket may lead to a simulated board, so that only its info record tells how patient to be.
        self.pace = SIMULATED if "://" in url else HARDWARE
        self._parser = FrameParser(_MAX_RECORD)
        self._ready: deque[bytes] = deque()
        try:
            self._port = port or serial.serial_for_url(
                url,
                baudrate=baud,
                timeout=0,
                write_timeout=self.write_timeout,
                exclusive=None if "://" in url else True,
            )
        except (serial.SerialException, OSError, ValueError) as error:
            raise PortError(_reason(url, error)) from error
        if url.startswith("socket://"):
            _send_at_once(self._port.fileno())

    @property
    def counters(self):
        """Counters of the frame parser."""
        return self._parser.counters

    def send(self, record: bytes) -> None:
        """Send `record` as one frame."""
        self._write(frame(record))

    def resync(self) -> None:
        """Send a zero byte, which ends any half frame."""
        self._write(DELIMITER)

    def receive(self, timeout: float) -> bytes | None:
        """Return the next record whose CRC is right, or None after `timeout` seconds."""
        deadline = self.clock.now() + timeout
        while not self._ready:
            self._ready.extend(self._parser.feed(self._read(max(0.0, deadline - self.clock.now()))))
            if self.clock.now() >= deadline:
                break
        return self._ready.popleft() if self._ready else None

    def wire_size(self, record_size: int) -> int:
        """Return the largest frame of a record of `record_size` bytes."""
        return frame_size(record_size)

    def strays(self) -> int:
        """Return the bytes of dropped frames and of the frame that has not ended."""
        return self._parser.pending + self.counters.dropped_bytes

    def close(self) -> None:
        """Close the port."""
        with contextlib.suppress(serial.SerialException, OSError):
            self._port.close()

    def _write(self, data: bytes) -> None:
        try:
            if self._port.write_timeout != self.write_timeout:
                self._port.write_timeout = self.write_timeout
            self._port.write(data)
        except (serial.SerialException, OSError) as error:
            raise PortError(f"port {self.url} failed while sending: {error}; check the board and its cable") from error

    def _read(self, timeout: float) -> bytes:
        try:
            self._port.timeout = timeout
            data = self._port.read(1)
            if data:
                self._port.timeout = 0
                data += self._port.read(65536)
            return data
        except (serial.SerialException, OSError) as error:
            raise PortError(f"port {self.url} went away: {error}; check the board and its cable") from error


def _send_at_once(fileno: int) -> None:
    """Send each frame when written, instead of waiting for earlier ones to be acknowledged."""
    with socket.socket(fileno=fileno) as connection:
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        finally:
            connection.detach()


def _reason(url: str, error: Exception) -> str:
    number = getattr(error, "errno", None)
    if number in (errno.EBUSY, errno.EAGAIN) or "exclusively lock" in str(error):
        return f"port {url} is busy: close the other program that uses it"
    if number == errno.ENOENT:
        return f"no port {url}: connect the board, or name its port with --port"
    if number == errno.EACCES:
        return f"no permission to open port {url}: add yourself to its group (often dialout)"
    if "refused" in str(error):
        return f"nothing listens at {url}: start the board or the simulated board first"
    return f"cannot open port {url}: {error}; name a serial device, socket://host:port or sim with --port"
