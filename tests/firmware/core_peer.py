# SPDX-License-Identifier: BSD-2-Clause
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

from gateware.codegen import wire
from tests.firmware import frames
from tests.waiting import HANG_S

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "firmware" / "core"
WIRE_TOML = ROOT / "host" / "cipherlane_base" / "wire" / "wire.toml"
BUILD = ROOT / "build" / "tests" / "firmware"
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-g", *SANITIZERS]
# Folders of firmware/core whose code needs instructions or registers that exist only on a board.
TARGET_ONLY = {"accelerator", "fastpath", "macsec", "protection", "random", "vector"}
# Folders of firmware/core whose code calls the driver of the MACsec SecY. The tests of these folders replace this
# driver by a simulated SecY.
OVER_SECY = {"mka"}

ENGINE_BYTE, ENGINE_TABLE, ENGINE_WRONG, ENGINE_FAULTY, ENGINE_SERVING = range(5)
TIMEOUT_S = 120
_SERVED = struct.Struct("<IIQQQIQQI")


class Served(NamedTuple):
    """The state of the simulated server `serving`, which replaces the fast path in tests. `count` is the number of
    sessions that the server serves now. The other fields describe the session that the core passed to the server last.
    If the server serves no session, `iv` is empty.
    """

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
    """The program ended or did not reply in time. The program ends if a sanitizer finds a fault, or if a command is
    unknown.
    """


def portable_sources(*, over_secy: bool = False) -> list[Path]:
    """Return the C files of firmware/core that compile on any machine. If `over_secy` is true, also return the files
    that call the SecY driver.
    """
    left_out = TARGET_ONLY if over_secy else TARGET_ONLY | OVER_SECY
    return sorted(path for path in CORE.glob("*/*.c") if path.parent.name not in left_out)


def write_wire_header(folder: Path) -> Path:
    """Create `folder` if necessary, and write the generated header `cl_wire.h` into it. Return the header's path."""
    folder.mkdir(parents=True, exist_ok=True)
    header = folder / "cl_wire.h"
    part = header.with_suffix(f".{os.getpid()}")  # a temporary name, because another process may be reading the header
    part.write_text(wire.render(WIRE_TOML), encoding="utf-8")
    part.replace(header)
    return header


def build() -> Path:
    """Build the program that `CorePeer` drives; return its path."""
    return link(Path(__file__).with_suffix(".c"), *portable_sources())


