# SPDX-License-Identifier: BSD-2-Clause
"""Compiles the firmware's engines for the host, and runs them with sanitizers. Software models replace the AES
hardware.

`tests/firmware/units` models the hardware. On the target, the macros of `cl_isa.h` are instructions. Here, the same
table of encodings makes them calls into the model.
"""

import hashlib
import os
import struct
import subprocess
from pathlib import Path
from typing import NamedTuple

from gateware.codegen import registers, wire
from gateware.isa.instructions import ALL, FIELDS, LAST_ROUND_KEYS
from tests.firmware.core_peer import BUILD, CORE, FLAGS, WIRE_TOML, CorePeer, write_wire_header

UNITS = Path(__file__).with_name("units")
ROOMS = ["accelerator", "aes", "engine", "fastpath", "gcm", "streams", "vector"]
ENGINES = ["ise", "ise_fused", "ise_vmem", "ise_fused_b", "ise_vmem_b"]  # `*_b` use a second vector context
ENGINES += ["accelerator", "fastpath", "byte", "table"]
MODES = ["ise", "ise_fused", "ise_vmem", "ise_by_block"]
FAULTS = [
    "none", "vector_bus", "dma_bus", "dma_timeout", "dma_hangs", "key_hangs", "key_refused", "key_invalid",
    "row_hangs", "row_invalid", "open_refused", "window_refused",
]  # fmt: skip
HEAP, MEMORY, MEMORY_END = range(3)
WINDOW = struct.Struct("<QQ64QI4x")


class State(NamedTuple):
    """The state of the hardware models and the firmware. Bit masks show which key slots and session rows are in use.
    Two byte strings contain the memory of the models and the memory of the firmware.
    """

    slots: int
    accel_keys: int
    fastpath_keys: int
    rows: int
    loaded: int
    hardware: bytes
    firmware: bytes


def pairs(memory: bytes) -> set[int]:
    """Return the set of all pairs of adjacent 32-bit words in `memory`, each as a 64-bit number."""
    found = set()
    for first in (0, 4):
        part = memory[first : len(memory) - (len(memory) - first) % 8]
        found.update(struct.unpack(f"<{len(part) // 8}Q", part))
    return found


def instruction_header() -> str:
    """Return a `cl_isa.h` for the host. In this header, each instruction macro calls the model of the vector unit."""
    lines = [f"#define CL_ISA_LAST_K{register} {code}" for code, register in enumerate(LAST_ROUND_KEYS)]
    for i in ALL:
        operands = [name for name, used in (("rs1", i.uses_rs1), ("rs2", i.uses_rs2)) if used]
        funct7 = " | ".join([f"{i.funct7:#x}u", *(f"(unsigned int)({name}) << {FIELDS[name][1]}" for name in i.fields)])
        values = [name if name in operands else "0" for name in ("rs1", "rs2")]
        lines.append(
            f"#define CL_ISA_{i.name.upper()}({', '.join([*i.fields, *operands])}) "
            f"({'uint32_t' if i.writes_rd else 'void'})units_execute({i.funct3}, {funct7}, {', '.join(values)})"
        )
    return "\n".join([*lines, ""])


