"""An independent peer: a board that answers records, written from wire.toml alone, with OpenSSL for AES.

Nothing here comes from the host package but the data of wire.toml; framing is done again, byte by byte.
"""

import socket
import struct
import threading
import time
import tomllib
import zlib
from pathlib import Path

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

WIRE = tomllib.loads((Path(__file__).parents[2] / "host/cipherlane/protocol/wire.toml").read_text())
CODES = {record["name"]: record["code"] for record in WIRE["record"]}
NAMES = {code: name for name, code in CODES.items()}
ERRORS = {error["name"]: error["code"] for error in WIRE["error_code"]}
ENGINES = {engine["name"]: engine["code"] for engine in WIRE["engine"]}
HEADER = struct.Struct("<BBHIQQ")  # version, type, length, session, offset, token
OPEN = struct.Struct("<HBBI16s32s")
BENCH = struct.Struct("<BBHII")
CYCLES_PER_BLOCK = 40
KEY_CYCLES = 100


class Refusal(Exception):
    def __init__(self, name, detail=0):
        super().__init__(name)
        self.code = ERRORS[name]
        self.detail = detail


class PeerBoard:
    """Answers records one by one; keeps what a test wants to look at in `seen` (record names in order)."""

    def __init__(self, version=WIRE["version"], kind=0, max_data=1024, rx_window=2048, max_sessions=2, magic=b"CLNE"):
        self.version = version
        self.kind = kind
        self.max_data = max_data
        self.rx_window = rx_window
        self.max_sessions = max_sessions
        self.magic = magic
        self.sessions = {}
        self.used = set()
        self.seen = []
        self.next_session = 1
        self.fail_after = None  # data records after which the engine reports a fault
        self.selftest_failures = 0

    def answer(self, record):
        version, kind, length, session, offset, token = HEADER.unpack_from(record)
        data = record[HEADER.size :]
        assert len(data) == length
        self.seen.append(NAMES.get(kind, hex(kind)))
        try:
            if version != self.version:
                raise Refusal("version", self.version)
            if kind not in NAMES:
                raise Refusal("type", kind)
            session, reply = getattr(self, "_" + NAMES[kind])(session, offset, token, data)
            kind |= 0x80
        except Refusal as refusal:
            reply = struct.pack("<HBBI", refusal.code, kind, 0, refusal.detail)
            kind = WIRE["error"]["code"]
        return HEADER.pack(self.version, kind, len(reply), session, offset, token) + reply

    def _find(self, session, token):
        entry = self.sessions.get(session)
        if entry is None or entry["token"] != token:
            raise Refusal("session")
        return entry

    def _info(self, session, offset, token, data):
        fields = struct.pack(
            "<4sBBHIIIII16s16s",
            self.magic,
            self.kind,
            self.max_sessions,
            self.max_data,
            0x010203,
            75_000_000,
            self.rx_window,
            0b1111,
            4096,
            b"model",
            b"peer",
        )
        return session, fields

    def _reset(self, session, offset, token, data):
        self.sessions.clear()
        return 0, b""

    def _open(self, session, offset, token, data):
        key_bits, engine, direction, flags, iv, key = OPEN.unpack(data)
        for number, entry in self.sessions.items():
            if entry["token"] == token and entry["data"] == data:
                return number, b""
        if key_bits not in (128, 192, 256):
            raise Refusal("key_bits", key_bits)
        if engine not in ENGINES.values():
            raise Refusal("engine", engine)
        if direction > 1:
            raise Refusal("value", direction)
        if len(self.sessions) >= self.max_sessions:
            raise Refusal("sessions_full", self.max_sessions)
        key = key[: key_bits // 8]
        if direction == 0:
            if (key, iv) in self.used and not flags & 1:
                raise Refusal("reused")
            self.used.add((key, iv))
        number, self.next_session = self.next_session, self.next_session + 1
        self.sessions[number] = {
            "token": token,
            "data": data,
            "key": key,
            "iv": int.from_bytes(iv, "big"),
            "bytes": 0,
            "blocks": 0,
            "records": 0,
        }
        return number, b""

    def _data(self, session, offset, token, data):
        entry = self._find(session, token)
        if offset % 16:
            raise Refusal("offset")
        if len(data) > self.max_data:
            raise Refusal("length", self.max_data)
        if self.fail_after is not None:
            if self.fail_after == 0:
                raise Refusal("hardware", 7)
            self.fail_after -= 1
        block = (entry["iv"] + offset // 16) % (1 << 128)
        entry["bytes"] += len(data)
        entry["blocks"] += (len(data) + 15) // 16
        entry["records"] += 1
        stream = Cipher(algorithms.AES(entry["key"]), modes.CTR(block.to_bytes(16, "big"))).encryptor()
        return session, stream.update(data)

    def _close(self, session, offset, token, data):
        if session in self.sessions:
            self._find(session, token)
            del self.sessions[session]
        return session, b""

    def _stat(self, session, offset, token, data):
        entry = self._find(session, token)
        cycles = entry["blocks"] * CYCLES_PER_BLOCK
        return session, struct.pack("<QQQQII", entry["bytes"], entry["blocks"], cycles, KEY_CYCLES, entry["records"], 0)

    def _bench(self, session, offset, token, data):
        engine, direction, key_bits, record_bytes, total = BENCH.unpack(data)
        if key_bits not in (128, 192, 256):
            raise Refusal("key_bits", key_bits)
        if direction > 1 or not 0 < record_bytes <= 4096:
            raise Refusal("value", record_bytes)
        blocks = (total + 15) // 16
        return session, struct.pack("<QQQQ", total, blocks, blocks * CYCLES_PER_BLOCK * (5 - engine), KEY_CYCLES)

    def _selftest(self, session, offset, token, data):
        failures = self.selftest_failures
        return session, struct.pack("<III", 48, failures, 0b0100 if failures else 0)

    def _counters(self, session, offset, token, data):
        return session, struct.pack("<IIIIII", len(self.seen), 1, 2, 3, 4, 5)


def stuff(data):
    """COBS as its paper states it: every group is a length code and the bytes before the next zero."""
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
    """Return the bytes that `data` stands for, or None."""
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
    """Return the record in a frame without its zero, or None."""
    payload = unstuff(frame)
    if payload is None or len(payload) < 5 or struct.unpack("<I", payload[-4:])[0] != zlib.crc32(payload[:-4]):
        return None
    return payload[:-4]


class SocketBoard(threading.Thread):
    """Serves a PeerBoard on a TCP port, one client after the other; a context manager.

    `delay` is the time a record takes; `mangle` maps each received frame (without its zero) to what the board sees;
    `noise` is sent in answer to what is no record.
    """

    def __init__(self, board, port=0, delay=0.0, mangle=None, noise=b""):
        super().__init__(daemon=True)
        self.board = board
        self.delay = delay
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
                if record is not None and len(record) >= HEADER.size:
                    time.sleep(self.delay)
                    client.sendall(to_frame(self.board.answer(record)))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self._stopping.set()
        self._server.close()
        self.join(5)
        assert not self.is_alive()