def link(main: Path, *more: Path, include: Sequence[Path] = ()) -> Path:
    """Build a program and return its path. Compile a source again only if the source or a header has changed.

    Sources outside the core search the folders in `include` before the core's own.
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
    """Return the folder for object files. Its name depends on the contents of the headers."""
    common = hashlib.sha256(" ".join(map(str, [*FLAGS, *include])).encode())
    headers = [path for folder in include for path in sorted(folder.rglob("*.h"))]
    for path in [
        *headers,
        *sorted(CORE.rglob("*.h")),
        *sorted(Path(__file__).parent.glob("*.h")),
        Path(wire.__file__),
        WIRE_TOML,
    ]:
        common.update(path.name.encode() + path.read_bytes())
    folder = BUILD / common.hexdigest()[:16]
    write_wire_header(folder)
    return folder


def _compiled(source: Path, include: Sequence[Path], folder: Path) -> Path:
    target = folder / f"{source.stem}-{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}.o"
    if not target.exists():
        _gcc([*(f"-I{path}" for path in [*include, CORE, folder]), "-c", str(source)], target)
    return target


def _gcc(arguments: list[str], result: Path) -> None:
    """Run gcc to make the file `result`. The output has a temporary name until it is complete."""
    part = result.with_suffix(f".{os.getpid()}")
    command = [shutil.which("gcc") or "gcc", *FLAGS, *arguments, "-o", str(part)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    part.rename(result)


class CorePeer:
    """Runs the code of firmware/core in a separate process. Use it as a context manager."""

    def __init__(self, binary: Path):
        self._process = subprocess.Popen(
            [str(binary)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        """End the process. Raise `PeerDied` if a sanitizer reports a memory leak or another fault at the end of the
        process.
        """
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
        """Run CTR on `data` with one engine; return the result. The engine must not report an error."""
        head = struct.pack("<BBBBI", engine, in_misalign, out_misalign, in_place, 8 * len(key))
        result = self.call("C", head, counter, key.ljust(32, b"\0"), data)
        assert result[:4] == bytes(4), f"engine returned {int.from_bytes(result[:4], 'little', signed=True)}"
        return result[4:]

    def gcm(
        self, key, nonce, text, aad=b"", tag=None, *, misalign=0, in_place=False, fails=0
    ) -> tuple[int, bytes, bytes]:
        """Encrypt a GCM message, or decrypt it if `tag` is given; return status, output and tag.

        If `fails` is not 0, this call of the engine's CTR mode fails.
        """
        head = struct.pack("<BBBII", tag is not None, misalign, in_place, fails, 8 * len(key))
        rest = (tag or bytes(16), struct.pack("<I", len(aad)), aad, text)
        result = self.call("M", head, nonce, key.ljust(32, b"\0"), *rest)
        return int.from_bytes(result[:4], "little", signed=True), result[20:], result[4:20]

    def set_key_status(self, engine: int, key_bits: int) -> int:
        head = struct.pack("<BBBBI", engine, 0, 0, 0, key_bits)
        return int.from_bytes(self.call("C", head, bytes(16), bytes(32))[:4], "little", signed=True)

    def expand(self, key: bytes) -> tuple[int, bytes]:
        """Expand an AES key; return the number of AES rounds, and the round keys as bytes."""
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
        """Decode COBS frames; return a list with the bytes of each frame, or None for an invalid frame."""
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
        """Start the record service as after power-on, and its UART link. Return the status of `cl_service_init`."""
        head = struct.pack("<9I", max_data, clock_hz, bench_bytes, engines, cycles, step, idle_cycles, kind, random)
        status = int.from_bytes(self.call("S", head), "little", signed=True)
        self.call("u")
        return status

    def record(self, record: bytes, *, peer=0, in_place=True, misalign=0) -> bytes:
        """Let the service handle a record; return the reply, which is empty if the service dropped the record."""
        return self.call("R", struct.pack("<QBB", peer, in_place, misalign), record)

    def record_leaves(self, record: bytes) -> bytes:
        """Handle a record in a buffer in which the reply overwrites the record; return the whole buffer."""
        return self.call("L", record)

    def record_without_room(self, record: bytes) -> int:
        return int.from_bytes(self.call("n", record), "little")

    def uart(self, stream: bytes, chunk: int = 1 << 20) -> bytes:
        """Receive bytes over the UART, `chunk` at a time. Return the bytes that the board transmits."""
        return self.call("U", struct.pack("<I", chunk), stream)

    def udp_start(self, mac: bytes, address: bytes, port: int, max_data: int, *, staging: bool = False) -> None:
        """Start the UDP link of the service, with all its counters and its state as after power-on."""
        self.call("p", mac, address, struct.pack("<HHB", port, max_data, staging))

    def reserved(self) -> list[int]:
        """Return the index of each session for which the UDP link reserves buffers."""
        mask, faults = struct.unpack("<2I", self.call("O"))
        assert faults == 0, "it was told what it knew"
        return [n for n in range(32) if mask >> n & 1]

    def udp(self, frame: bytes) -> bytes:
        """Receive an Ethernet frame; return the frame that the board transmits in answer, or b"" if there is none."""
        return frames.transmitted(self.call("P", struct.pack("<3I", *frames.slot_sums(frame)), frame))

    def pace(self, *, pauses: bool = True, ctr_cycles: int = 0) -> None:
        """Set the timing of later calls. If `pauses` is true, the port finds the receive queue empty before each frame.
        `ctr_cycles` is the number of cycles that the engine `faulty` takes.

        With `ctr_cycles`, the engine takes that many cycles, and up to 255 more that depend on the key's first byte.
        """
        self.call("w", struct.pack("<BI", pauses, ctr_cycles))

    def copy_sum(self, data: bytes, from_misalign: int, to_misalign: int) -> tuple[int, bytes]:
        """Copy bytes with `cl_copy_sum`; return the sum of the bytes, and the copy."""
        result = self.call("Y", bytes((from_misalign, to_misalign)), data)
        return int.from_bytes(result[:4], "little"), result[4:]

    def occurrences(self, data: bytes) -> int:
        """Return how often `data` occurs in the memory of the service, its streams, its UART link and its UDP link."""
        return int.from_bytes(self.call("F", data), "little")

    def serving(self, *, status=0, finish=0, bytes_=0, blocks=0, records=0) -> "Served":
        """Set the statuses that the functions `serve` and `finish` of the server `serving` return. Also set the numbers
        of bytes, blocks and records that the server reports for a session. Return the state of the server.
        """
        result = self.call("V", struct.pack("<iiQQI", status, finish, bytes_, blocks, records))
        return Served(*_SERVED.unpack_from(result), result[_SERVED.size :])

    def left_on_stack(self, data: bytes) -> int:
        """Return how often `data` occurs in the stack memory that the last call into firmware/core used."""
        return int.from_bytes(self.call("k", data), "little")

    def identity(self, what: str, key: bytes, block: bytes = bytes(16), session: int = 0) -> tuple[int, bytes]:
        """Compute the number that identifies a key (`key`), make a ticket (`ticket`), or draw a counter block (`draw`).
        Return status and result.
        """
        head = what[:1].encode() + struct.pack("<II", 8 * len(key), session)
        result = self.call("I", head, block, key.ljust(32, b"\0"))
        return int.from_bytes(result[:4], "little", signed=True), result[4:]

    def forgotten(self) -> int:
        """Return how often the core has asked the port to zeroize memory since the last call of this method."""
        return int.from_bytes(self.call("g"), "little")

    def serve_record(self, number: int, sum_: int) -> int:
        """Let the server `serving` receive a record of the session that the core passed to the server last. Return the
        result of `cl_window_judge`: the record is new, repeated or refused.
        """
        return int.from_bytes(self.call("v", struct.pack("<QQ", number, sum_)), "little")

    def poll(self, cycles: int) -> None:
        """Let cycles pass, then run one iteration of the port's main loop."""
        self.call("o", struct.pack("<I", cycles))

    def random(self, *, status=0, word=0) -> None:
        """Set the status and the first word that the random source returns. Each further word is greater by 1."""
        self.call("d", struct.pack("<iI", status, word))

    # Methods that use a window or a table of ranges directly, without the service

    def record_sum(self, data: bytes, misalign=0) -> int:
        return int.from_bytes(self.call("s", bytes([misalign]), data), "little")

    def window(self, what: str, *numbers: int) -> tuple[int, int, int, int]:
        """Change the window; see `op_window` in `core_peer.c`. Return the result of `cl_window_judge` and the window's
        fields first, seen and end.
        """
        return struct.unpack(
            "<IQQQ", self.call("W", what.encode(), struct.pack("<QQ" if what == "n" else "<I", *numbers))
        )

    def ranges(self, what: str, *arguments) -> tuple[int, int, list[tuple[int, int, int, bool]]]:
        """Change the table of ranges (see `op_ranges` in `core_peer.c`). Return status, number of free entries, and a
        tuple (key, first, blocks, held) for each range.
        """
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
        """Set the statuses that the engine `faulty` returns from now on."""
        self.call("f", struct.pack("<ii", set_key, ctr))
