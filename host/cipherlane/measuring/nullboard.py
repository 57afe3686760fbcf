# SPDX-License-Identifier: BSD-2-Clause
"""The null board: a program that answers records over UDP on this machine. It shows the host's own speed limit.

With the engine `table`, it encrypts with the package `cryptography`, in CTR or GCM, and enforces the rules of counter
blocks: ranges, windows, tickets. As an echo, it supports only CTR and returns data records unchanged, without checking
token, window or checksum, so that nearly all the measured time is the client's. Of echoed records that arrive together
it reads only the last one, to know how much of a range was used. It never closes an idle session.
"""

import secrets
import socket
import struct
import time
from dataclasses import dataclass
from typing import Any

from cipherlane_base.wire import layout
from cipherlane_base.wire.layout import BLOCK, ERROR_TYPE, REPLY, Engine, ErrorCode, Kind, Mode, OpenFlag, RecordType

from ..errors import PortError, VerifyError, VersionMismatchError
from ..link.counterblocks import MOST_STREAM
from ..protocol import records
from ..protocol.records import Record
from ..transport.udp import SLOT, Datagrams
from . import nullranges

MAX_DATA = 1440
SLOTS = 256
MAX_SESSIONS = 255
CLOCK_HZ = 1_000_000_000  # clock in Hz: one cycle of the null board is one nanosecond of time.perf_counter_ns
_TYPE = 1  # offset of the type field in a record
_TAG = 16  # bytes of a GCM tag
_PREFIX = 8  # bytes of the nonce prefix
_GCM_RECORDS = 1 << 30  # maximum number of records of a GCM stream
_BENCH_BYTES = 1 << 20
_BENCH_NS = 5_000_000  # longest time in nanoseconds that one benchmark request takes

Address = tuple[str, int]


class _Refusal(Exception):
    def __init__(self, code: int, detail: int = 0):
        super().__init__(code)
        self.code = code
        self.detail = detail


@dataclass
class _Session:
    """An open session: its client (`owner`), its parameters and its counters."""

    owner: tuple[Address, int]
    request: bytes
    number: int
    key: bytes
    iv: int
    length: int
    range: nullranges.Range
    decrypt: bool
    opened: bytes
    bytes: int = 0
    blocks: int = 0
    cycles: int = 0
    records: int = 0
    tag_errors: int = 0


