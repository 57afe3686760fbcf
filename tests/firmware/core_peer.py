"""Builds `firmware/core` for the host with sanitizers and drives it over the pipes of `core_peer.c`."""

import hashlib
import os
import select
import shutil
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from firmware.codegen import wire
from tests.firmware import frames
from tests.waiting import HANG_S

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "firmware" / "core"
LTE = ROOT / "firmware" / "lte"
WIRE_TOML = ROOT / "host" / "cipherlane" / "protocol" / "wire.toml"
BUILD = ROOT / "build" / "tests" / "firmware"
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-g", *SANITIZERS]
# Rooms that drive hardware: its instructions and registers exist on the target alone.
TARGET_ONLY = {"accelerator", "fastpath", "random", "scalar", "vector"}

ENGINE_BYTE, ENGINE_TABLE, ENGINE_WRONG, ENGINE_FAULTY, ENGINE_SERVING = range(5)
TIMEOUT_S = 120
_SERVED = struct.Struct("<IIQQQIQQI")


class Served(NamedTuple):
    """What the engine `serving` was given: how many sessions, and the last one; `iv` is empty if there is none."""

    count: int
    session: int
    token: int
    peer: int
    length: int
    record_bytes: int
    first: int
    seen: int
    records: int
    iv: bytes


class PeerDied(RuntimeError):
    """The program ended: a sanitizer found something, a message was not understood, or the time was up."""


def portable_sources() -> list[Path]:
    """The C files of the core that compile anywhere."""
    return sorted(path for path in CORE.glob("*/*.c") if path.parent.name not in TARGET_ONLY)


def write_wire_header(folder: Path) -> Path:
    """`cl_wire.h` in `folder`, which is created."""
    folder.mkdir(parents=True, exist_ok=True)
    header = folder / "cl_wire.h"
    header.write_text(wire.render(WIRE_TOML), encoding="utf-8")
    return header


def build() -> Path:
    """The program that `CorePeer` drives."""
    return link(Path(__file__).with_suffix(".c"), *portable_sources())


def link(main: Path, *more: Path, include: Sequence[Path] = ()) -> Path:
    """A program; a source is compiled once for each state of itself and the headers.

    What is in `include` is for the sources outside the core, and before the core's own.
    """
    folder = _folder(include)
    shared, own = ((), _folder(())), (include, folder)
    objects = [_compiled(source, *(shared if CORE in source.parents else own)) for source in [main, *more]]
    names = " ".join(str(path.relative_to(BUILD)) for path in objects)
    binary = folder / f"{main.stem}-{hashlib.sha256(names.encode()).hexdigest()[:16]}"
    if not binary.exists():
        _gcc([*map(str, objects)], binary)
    return binary


def _folder(include: Sequence[Path]) -> Path:
    """Where objects lie that were compiled with these headers, and the core's."""
    common = hashlib.sha256(" ".join(map(str, [*FLAGS, *include])).encode())
    headers = [path for folder in include for path in sorted(folder.rglob("*.h"))]
    for path in [*headers, *sorted(CORE.rglob("*.h")), *sorted(LTE.glob("*.h")), Path(wire.__file__), WIRE_TOML]:
        common.update(path.name.encode() + path.read_bytes())
    folder = BUILD / common.hexdigest()[:16]
    write_wire_header(folder)
    return folder


def _compiled(source: Path, include: Sequence[Path], folder: Path) -> Path:
    target = folder / f"{source.stem}-{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}.o"
    if not target.exists():
        _gcc([*(f"-I{path}" for path in [*include, CORE, LTE, folder]), "-c", str(source)], target)
    return target


