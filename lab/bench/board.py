# SPDX-License-Identifier: BSD-2-Clause
"""Send requests to the benchmark program on the simulated board, and check its answers."""

import contextlib
import ctypes
import functools
import os
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from cipherlane.transport.simboard import SimulatedBoard
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from gateware import targets
from gateware.flow import simulation
from gateware.flow.cache import digest
from gateware.flow.firmware import REPOSITORY
from tests import rom

SOURCES = REPOSITORY / "lab" / "bench" / "firmware"
EXTENSION = REPOSITORY / "lab" / "isa" / "firmware"
BUILD = REPOSITORY / "build" / "bench"
# Maps each memory that can hold the data to its code in a request. With "sdram, copied", the program copies the data
# from SDRAM to the buffer memory, processes the data there, and copies the result back.
MEMORIES = {"buffer": 0, "sram": 1, "sdram": 2, "sdram, copied": 3}
MODES = {"ecb": 0, "cbc": 1, "ctr": 2}
INTERLEAVED = 3
GCM = "gcm"
SHARED = 16
CONTEXTS = 8
KEY_BITS = (128, 192, 256)
BLOCK = 16
TIMEOUT_S = 300
_MASK = 0xFFFF_FFFF


class WrongAnswerError(AssertionError):
    """The board reported an error, or its data differ from the data that an independent library computed."""


@dataclass(frozen=True)
class Family:
    """A benchmark program. `sources` are its source files in addition to board_bench.c; `engine`, `style`, `key_bits`
    and `modes` tell what the program measures.

    `oracle` has the arguments and the result of `expected`. It is set if the program computes something other than AES.
    """

    name: str
    sources: tuple[str, ...]
    defines: tuple[str, ...]
    engine: str
    style: str
    key_bits: tuple[int, ...]
    modes: tuple[str, ...] = tuple(MODES)
    configuration: str | None = None
    oracle: Callable[[str, bool, int, int, int, int], bytes] | None = None


@dataclass(frozen=True)
class Measurement:
    """CPU cycles of a measurement: of the key schedule, of all passes together, and of the shortest, longest and last
    pass. If there are several passes, the first pass counts neither as the shortest nor as the longest.
    """

    key_cycles: int
    cycles: int
    shortest: int
    longest: int
    last: int


@dataclass(frozen=True)
class Interleaved:
    """CPU cycles of CTR in several contexts of the vector unit: the cycles of each context, and of all contexts
    together. The first pass over the data is not counted.
    """

    contexts: tuple[int, ...]
    total: int


def words(seed: int, count: int) -> bytes:
    """Return the first `count` words that the generator xorshift32 produces from `seed`, as little-endian bytes."""
    values = []
    for _ in range(count):
        seed ^= seed << 13 & _MASK
        seed ^= seed >> 17
        seed ^= seed << 5 & _MASK
        values.append(seed)
    return struct.pack(f"<{count}I", *values)