def build() -> Path:
    """Compile engines and hardware models into one program, unless it is up to date. Return the program's path."""
    # Without optimization, the program compiles in seconds. Optimization would not speed up the tests.
    flags = [*FLAGS, "-O0", "-D_GNU_SOURCE"]
    flags += [f"-I{UNITS}", f"-I{CORE}", f"-I{CORE.parent}"]
    flags += ["-include", str(UNITS / "model.h")]
    headers = {
        "cl_isa.h": instruction_header(),
        "cl_accel_regs.h": registers.render(),
        "cl_fastpath_regs.h": registers.render(registers.FAST_PATH),
    }
    program = sorted(UNITS.glob("*.c"))
    core = sorted(path for room in ROOMS for path in (CORE / room).glob("*.c"))
    sources = [*program, *core]
    digest = hashlib.sha256("".join([*flags, *headers.values()]).encode())
    for path in [*sources, *UNITS.glob("*.h"), *sorted(CORE.rglob("*.h")), Path(wire.__file__), WIRE_TOML]:
        digest.update(path.name.encode() + path.read_bytes())
    folder = BUILD / digest.hexdigest()[:16]
    binary = folder / "units_peer"
    if not binary.exists():
        write_wire_header(folder)
        for name, text in headers.items():
            (folder / name).write_text(text, encoding="utf-8")
        part = folder / f"units_peer.{os.getpid()}"
        command = ["gcc", *flags, f"-I{folder}", *map(str, sources), "-o", str(part)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr
        part.rename(binary)
    return binary


class UnitsPeer(CorePeer):
    """Runs the engines in a separate process. Use it as a context manager.

    Keys are stored in key structures; `place` is the number of one. A buffer is given as (where, misalignment). For
    output, None means in place.
    """

    def start(self, *, remains: int = 0, bounce_bytes: int = 512) -> int:
        """Power on the modelled hardware, and set every byte of the hardware's memories to `remains`. Return the status
        of the accelerator's initialisation.
        """
        return self._status("S", struct.pack("<BI", remains, bounce_bytes))

    def set_key(self, engine: int, place: int, key: bytes, *, bits: int | None = None, misalign: int = 0) -> int:
        head = struct.pack("<BBBI", engine, place, misalign, 8 * len(key) if bits is None else bits)
        return self._status("k", head, key)

    def modes_set_key(self, modes: int, device: int, place: int, decrypt: bool, key: bytes) -> int:
        return self._status("K", struct.pack("<BBBBI", modes, device, place, decrypt, 8 * len(key)), key)

    def ctr(self, engine, place, counter, data, *, source=(HEAP, 0), target=None, misalign=0) -> tuple[int, bytes]:
        """Run CTR in an engine; return its status and output."""
        head = struct.pack("<BBB", engine, place, misalign)
        answer = self.call("c", head, counter, self._buffers(source, target), data)
        return int.from_bytes(answer[:4], "little", signed=True), answer[4:]

    def gcm(
        self, engine, place, nonce, aad, data, tag=bytes(16), *,
        decrypt=False, source=(HEAP, 0), target=None, misalign=0,
    ) -> tuple[int, bytes, bytes]:  # fmt: skip
        """Run GCM in an engine; return its status, the output and the tag."""
        head = struct.pack("<4B", engine, place, decrypt, misalign)
        more = struct.pack("<I", len(aad))
        answer = self.call("G", head, nonce, tag, more, aad, self._buffers(source, target), data)
        return int.from_bytes(answer[:4], "little", signed=True), answer[4:-16], answer[-16:]

    def modes(
        self, modes, device, place, mode, decrypt, key_bits, chain, data, *, source=(HEAP, 0), target=None
    ) -> tuple[int, bytes, bytes]:  # fmt: skip
        """Run ECB or CBC; return the status, the output, and the chaining value for the next call."""
        head = struct.pack("<6B", modes, device, place, decrypt, mode == "cbc", key_bits // 64 - 2)
        answer = self.call("m", head, chain, self._buffers(source, target), data)
        return int.from_bytes(answer[:4], "little", signed=True), answer[4:-16], answer[-16:]

    def clear(self, engine: int, place: int) -> bool:
        """Clear a key; return whether its key structure then contains only zeros."""
        return self._status("x", bytes((engine, place))) == 0

    def serve(self, place, session, token, peer, length, record_bytes, iv, window) -> int:
        """Begin a fast-path session; return the status. `window` is (first, seen, sums), as in a C `cl_window`."""
        first, seen, sums = window
        head = struct.pack("<BIQQQI", place, session, token, peer, length, record_bytes)
        return self._status("s", head, iv, WINDOW.pack(first, seen, *sums, 64))

    def report(self, place: int) -> tuple[int, int, int]:
        """Return the numbers of bytes, blocks and records that a session has processed."""
        return struct.unpack("<QQI", self.call("r", bytes([place])))

    def finish(self, place: int) -> tuple[int, tuple[int, int, list[int]]]:
        """End a fast-path session; return the status and the session's window."""
        answer = self.call("f", bytes([place]))
        first, seen, *sums, _ = WINDOW.unpack(answer[4:])
        return int.from_bytes(answer[:4], "little", signed=True), (first, seen, sums)

    def datagram(self, ip, port, session, token, offset, data, *, polls=0) -> int:
        """Send a datagram; return the event code. The fast path encrypts the datagram after `polls` register reads."""
        return self._status("d", struct.pack("<IIIQQI", ip, port, session, token, offset, polls), data)

    def reply(self, size: int) -> bytes:
        """Return the encrypted data of the last datagram."""
        return self.call("a", struct.pack("<I", size))

    def fault(self, name: str) -> bool:
        """Select a fault that the hardware models will cause once. Return whether the previously selected fault has
        happened.
        """
        return self.call("F", bytes([FAULTS.index(name)])) == bytes(4)

    def state(self) -> State:
        answer = self.call("D")
        *taken, size = struct.unpack_from("<6I", answer)
        return State(*taken, answer[24 : 24 + size], answer[24 + size :])

    def _status(self, operation: str, *arguments: bytes) -> int:
        return int.from_bytes(self.call(operation, *arguments), "little", signed=True)

    @staticmethod
    def _buffers(source, target) -> bytes:
        return bytes((*source, *(target or (0, 0)), target is None))
