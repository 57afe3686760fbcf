"""A session: streams data through the board, and knows what the board did for it."""

from __future__ import annotations

import contextlib
import ipaddress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from .errors import CipherlaneError
from .protocol.layout import HEADER, Engine, Record, RecordType
from .results import Measurement
from .transfer import Progress, Reader, Transfer, TransferReport, Writer
from .transport.base import Address

if TYPE_CHECKING:
    from .device import Device

OPEN_FLAG_RESUME = 1
_CLOSE_ATTEMPTS = 2  # after an error


@dataclass(frozen=True)
class SessionStat:
    """What a session has done: repeated records count each time they are processed."""

    bytes: int
    blocks: int
    cycles: int
    key_cycles: int
    records: int


@dataclass(frozen=True)
class FastPath:
    """Where a board's fast path takes data records, its limits in bytes, and what it counts, by cause."""

    address: Address
    max_data: int
    rx_window: int
    counters: dict[str, int]

    @classmethod
    def from_reply(cls, reply: Any) -> FastPath:
        """Translate the fields of a fastpath reply."""
        fields = reply._asdict()
        address = str(ipaddress.IPv4Address(fields.pop("address"))), fields.pop("port")
        return cls(address, fields.pop("max_data"), fields.pop("rx_window"), fields)


class Session:
    """An open session; leaving its context closes it, whatever happened inside.

    `fast_path` says where its data records go, if not where control records do.
    """

    def __init__(self, device: Device, number: int, token: int, direction: str, fast_path: FastPath | None = None):
        """Wrap session `number` of `device`; see `Device.open_session`."""
        self.device = device
        self.number = number
        self.token = token
        self.direction = direction
        self.fast_path = fast_path
        self.closed = False

    @property
    def rx_window(self) -> int:
        """Bytes that the host may keep in flight for the session's data."""
        return (self.fast_path or self.device.info()).rx_window

    @property
    def record_bytes(self) -> int:
        """Data bytes of a full record."""
        most = self.device.record_bytes
        return min(most, self.fast_path.max_data) if self.fast_path else most

    def transfer(
        self,
        reader: Reader,
        writer: Writer,
        *,
        offset: int = 0,
        length: int | None = None,
        progress: Progress | None = None,
        record_bytes: int | None = None,
        window: int | None = None,
    ) -> TransferReport:
        """Stream `reader` to its end through the board; write the results to `writer`, strictly in order.

        Args:
            reader: has `read(n)`; its first byte is byte `offset` of the stream.
            writer: has `write(data)`.
            offset: where in the stream to begin; a multiple of 16.
            length: bytes expected in all from `offset`, where known; it makes errors exact.
            progress: called with the bytes written so far, `offset` included.
            record_bytes: data bytes of a record, a multiple of 16; by default as many as there can be.
            window: bytes in flight at most; by default as many as the board holds.

        Raises:
            TransferError: it cannot be completed; it says which bytes are missing and where to resume.
        """
        device = self.device
        record_bytes = record_bytes or self.record_bytes
        transfer = Transfer(self, reader, writer, offset, length, progress, record_bytes)
        if window is None and self.fast_path is None:
            return transfer.run()
        device.link.set_window(min(window or self.rx_window, self.rx_window), HEADER.size + record_bytes)
        try:
            return transfer.run()
        finally:
            device.reset_window()

    def stat(self) -> SessionStat:
        """Return what the board has done in this session."""
        fields: dict[str, Any] = self.device.unpack(self._exchange(RecordType.STAT))._asdict()
        fields.pop("reserved")
        return SessionStat(**fields)

    def measurement(self, engine: Engine, key: bytes, report: TransferReport, verified: bool | None) -> Measurement:
        """Ask the board what it has done, and join that with what the host saw of the transfer."""
        stat = self.stat()
        info = self.device.info()
        return Measurement(
            engine=engine.name.lower(),
            key_bits=len(key) * 8,
            direction=self.direction,
            bytes=report.bytes,
            blocks=stat.blocks,
            cycles=stat.cycles,
            key_cycles=stat.key_cycles,
            kind=info.kind,
            clock_hz=info.clock_hz,
            processed_bytes=stat.bytes,
            verified=verified,
            link_seconds=report.seconds,
            retransmissions=report.retransmissions,
        )

    def close(self, attempts: int | None = None) -> None:
        """End the session and let the board zeroize its keys; closing twice is allowed."""
        if not self.closed:
            self._exchange(RecordType.CLOSE, attempts=attempts, resync=True)
            self.closed = True

    def _exchange(self, kind: RecordType, **options: Any) -> Record:
        return self.device.exchange(Record(kind, session=self.number, token=self.token), **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        if value is None:
            self.close()
        else:  # the first error matters more than one in closing
            with contextlib.suppress(CipherlaneError):
                self.close(_CLOSE_ATTEMPTS)