class NullBoard:
    """A board in software, which is reached through a UDP socket. The method `serve` answers records."""

    def __init__(self, host: str = "127.0.0.1", port: int = layout.UDP_PORT, echo: bool = False):
        """Listen at `host` and `port`; port 0 selects any free port. If `echo` is true, send data back unchanged.

        Raises:
            PortError: the address is in use or does not belong to this machine.
            VerifyError: the package `cryptography` is missing.
        """
        self.echo = echo
        if not echo:
            _cipher(bytes(16), 0)
        listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            listener.bind((host, port))
        except (
            OSError,
            UnicodeError,
            TypeError,
            LookupError,
        ) as error:  # a malformed host name raises UnicodeError, TypeError or LookupError
            listener.close()
            reason = getattr(error, "strerror", None) or "it is not a host name"
            raise PortError(f"cannot listen at udp://{host}:{port}: {reason}; choose another port") from error
        self._datagrams = Datagrams(listener)
        self.url = "udp://{}:{}".format(*listener.getsockname())
        self._sessions: dict[int, _Session] = {}
        self._ranges = nullranges.Ranges()
        self._last_session = 0
        self._received = self._rejected = self._opened = 0

    def serve(self, seconds: float) -> None:
        """Answer the records that arrive within `seconds`."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self.serve_once(min(left, 1.0))

    def serve_once(self, timeout: float) -> None:
        """Answer the records that have arrived, or that arrive within `timeout` seconds."""
        arrived = self._datagrams.receive(timeout)
        if arrived is None:
            return
        data, size, address = arrived
        if self.echo and size and len(set(data[_TYPE::size])) == 1 and data[_TYPE] == RecordType.DATA:
            answer = bytearray(data)
            answer[_TYPE::size] = bytes((RecordType.DATA | REPLY,)) * -(-len(data) // size)
            self._datagrams.send_run(answer, size, address)
            self._note(data[(len(data) - 1) // size * size :])
            return
        records = [data[start : start + size] for start in range(0, len(data), size)] if size else []
        self._datagrams.send([reply for record in records if (reply := self.answer(record, address))], address)

    def _note(self, raw: bytes) -> None:
        """Mark the session's counter blocks up to the end of `raw` as used. `raw` is a data record that was echoed."""
        if len(raw) >= layout.HEADER.size:
            header = layout.HEADER.unpack(raw)
            if session := self._sessions.get(header.session):
                session.range.highest = max(session.range.highest, header.offset // session.range.record_bytes)

    def close(self) -> None:
        """Close the null board's socket."""
        self._datagrams.close()

    def answer(self, raw: bytes, address: Address) -> bytes | None:
        """Return the reply to a record from `address`; None if the record is dropped."""
        try:
            record = records.decode(raw)
        except (VersionMismatchError, ValueError):
            return None
        if record.type & REPLY:
            return None
        self._received += 1
        session = record.session
        try:
            handler = getattr(self, f"_{RecordType(record.type).name.lower()}", None)
            if handler is None:
                raise _Refusal(ErrorCode.TYPE, record.type)
            session, data = handler(record, address)
            kind = record.type | REPLY
        except ValueError:
            kind, data = ERROR_TYPE, self._refuse(_Refusal(ErrorCode.TYPE, record.type), record)
        except _Refusal as refusal:
            kind, data = ERROR_TYPE, self._refuse(refusal, record)
        return Record(kind, session, record.offset, record.token, data).encode()

    def _refuse(self, refusal: _Refusal, record: Record) -> bytes:
        self._rejected += 1
        return layout.ERROR.pack(code=refusal.code, request=record.type, reserved=0, detail=refusal.detail)

    def _own(self, record: Record, address: Address) -> _Session:
        session = self._sessions.get(record.session)
        if session is None or session.owner != (address, record.token):
            raise _Refusal(ErrorCode.SESSION)
        return session

    def _info(self, record: Record, address: Address) -> tuple[int, bytes]:
        return 0, _reply(
            RecordType.INFO,
            magic=layout.INFO_MAGIC,
            kind=Kind.NULL,
            max_sessions=MAX_SESSIONS,
            max_data=MAX_DATA,
            firmware_version=1 << 16,
            clock_hz=CLOCK_HZ,
            rx_window=SLOTS * SLOT,
            engines=1 << Engine.TABLE,
            bench_bytes=_BENCH_BYTES,
            ranges=nullranges.RANGES,
            ranges_free=self._ranges.free,
            modes=1 << Mode.CTR | (not self.echo) << Mode.GCM,
            gcm_engines=(not self.echo) << Engine.TABLE,
            board=b"null",
            firmware=b"echo" if self.echo else b"cryptography",
            build_id=bytes(16),
        )

    def _reset(self, record: Record, address: Address) -> tuple[int, bytes]:
        for session in [each for each in self._sessions.values() if each.owner == (address, record.token)]:
            self._end(session)
        return 0, b""

    def _end(self, session: _Session) -> None:
        del self._sessions[session.number]
        self._ranges.close(session.range)

    def _open(self, record: Record, address: Address) -> tuple[int, bytes]:
        table = layout.REQUESTS[RecordType.OPEN]
        if len(record.data) != table.size:
            raise _Refusal(ErrorCode.LENGTH, table.size)
        request = table.unpack(record.data)
        owner = (address, record.token)
        for number, session in self._sessions.items():
            if session.owner == owner and session.request == record.data:
                return number, session.opened
        if request.key_bits not in (128, 192, 256):
            raise _Refusal(ErrorCode.KEY_BITS, request.key_bits)
        if request.engine != Engine.TABLE:
            raise _Refusal(ErrorCode.ENGINE, request.engine)
        gcm, draw = (bool(request.flags & flag) for flag in (OpenFlag.GCM, OpenFlag.DRAW))
        if request.flags >= 2 * OpenFlag.GCM or (gcm and self.echo):
            raise _Refusal(ErrorCode.VALUE, request.flags)
        if request.direction > 1 or not (0 if gcm else 1) <= request.length <= MOST_STREAM:
            raise _Refusal(ErrorCode.VALUE)
        size = request.record_bytes
        if size % BLOCK or not 0 < size <= MAX_DATA - (_TAG if gcm else 0):
            raise _Refusal(ErrorCode.VALUE, size)
        if gcm and not draw and any(request.iv[_PREFIX:]):
            raise _Refusal(ErrorCode.VALUE)
        blocks = -(-request.length // BLOCK)
        if gcm:
            count = max(1, -(-request.length // size))
            if count > _GCM_RECORDS:
                raise _Refusal(ErrorCode.VALUE)
            blocks = count * nullranges.GCM_BLOCKS
        drawn = _PREFIX if gcm else 12
        iv = secrets.token_bytes(drawn) + bytes(BLOCK - drawn) if draw else request.iv
        key, start = request.key[: request.key_bits // 8], int.from_bytes(iv, "big")
        resumed = None
        if request.flags & OpenFlag.RESUME:
            resumed = self._ranges.find(key, start, size, gcm, request.ticket)
            for session in [session for session in self._sessions.values() if session.range is resumed]:
                self._end(session)
        if len(self._sessions) >= MAX_SESSIONS:
            raise _Refusal(ErrorCode.SESSIONS_FULL, MAX_SESSIONS)
        try:
            if request.flags & OpenFlag.RESUME:
                range_ = self._ranges.resume(resumed, blocks)
            else:
                range_ = self._ranges.open(key, start, blocks, size, gcm)
        except nullranges.RangeTakenError as error:
            raise _Refusal(ErrorCode.REUSED) from error
        except nullranges.RangesFullError as error:
            raise _Refusal(ErrorCode.RANGES_FULL, nullranges.RANGES) from error
        except nullranges.TicketError as error:
            raise _Refusal(ErrorCode.TICKET) from error
        self._last_session = number = self._last_session + 1
        first = range_.first * size
        opened = _reply(RecordType.OPEN, iv=iv, ticket=range_.ticket, first=first, window=nullranges.WINDOW, reserved=0)
        self._sessions[number] = _Session(
            owner, record.data, number, key, start, request.length, range_, bool(request.direction), opened
        )
        self._opened += 1
        return number, opened

    def _data(self, record: Record, address: Address, last: bool = False) -> tuple[int, bytes]:
        session = self._own(record, address)
        data, size = record.data, session.range.record_bytes
        number, rest = divmod(record.offset, size)
        gcm = session.range.gcm
        text = len(data) - (_TAG if gcm and session.decrypt else 0)  # bytes of plaintext
        if last and not gcm:
            raise _Refusal(ErrorCode.TYPE, record.type)
        if rest or text > size or record.offset + text > session.length:
            raise _Refusal(ErrorCode.OFFSET, size)
        least = size if not last else 1 if number else 0
        if gcm and text < least:
            raise _Refusal(ErrorCode.LENGTH, least + len(data) - text)
        start = time.perf_counter_ns()
        if not self.echo:
            try:
                if gcm:
                    data = self._message(session, number, data, last)
                elif not session.range.accept(number, data):
                    raise _Refusal(ErrorCode.OTHER_DATA)
                else:
                    data = _cipher(session.key, session.iv + record.offset // BLOCK).update(data)
            except IndexError as error:
                raise _Refusal(ErrorCode.WINDOW, nullranges.WINDOW) from error
        session.cycles += time.perf_counter_ns() - start
        session.bytes += text
        session.blocks += -(-text // BLOCK)
        session.records += 1
        return record.session, data

    def _data_last(self, record: Record, address: Address) -> tuple[int, bytes]:
        return self._data(record, address, last=True)

    def _message(self, session: _Session, number: int, data: bytes, last: bool) -> bytes:
        """Return the result for record `number` of a GCM session: the ciphertext with its tag, or the plaintext."""
        if not session.range.may_end(number, last):
            raise _Refusal(ErrorCode.OFFSET, session.range.record_bytes)
        if not session.range.knows(number, data):
            raise _Refusal(ErrorCode.OTHER_DATA)
        result = _gcm(session, number, data, last)
        if result is None:
            session.tag_errors += 1
            raise _Refusal(ErrorCode.TAG, session.tag_errors)
        session.range.accept(number, data)
        if last:
            session.range.last = number
        return result

    def _close(self, record: Record, address: Address) -> tuple[int, bytes]:
        if record.session in self._sessions:
            self._end(self._own(record, address))
        return record.session, b""

    def _stat(self, record: Record, address: Address) -> tuple[int, bytes]:
        session = self._own(record, address)
        return record.session, _reply(
            RecordType.STAT,
            bytes=session.bytes,
            blocks=session.blocks,
            cycles=session.cycles,
            key_cycles=0,
            records=session.records,
            tag_errors=session.tag_errors,
        )

    def _bench(self, record: Record, address: Address) -> tuple[int, bytes]:
        table = layout.REQUESTS[RecordType.BENCH]
        if len(record.data) != table.size:
            raise _Refusal(ErrorCode.LENGTH, table.size)
        request = table.unpack(record.data)
        if request.engine != Engine.TABLE or request.key_bits not in (128, 192, 256):
            raise _Refusal(ErrorCode.ENGINE, request.engine)
        if self.echo or not 0 < request.record_bytes <= _BENCH_BYTES:
            raise _Refusal(ErrorCode.VALUE, request.record_bytes)
        if request.mode not in (Mode.CTR, Mode.GCM):
            raise _Refusal(ErrorCode.VALUE, request.mode)
        data = bytes(request.record_bytes)
        start = time.perf_counter_ns()
        done = 0
        while done < request.total_bytes and time.perf_counter_ns() - start < _BENCH_NS:
            size = min(len(data), request.total_bytes - done)
            key = secrets.token_bytes(request.key_bits // 8)
            if request.mode == Mode.GCM:
                _aesgcm(key).encrypt(bytes(12), data[:size], None)
            else:
                _cipher(key, done).update(data[:size])
            done += size
        cycles = time.perf_counter_ns() - start
        return 0, _reply(RecordType.BENCH, bytes=done, blocks=-(-done // BLOCK), cycles=cycles, key_cycles=0)

    def _counters(self, record: Record, address: Address) -> tuple[int, bytes]:
        return 0, _reply(
            RecordType.COUNTERS,
            received=self._received,
            framing_errors=0,
            crc_errors=0,
            length_errors=0,
            rejected=self._rejected,
            sessions_opened=self._opened,
        )


def _reply(kind: RecordType, /, **values: Any) -> bytes:
    try:
        return layout.REPLIES[kind].pack(**values)
    except struct.error as error:
        raise _Refusal(ErrorCode.VALUE) from error


def _cipher(key: bytes, block: int) -> Any:
    """Return an AES-CTR encryptor that begins with counter block `block` modulo 2^128."""
    try:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ImportError as error:
        raise VerifyError("the null board needs the package cryptography: pip install 'cipherlane[verify]'") from error
    return Cipher(algorithms.AES(key), modes.CTR((block % (1 << 128)).to_bytes(BLOCK, "big"))).encryptor()


def _gcm(session: _Session, number: int, data: bytes, last: bool) -> bytes | None:
    """Encrypt or decrypt record `number` of a session with AES-GCM; return None if the record's tag is wrong."""
    from cryptography.exceptions import InvalidTag

    prefix = session.iv.to_bytes(BLOCK, "big")[:_PREFIX]
    header = struct.pack(">4sBBH8s", b"CLGC", 1, len(session.key), session.range.record_bytes // BLOCK, prefix)
    cipher, nonce = _aesgcm(session.key), prefix + (2 * number + last).to_bytes(4, "big")
    try:
        result: bytes = (cipher.decrypt if session.decrypt else cipher.encrypt)(nonce, data, header)
    except InvalidTag:
        return None
    return result


def _aesgcm(key: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key)