def _gcc(arguments: list[str], result: Path) -> None:
    """Make `result`, which is there when it is whole."""
    part = result.with_suffix(f".{os.getpid()}")
    command = [shutil.which("gcc") or "gcc", *FLAGS, *arguments, "-o", str(part)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    part.rename(result)


class CorePeer:
    """The core in a process of its own; a context manager."""

    def __init__(self, binary: Path):
        self._process = subprocess.Popen(
            [str(binary)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        """Ends the process; a leak or a late report of a sanitizer is an error too."""
        _, errors = self._process.communicate(timeout=HANG_S)
        if self._process.returncode:
            raise PeerDied(errors.decode())

    def call(self, operation: str, *arguments: bytes) -> bytes:
        message = operation.encode() + b"".join(arguments)
        try:
            rest = memoryview(struct.pack("<I", len(message)) + message)
            while rest:
                rest = rest[self._process.stdin.write(rest) :]
            (size,) = struct.unpack("<I", self._read(4))
            return self._read(size)
        except (BrokenPipeError, EOFError):
            self._process.stdin = None
            _, errors = self._process.communicate(timeout=HANG_S)
            raise PeerDied(errors.decode()) from None

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            if not select.select([self._process.stdout], [], [], TIMEOUT_S)[0]:
                self._process.kill()
                raise EOFError
            part = self._process.stdout.read(size - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    # Engines and codecs

    def ctr(self, engine, key, counter, data, *, in_misalign=0, out_misalign=0, in_place=False) -> bytes:
        """CTR of `data` by one engine; the engine must succeed."""
        head = struct.pack("<BBBBI", engine, in_misalign, out_misalign, in_place, 8 * len(key))
        result = self.call("C", head, counter, key.ljust(32, b"\0"), data)
        assert result[:4] == bytes(4), f"engine returned {int.from_bytes(result[:4], 'little', signed=True)}"
        return result[4:]

    def set_key_status(self, engine: int, key_bits: int) -> int:
        head = struct.pack("<BBBBI", engine, 0, 0, 0, key_bits)
        return int.from_bytes(self.call("C", head, bytes(16), bytes(32))[:4], "little", signed=True)

    def expand(self, key: bytes) -> tuple[int, bytes]:
        """Rounds and all the bytes of the round keys."""
        result = self.call("K", struct.pack("<I", 8 * len(key)), key.ljust(32, b"\0"))
        status, rounds = struct.unpack_from("<iI", result)
        assert status == 0
        return rounds, result[8:]

    def counter(self, iv: bytes, block: int) -> bytes:
        return self.call("N", iv, struct.pack("<Q", block))

    def crc(self, data: bytes, before: int = 0) -> int:
        return int.from_bytes(self.call("Z", struct.pack("<I", before), data), "little")

    def cobs_encode(self, data: bytes, piece: int = 1 << 20) -> bytes:
        return self.call("E", struct.pack("<I", piece), data)

    def cobs_decode(self, stream: bytes, capacity: int, chunk: int = 1 << 20) -> list:
        """For each frame that ended: its bytes, or None where it was bad."""
        result = self.call("D", struct.pack("<II", capacity, chunk), stream)
        frames, at = [], 0
        while at < len(result):
            status, length = struct.unpack_from("<II", result, at)
            frames.append(result[at + 8 : at + 8 + length] if status == 1 else None)
            at += 8 + length
        return frames

    # Service

    def start(
        self, *, max_data=256, clock_hz=1_000_000, bench_bytes=1024, engines=0b1111, cycles=0, step=1000,
        idle_cycles=100_000_000, kind=1, random=False,
    ) -> int:  # fmt: skip
        """A service in the state of power-on, with its UART; the status of its init."""
        head = struct.pack("<9I", max_data, clock_hz, bench_bytes, engines, cycles, step, idle_cycles, kind, random)
        status = int.from_bytes(self.call("S", head), "little", signed=True)
        self.call("u")
        return status

    def record(self, record: bytes, *, peer=0, in_place=True, misalign=0) -> bytes:
        """The reply to a record, empty if it was dropped."""
        return self.call("R", struct.pack("<QBB", peer, in_place, misalign), record)

    def record_leaves(self, record: bytes) -> bytes:
        """The buffer that held the record, and then its reply."""
        return self.call("L", record)

    def record_without_room(self, record: bytes) -> int:
        return int.from_bytes(self.call("n", record), "little")

    def uart(self, stream: bytes, chunk: int = 1 << 20) -> bytes:
        """What the board transmits on these bytes, of which `chunk` are at hand at a time."""
        return self.call("U", struct.pack("<I", chunk), stream)

    def udp_start(self, mac: bytes, address: bytes, port: int, max_data: int, *, staging: bool = False) -> None:
        """A UDP link to the service, which has seen nothing yet."""
        self.call("p", mac, address, struct.pack("<HHB", port, max_data, staging))

    def udp(self, frame: bytes) -> bytes:
        """The frame that the board transmits on one that it receives, empty if there is none."""
        return frames.transmitted(self.call("P", struct.pack("<3I", *frames.slot_sums(frame)), frame))

    def pace(self, *, pauses: bool = True, ctr_cycles: int = 0) -> None:
        """From now on: whether a moment without frames precedes each, and how long the engine `faulty` takes.

        With `ctr_cycles` it takes so many, and up to 255 more by the key's first byte.
        """
        self.call("w", struct.pack("<BI", pauses, ctr_cycles))

    def copy_sum(self, data: bytes, from_misalign: int, to_misalign: int) -> tuple[int, bytes]:
        """Sum and copy of bytes."""
        result = self.call("Y", bytes((from_misalign, to_misalign)), data)
        return int.from_bytes(result[:4], "little"), result[4:]

    def occurrences(self, data: bytes) -> int:
        """How often bytes are in the memory of the service and of the UART."""
        return int.from_bytes(self.call("F", data), "little")

    def serving(self, *, status=0, finish=0, bytes_=0, blocks=0, records=0) -> "Served":
        """Says what the engine `serving` returns and has done; how many it serves, and the last one it was given."""
        result = self.call("V", struct.pack("<iiQQI", status, finish, bytes_, blocks, records))
        return Served(*_SERVED.unpack_from(result), result[_SERVED.size :])

    def left_on_stack(self, data: bytes) -> int:
        """How often bytes are in what the last record's handling, or its answer over the UART, left on the stack."""
        return int.from_bytes(self.call("k", data), "little")

    def identity(self, what: str, key: bytes, block: bytes = bytes(16), session: int = 0) -> tuple[int, bytes]:
        """Status and result of what names a `key`, makes a `ticket` or draws a block (`draw`), called by itself."""
        head = what[:1].encode() + struct.pack("<II", 8 * len(key), session)
        result = self.call("I", head, block, key.ljust(32, b"\0"))
        return int.from_bytes(result[:4], "little", signed=True), result[4:]

    def forgotten(self) -> int:
        """How often the port was told to erase what calls have left, since this was last asked."""
        return int.from_bytes(self.call("g"), "little")

    def serve_record(self, number: int, sum_: int) -> int:
        """Verdict on a record that comes for the last session that the engine `serving` was given."""
        return int.from_bytes(self.call("v", struct.pack("<QQ", number, sum_)), "little")

    def poll(self, cycles: int) -> None:
        """Cycles go by, and the port's main loop turns once."""
        self.call("o", struct.pack("<I", cycles))

    def random(self, *, status=0, word=0) -> None:
        """What the random source returns from now on, and the first word that it gives; others count on."""
        self.call("d", struct.pack("<iI", status, word))

    # Windows and ranges, apart from the service

    def record_sum(self, data: bytes, misalign=0) -> int:
        return int.from_bytes(self.call("s", bytes([misalign]), data), "little")

    def window(self, what: str, *numbers: int) -> tuple[int, int, int, int]:
        """Verdict, first, seen and end after an operation on the window, see `op_window`."""
        return struct.unpack(
            "<IQQQ", self.call("W", what.encode(), struct.pack("<QQ" if what == "n" else "<I", *numbers))
        )

    def ranges(self, what: str, *arguments) -> tuple[int, int, list[tuple[int, int, int, bool]]]:
        """Result, free entries and entries (key, first, blocks, held) after an operation on the table of ranges."""
        if what == "t":
            key, first, blocks = arguments
            packed = struct.pack("<Q", key) + first.to_bytes(16, "big") + struct.pack("<Q", blocks)
        else:
            packed = struct.pack("<IQ", *arguments) if arguments else b""
        answer = self.call("G", what.encode(), packed)
        entries = struct.iter_unpack("<QQQQI", answer[8:])
        return *struct.unpack_from("<iI", answer), [
            (key, high << 64 | low, blocks, bool(held)) for key, high, low, blocks, held in entries
        ]

    def fault(self, *, set_key: int = 0, ctr: int = 0) -> None:
        """What the engine `faulty` returns from now on."""
        self.call("f", struct.pack("<ii", set_key, ctr))
