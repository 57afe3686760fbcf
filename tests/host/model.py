# SPDX-License-Identifier: BSD-2-Clause
"""A model of the board, written from the documentation of the records and independently of the tool. OpenSSL computes
AES.

From the host package it uses only the data in wire.toml. It implements framing again, byte by byte.
"""

import random
import socket
import struct
import threading
import zlib

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.cmac import CMAC

from tests.waiting import HANG_S

from .blocks import BLOCKS, WIRE, Entry, Refusal, Window

CODES = {record["name"]: record["code"] for record in WIRE["record"]}
NAMES = {code: name for name, code in CODES.items()}
ENGINES = {engine["name"]: engine["code"] for engine in WIRE["engine"]}
HEADER = struct.Struct("<BBHIQQ")  # a record's header: version, type, length, session, offset, token
OPEN = struct.Struct("<HBBIQIIQ16s32s")
BENCH = struct.Struct("<BBHIII")
MAC = struct.Struct("<II16s")
OPENED = struct.Struct("<16sQQII")  # reply to `open`: iv, ticket, first, window, reserved
RESUME, DRAW, GCM = 1, 2, 4
CYCLES_PER_BLOCK = 40
KEY_CYCLES = 100


class PeerBoard:
    """A model board that answers records one by one. For tests, `seen` lists the names of the records received."""

    def __init__(
        self,
        version=WIRE["version"],
        kind=0,
        max_data=1024,
        rx_window=2048,
        max_sessions=2,
        magic=b"CLNE",
        window=32,
        ranges=64,
        name=b"model",
        firmware=b"peer",
    ):
        self.version = version
        self.kind = kind
        self.max_data = max_data
        self.rx_window = rx_window
        self.max_sessions = max_sessions
        self.magic = magic
        self.window = window
        self.ranges = ranges
        self.name = name
        self.firmware = firmware
        self.build_id = bytes(range(16))
        self.clock_hz = 75_000_000
        self.engines = 0b1111
        self.gcm_engines = 0b1111
        self.bench_bytes = 4096
        self.bench_part = 1 << 30  # maximum bytes that one benchmark request processes
        self.random = random.Random(1)  # the board's random source; None if the source fails its health test
        self.entries = []  # all ranges of counter blocks since power-on
        self.seen = []
        self.next_session = 1
        self.fail_after = None  # number of data records after which the engine reports a fault
        self.selftest_failures = 0

    @property
    def sessions(self):
        return {entry.session: entry for entry in self.entries if entry.session}

    def end_sessions(self):
        """End all sessions, as a board ends sessions that were idle for a long time."""
        for entry in self.sessions.values():
            self._end(entry)

    def power_cycle(self):
        """Delete all ranges of counter blocks and all sessions, as a power cycle does."""
        self.entries.clear()

    def _end(self, entry):
        entry.end()
        if not entry.used:
            self.entries.remove(entry)

    def answer(self, record, peer=None):
        version, kind, length, session, offset, token = HEADER.unpack_from(record)
        data = record[HEADER.size :]
        assert len(data) == length
        self.seen.append(NAMES.get(kind, hex(kind)))
        self.peer = peer
        try:
            if version != self.version:
                raise Refusal("version", self.version)
            if kind not in NAMES or not hasattr(self, "_" + NAMES[kind]):
                raise Refusal("type", kind)
            session, reply = getattr(self, "_" + NAMES[kind])(session, offset, token, data)
            kind |= 0x80
        except Refusal as refusal:
            reply = struct.pack("<HBBI", refusal.code, kind, 0, refusal.detail)
            kind = WIRE["error"]["code"]
        return HEADER.pack(self.version, kind, len(reply), session, offset, token) + reply

    def _find(self, session, token):
        entry = self.sessions.get(session)
        if entry is None or (entry.token, entry.peer) != (token, self.peer):
            raise Refusal("session")
        return entry

    def _info(self, session, offset, token, data):
        fields = struct.pack(
            "<4sBBHIIIIIHHII16s16s16s",
            self.magic,
            self.kind,
            self.max_sessions,
            self.max_data,
            0x010203,
            self.clock_hz,
            self.rx_window,
            self.engines,
            self.bench_bytes,
            self.ranges,
            self.ranges - self._held(),
            0b11 if self.gcm_engines else 0b01,
            self.gcm_engines,
            self.name,
            self.firmware,
            self.build_id,
        )
        return session, fields

    def _held(self):
        """Return the number of used entries in the table of ranges. Adjoining ended ranges of a key share an entry."""
        merged = set()
        for entry in self.entries:
            start, count = entry.range()
            merged.add((entry.key, entry.gcm, (start + count) % BLOCKS))
        ended = [entry for entry in self.entries if not entry.session]
        return len(self.entries) - sum((entry.key, entry.gcm, entry.start) in merged for entry in ended)

    def _reset(self, session, offset, token, data):
        for entry in self.sessions.values():
            if (entry.token, entry.peer) == (token, self.peer):
                self._end(entry)
        return 0, b""

    def _open(self, session, offset, token, data):
        key_bits, engine, direction, flags, length, record_bytes, _, ticket, iv, key = OPEN.unpack(data)
        for number, entry in self.sessions.items():
            if (entry.token, entry.peer, entry.request) == (token, self.peer, data):
                return number, entry.opened
        if key_bits not in (128, 192, 256):
            raise Refusal("key_bits", key_bits)
        if engine not in ENGINES.values():
            raise Refusal("engine", engine)
        gcm = bool(flags & GCM)
        if direction > 1 or flags > 7 or not (length > 0 or gcm) or length > 1 << 36:
            raise Refusal("value", direction)
        if gcm and not self.gcm_engines >> engine & 1:
            raise Refusal("engine", engine)
        if record_bytes % 16 or not 0 < record_bytes <= 1472 - 16 * gcm:
            raise Refusal("value", record_bytes)
        if gcm and (length > record_bytes << 30 or (iv[8:] != bytes(8) and not flags & DRAW)):
            raise Refusal("value")
        if len(self.sessions) >= self.max_sessions:
            raise Refusal("sessions_full", self.max_sessions)
        key = key[: key_bits // 8]
        entry = self._resumed(ticket, key, iv, record_bytes, gcm) if flags & RESUME else None
        if entry is None:
            if flags & DRAW:
                if self.random is None:
                    raise Refusal("random", 1)
                drawn = self.random.randbytes(8 if gcm else 12)
                iv = bytes(a ^ b for a, b in zip(drawn, iv, strict=False)).ljust(16, b"\0")
            fresh = random.Random(len(self.seen)).getrandbits(64)
            entry = Entry(
                fresh, key, iv, record_bytes, Window(64 if engine == ENGINES["fastpath"] else self.window), gcm
            )
        wanted = Entry(0, key, iv, record_bytes, None, gcm)
        wanted.session, wanted.length = True, length
        if any(wanted.overlaps(other) for other in self.entries if other is not entry and other.key == key):
            raise Refusal("reused")
        if entry not in self.entries:
            if self._held() >= self.ranges:
                raise Refusal("ranges_full", self.ranges)
            self.entries.append(entry)
        entry.session, self.next_session = self.next_session, self.next_session + 1
        entry.token, entry.peer, entry.request, entry.length = token, self.peer, data, length
        entry.direction = direction
        entry.bytes = entry.blocks = entry.records = entry.tag_errors = 0
        entry.opened = OPENED.pack(iv, entry.ticket, entry.window.first * record_bytes, entry.window.size, 0)
        return entry.session, entry.opened

    def _resumed(self, ticket, key, iv, record_bytes, gcm):
        wanted = ticket, key, iv, record_bytes, gcm
        for entry in self.entries:
            if (entry.ticket, entry.key, entry.iv, entry.record_bytes, entry.gcm) == wanted:
                if entry.session:
                    self._end(entry)
                if entry in self.entries:
                    return entry
        raise Refusal("ticket")

    def _data(self, session, offset, token, data):
        entry = self._find(session, token)
        if len(data) > self.max_data:
            raise Refusal("length", self.max_data)
        if entry.gcm:
            return self._message(entry, offset, data, last=False)
        size = entry.record_bytes
        if offset % size or len(data) > size or offset + len(data) > entry.length:
            raise Refusal("offset", size)
        if self.fail_after is not None:
            if self.fail_after == 0:
                raise Refusal("hardware", 7)
            self.fail_after -= 1
        entry.window.accept(offset // size, data)
        block = (entry.start + offset // 16) % BLOCKS
        entry.bytes += len(data)
        entry.blocks += (len(data) + 15) // 16
        entry.records += 1
        stream = Cipher(algorithms.AES(entry.key), modes.CTR(block.to_bytes(16, "big"))).encryptor()
        return session, stream.update(data)

    def _data_last(self, session, offset, token, data):
        entry = self._find(session, token)
        if len(data) > self.max_data:
            raise Refusal("length", self.max_data)
        if not entry.gcm:
            raise Refusal("type", CODES["data_last"])
        return self._message(entry, offset, data, last=True)

    def _message(self, entry, offset, data, last):
        """Process a data record of a GCM session."""
        size = entry.record_bytes
        number = offset // size
        tag = 16 * entry.direction
        text = len(data) - tag
        if offset % size or text > size or offset + text > entry.length:
            raise Refusal("offset", size)
        least = (number > 0) if last else size
        if text < least:
            raise Refusal("length", least + tag)
        if entry.last is None:
            fits = number > entry.window.highest or not last
        else:
            fits = number < entry.last if not last else number == entry.last
        if not fits:
            raise Refusal("offset", size)
        if self.fail_after is not None:
            if self.fail_after == 0:
                raise Refusal("hardware", 7)
            self.fail_after -= 1
        entry.window.judge(number, data)
        header = b"CLGC" + bytes([1, len(entry.key)]) + (size // 16).to_bytes(2, "big") + entry.iv[:8]
        cipher, nonce = AESGCM(entry.key), entry.iv[:8] + (2 * number + last).to_bytes(4, "big")
        try:
            data_out = (cipher.decrypt if entry.direction else cipher.encrypt)(nonce, data, header)
        except InvalidTag:
            entry.tag_errors += 1
            raise Refusal("tag", entry.tag_errors) from None
        entry.window.accept(number, data)
        entry.last = number if last else entry.last
        entry.bytes += text
        entry.blocks += (text + 15) // 16
        entry.records += 1
        return entry.session, data_out

    def _close(self, session, offset, token, data):
        if session in self.sessions:
            self._end(self._find(session, token))
        return session, b""

    def _stat(self, session, offset, token, data):
        entry = self._find(session, token)
        cycles = entry.blocks * CYCLES_PER_BLOCK
        return session, struct.pack(
            "<QQQQII", entry.bytes, entry.blocks, cycles, KEY_CYCLES, entry.records, entry.tag_errors
        )

    def _alone(self):
        others = sum(entry.peer != self.peer for entry in self.sessions.values())
        if others:
            raise Refusal("busy", others)

    def _bench(self, session, offset, token, data):
        engine, direction, key_bits, record_bytes, total, mode = BENCH.unpack(data)
        if key_bits not in (128, 192, 256):
            raise Refusal("key_bits", key_bits)
        if direction > 1 or mode > 1 or not 0 < record_bytes <= self.bench_bytes:
            raise Refusal("value", record_bytes)
        self._alone()
        done = min(total, self.bench_part)
        blocks = (done + 15) // 16
        return session, struct.pack("<QQQQ", done, blocks, blocks * CYCLES_PER_BLOCK * max(1, 5 - engine), KEY_CYCLES)

    def _selftest(self, session, offset, token, data):
        engine, mode = struct.unpack("<II", data)
        if not self.engines >> engine & 1:
            raise Refusal("engine", engine)
        if mode > 1:
            raise Refusal("value", mode)
        self._alone()
        return session, struct.pack("<III", 12, self.selftest_failures if engine == ENGINES["ise"] else 0, 0)

    def _counters(self, session, offset, token, data):
        return session, struct.pack("<IIIIII", len(self.seen), 1, 2, 3, 4, 5)

    def _network(self, session, offset, token, data):
        raise Refusal("type", CODES["network"])

    _fastpath = _network

    def _loader(self, session, offset, token, data):
        raise Refusal("type", CODES["loader"])

    _load_begin = _load_data = _load_start = _loader

    def _mac(self, session, offset, token, data):
        """Compute the CMAC (authentication code) of a message. In a request for subkey 2, the host has padded the
        message. Remove the host's padding first, because OpenSSL pads messages itself.
        """
        engine, subkey, key = MAC.unpack_from(data)
        assert self.engines >> engine & 1 and subkey in (1, 2)
        message = data[MAC.size :]
        if subkey == 2:
            message, one, _ = message.rpartition(b"\x80")
            assert one and len(message) + 16 > len(data) - MAC.size
        cmac = CMAC(algorithms.AES(key))
        cmac.update(message)
        return session, cmac.finalize()


def stuff(data):
    """Encode `data` by COBS as the paper defines it: each group is a length code and the bytes before the next zero."""
    out, group = bytearray(), bytearray()
    for byte in data:
        if byte:
            group.append(byte)
            if len(group) == 254:
                out += b"\xff" + group
                group.clear()
        else:
            out += bytes([len(group) + 1]) + group
            group.clear()
    return bytes(out + bytes([len(group) + 1]) + group)


def unstuff(data):
    """Decode `data` by COBS; return None if it is invalid."""
    out = bytearray()
    while data:
        code, group, data = data[0], data[1 : data[0]], data[data[0] :]
        if len(group) != code - 1:
            return None
        out += group
        if code != 255 and data:
            out.append(0)
    return bytes(out)


def to_frame(record):
    return stuff(record + struct.pack("<I", zlib.crc32(record))) + b"\0"


def from_frame(frame):
    """Return the record in a frame (given without its terminating zero), or None if it is invalid."""
    payload = unstuff(frame)
    if payload is None or len(payload) < 5 or struct.unpack("<I", payload[-4:])[0] != zlib.crc32(payload[:-4]):
        return None
    return payload[:-4]


class SocketBoard(threading.Thread):
    """Serves a model board on a TCP port to one client after the other; a context manager.

    If `most` is not None, the board answers that many more data records and loses the rest. `mangle` maps each received
    frame (without its zero) to the frame that the board sees. The board sends `noise` in answer to anything that is not
    a record.
    """

    most = None

    def __init__(self, board, port=0, mangle=None, noise=b""):
        super().__init__(daemon=True)
        self.board = board
        self.mangle = mangle or (lambda frame: frame)
        self.noise = noise
        self._server = socket.create_server(("127.0.0.1", port))
        self._server.settimeout(0.1)
        self._stopping = threading.Event()
        self.overrun = 0

    @property
    def url(self):
        return f"socket://127.0.0.1:{self._server.getsockname()[1]}"

    def run(self):
        while not self._stopping.is_set():
            try:
                client, _ = self._server.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            with client:
                try:
                    self._serve(client)
                except OSError:
                    continue

    def _serve(self, client):
        client.settimeout(0.1)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        waiting = b""
        while not self._stopping.is_set():
            try:
                piece = client.recv(65536)
            except TimeoutError:
                continue
            if not piece:
                return
            waiting += piece
            while b"\0" in waiting:
                self.overrun = max(self.overrun, len(waiting))
                frame, waiting = waiting.split(b"\0", 1)
                record = from_frame(self.mangle(frame)) if frame else None
                if frame and record is None:
                    client.sendall(self.noise)
                if record is not None and len(record) >= HEADER.size and not self._loses(record):
                    client.sendall(to_frame(self.board.answer(record)))

    def _loses(self, record):
        if record[1] != CODES["data"] or self.most is None:
            return False
        self.most -= self.most > 0
        return not self.most

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self._stopping.set()
        self._server.close()
        self.join(HANG_S)
        assert not self.is_alive()