def expected(mode: str, decrypt: bool, key_bits: int, size: int, passes: int, seed: int) -> bytes:
    """Return the data that the board must hold after all passes, computed with the library `cryptography`."""
    stream = words(seed, 12 + size // 4)
    key, chain, data = stream[: key_bits // 8], stream[32:48], stream[48:]
    for _ in range(passes):
        if mode == GCM:
            result = AESGCM(key).encrypt(chain[:12], data, None)
            data, chain = result[:-BLOCK], result[-BLOCK:]
            continue
        how = {"ecb": modes.ECB, "cbc": modes.CBC, "ctr": modes.CTR}[mode]
        cipher = Cipher(algorithms.AES(key), how() if mode == "ecb" else how(chain))
        result = (cipher.decryptor() if decrypt and mode != "ctr" else cipher.encryptor()).update(data)
        if mode == "cbc":
            chain = (data if decrypt else result)[-BLOCK:]
        elif mode == "ctr":
            counter = int.from_bytes(chain, "big") + size // BLOCK
            chain = (counter % (1 << 128)).to_bytes(BLOCK, "big")
        data = result
    return data


@functools.cache
def _folder(configuration: str) -> Path:
    """Build the simulated board of a configuration; return its folder."""
    target = targets.load("sim", configuration)
    return simulation.build(target, REPOSITORY / "build" / target.name).parent


@contextlib.contextmanager
def _network_of(board: SimulatedBoard) -> Iterator[None]:
    """Move the calling thread into the network namespace of a running simulated board.

    Only boards with Ethernet have their own.
    """
    if not board.ip_address:
        yield
        return
    with open("/proc/self/ns/net") as own, open(f"/proc/{board.pid}/ns/net") as of_board:
        _enter(of_board.fileno())
        try:
            yield
        finally:
            _enter(own.fileno())


def _enter(namespace: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(namespace, 0):
        raise OSError(ctypes.get_errno(), f"no way into the board's network: {os.strerror(ctypes.get_errno())}")


class ProgramBoard:
    """Run a program on the simulated board, as a context manager. The program answers requests over the UART."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._board = SimulatedBoard(folder)

    def __enter__(self):
        self._board.start()
        try:
            with _network_of(self._board):
                self._port = rom.open_uart(self._board, timeout=TIMEOUT_S, write_timeout=TIMEOUT_S)
        except OSError:  # the exceptions of pyserial are OSErrors, too
            self._board.stop()
            raise
        return self

    def __exit__(self, *exception):
        self._port.close()
        self._board.stop()

    @property
    def contents(self) -> str:
        """Return a digest of gateware and program. If it changes, the cycles of the requests can change, too."""
        gateware = self._folder / "gateware"
        return digest([*gateware.glob("*.v"), *gateware.glob("*.init")])

    @property
    def clock_hz(self) -> int:
        """Return the frequency of the board's clock in Hz. The program counts cycles of this clock."""
        return self._board.description["clock_hz"]

    @property
    def clock_met_by(self) -> str:
        """Return the name of a real board that reaches the simulated board's clock in place-and-route. Return an empty
        string if there is no such board.
        """
        return self._board.description["clock_met_by"]

    def ask(self, reply_words: int, question: bytes) -> tuple[int, ...]:
        """Send a request to the program; return its answer as words of 32 bits.

        Raises
        ------
        WrongAnswerError
            The answer is missing or incomplete.
        """
        self._port.write(question)
        reply = self._port.read(4 * reply_words)
        if len(reply) != 4 * reply_words:
            raise WrongAnswerError(
                f"the board did not answer in {TIMEOUT_S} s: {self._board.obituary('it still runs')}"
            )
        return struct.unpack(f"<{reply_words}I", reply)


class BenchBoard(ProgramBoard):
    """Run one benchmark program on the simulated board, and send it requests. Each request starts a measurement. A
    `Family` describes the program.
    """

    def __init__(self, family: Family):
        self.family = family
        output = BUILD / family.name
        more = tuple(SOURCES / name for name in family.sources)
        board = _folder(family.configuration) if family.configuration else None
        self.elf: Path = output / "firmware.elf"
        super().__init__(
            rom.build(output, SOURCES / "board_bench.c", more, family.defines, board=board, extension=EXTENSION)
        )

    def measure(
        self, mode: str, *, decrypt=False, key_bits=128, size=32768, passes=1, seed=1, memory="buffer"
    ) -> Measurement:
        """Process `size` bytes in place, `passes` times. The argument `memory` is a key of `MEMORIES`: it names the
        memory that holds the data. Check the result and return the cycles.

        Raises
        ------
        WrongAnswerError
            The board reports an error, or the data are wrong.
        """
        code = {**MODES, GCM: 4}[mode]
        reply = self._request(8, 0, code, int(decrypt), key_bits, size, passes, seed, MEMORIES[memory])
        status, key_cycles, low, high, shortest, longest, crc, last = reply
        case = f"{self.family.name} {mode} decrypt={decrypt} {key_bits} bits, {size} bytes"
        if status != 0:
            raise WrongAnswerError(f"{case}: status {status - (1 << 32)}")
        oracle = self.family.oracle or expected
        if crc != zlib.crc32(oracle(mode, decrypt, key_bits, size, passes, seed)):
            raise WrongAnswerError(f"{case}: the data differ from the oracle's")
        return Measurement(key_cycles, high << 32 | low, shortest, longest, last)

    def interleave(self, contexts: int, *, shared=False, key_bits=128, size=1024, passes=9, seed=1) -> Interleaved:
        """Encrypt several streams in CTR, each with its own key, and check the results. The streams take turns; a turn
        processes `size` bytes. If `shared` is true, all streams use one context (register bank) of the vector unit.
        Otherwise each stream has a context of its own.

        Raises
        ------
        WrongAnswerError
            The board reports an error, or the data are wrong.
        """
        selection = contexts | (SHARED if shared else 0)
        reply = self._request(11, 0, INTERLEAVED, selection, key_bits, size, passes, seed, 0)
        case = f"{self.family.name} {contexts} contexts, shared={shared}"
        if reply[0] != 0:
            raise WrongAnswerError(f"{case}: status {reply[0] - (1 << 32)}")
        data = b"".join(expected("ctr", False, key_bits, size, passes, seed + n) for n in range(contexts))
        if reply[10] != zlib.crc32(data):
            raise WrongAnswerError(f"{case}: the data differ from the oracle's")
        return Interleaved(reply[1 : 1 + contexts], reply[9])

    def _request(self, reply_words: int, *request: int) -> tuple[int, ...]:
        return self.ask(reply_words, struct.pack("<8I", *request))


def _ise(name: str) -> Family:
    defines = (f"-DBENCH_ENGINE={name}",)
    return Family(name, ("variants_ise.c",), defines, name, "unrolled", KEY_BITS, (*MODES, GCM))


ISE_FAMILIES = tuple(_ise(name) for name in ("ise", "ise_fused", "ise_vmem"))


# Maps each engine in C to two values: the constant of c_cipher.h that selects how the engine computes a round, and the
# configuration of the simulated board. None means the default configuration. An engine with special instructions needs
# another configuration.
_ROUNDS = {"byte": ("CL_C_BYTES", None), "table": ("CL_C_TABLES", None), "zkn": ("CL_C_INSTRUCTIONS", "scalar")}


def _c(engine: str, style: str, key_bits: int = 0) -> Family:
    by, configuration = _ROUNDS[engine]
    defines = (
        f"-DBENCH_ENGINE='\"{engine}\"'",
        f"-DBENCH_BY={by}",
        f"-DBENCH_STYLE=CL_C_{style.upper()}",
        f"-DBENCH_ROUNDS={key_bits // 32 + 6 if key_bits else 0}",
    )
    name = f"{engine}_{style}{key_bits or ''}"
    bits = (key_bits,) if key_bits else KEY_BITS
    return Family(name, ("variants_c.c",), defines, engine, style, bits, configuration=configuration)


def _styles(engine: str) -> tuple[Family, ...]:
    """Return the five benchmark programs of an engine. The first program has a loop over single rounds. The second has
    a loop over pairs of rounds. The other three have unrolled rounds, each for one key length.
    """
    return _c(engine, "loop"), _c(engine, "swap"), *(_c(engine, "unrolled", key_bits) for key_bits in KEY_BITS)


C_FAMILIES = (*_styles("byte"), *_styles("table"))
# Programs that measure engines with data in SDRAM: all engines of the vector unit, `table`, `byte` and `accelerator`.
# The DMA of the accelerator does not reach SDRAM. So the accelerator's driver copies the data through a buffer, 512
# bytes at a time.
SDRAM_FAMILIES = tuple(
    replace(family, name=f"sdram_{family.engine}", configuration="sdram")
    for family in (
        *ISE_FAMILIES,
        _c("table", "swap"),
        _c("byte", "loop"),
        Family("", ("variants_accel.c",), ("-DBENCH_SPARE=512u",), "accelerator", "driver", KEY_BITS, ("ctr",)),
    )
)
# Programs in C whose rounds use RISC-V's ratified scalar AES instructions (Zkne, Zknd).
ZKN_FAMILIES = _styles("zkn")
