# SPDX-License-Identifier: BSD-2-Clause
"""Measures ciphers other than AES, in C and with the instruction `ptlu`, to compare with Table 6 of Fiskiran and Lee.

Each cipher is a header in lab/bench/firmware/ciphers, compiled twice for the simulated board's configuration
`comparators`. Only encryption is measured. The results are compared with the library `cryptography`; for ciphers that
the library lacks, with recorded results of Crypto++ (`lab.bench.recorded`).
"""

import hashlib
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from cryptography.hazmat.decrepit.ciphers import algorithms
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, modes

from lab.bench import cases, recorded
from lab.bench.board import BUILD, BenchBoard, Family, words
from lab.results.tables.other_ciphers import MEASURE

LOOKUPS = {"c": 0, "ptlu": 1}
GENERATED = BUILD / "generated"
WORKING_SET = cases.WORKING_SETS["buffer, cached"]
PI_WORDS = 18 + 4 * 256
# The words of MARS' S-boxes are SHA-1 digests. The input of each digest is an index, followed by these three words. The
# first two words are digits of e and pi; MARS' authors chose the third word.
MARS_CONSTANTS = (0xB7E15162, 0x243F6A88, 0x02917D59)


@dataclass(frozen=True)
class OtherCipher:
    """A cipher: its C header, the key length in bits that Fiskiran and Lee state, the block length in bytes, and an
    independent implementation to compare with.

    The oracle is the library's `encryptor`. Without one, `record` is the name in `lab.bench.recorded`.
    """

    header: str
    key_bits: int
    block_bytes: int
    encryptor: Callable[[bytes], CipherContext] | None = None
    record: str = ""
    defines: tuple[str, ...] = ()


def _blocks(create: Callable, key: bytes) -> CipherContext:
    return Cipher(create(key), modes.ECB()).encryptor()


CIPHERS = {
    "des": OtherCipher("des.h", 56, 8, lambda key: _blocks(algorithms.TripleDES, 3 * key[:8])),
    "triple_des": OtherCipher(
        "des.h", 112, 8, lambda key: _blocks(algorithms.TripleDES, key + key[:8]), defines=("-DBENCH_DES_KEYS=3",)
    ),
    "rc4": OtherCipher("rc4.h", 128, 1, lambda key: Cipher(algorithms.ARC4(key), None).encryptor()),
    "blowfish": OtherCipher("blowfish.h", 128, 8, lambda key: _blocks(algorithms.Blowfish, key)),
    "mars": OtherCipher("mars.h", 128, 16, record="mars"),
    "twofish": OtherCipher("twofish.h", 128, 16, record="twofish"),
    "twofish_mds": OtherCipher("twofish.h", 128, 16, record="twofish", defines=("-DBENCH_TWOFISH_MDS=1",)),
}


def pi_words(count: int) -> list[int]:
    """Return the first 32 * `count` bits of pi's fraction as words of 32 bits, computed with Machin's formula."""
    bits = 32 * count
    one = 1 << bits + 64

    def arctan_of_inverse(x: int) -> int:
        term = total = one // x
        n, sign = 1, -1
        while term:
            term //= x * x
            n += 2
            total += sign * (term // n)
            sign = -sign
        return total

    pi = 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239)) >> 64
    return [pi >> bits - 32 * (n + 1) & 0xFFFF_FFFF for n in range(count)]


def mars_words() -> list[int]:
    """Return the tables S0 and S1 of MARS, computed as section 2.6 of its specification defines.

    The words come from SHA-1. Of two words that agree in two or more bytes, the first is multiplied by 3.
    """
    digests = (hashlib.sha1(struct.pack("<4I", i, *MARS_CONSTANTS)).digest() for i in range(0, 512, 5))
    s = [word for digest in digests for word in struct.unpack("<5I", digest)][:512]
    for first in (0, 256):
        for i, j in combinations(range(first, first + 256), 2):
            if struct.pack("<I", s[i] ^ s[j]).count(0) >= 2:
                s[i] = 3 * s[i] & 0xFFFF_FFFF
    return s


def expected(name: str, mode: str, decrypt: bool, key_bits: int, size: int, passes: int, seed: int) -> bytes:
    """Return the data that a correct program returns after all passes, computed without our C code. The arguments after
    `name` are the same as in `lab.bench.board.expected`.

    A stream cipher continues from pass to pass.
    """
    cipher = CIPHERS[name]
    if cipher.encryptor is None:
        return recorded.expected(cipher.record, size, passes, seed)
    stream = words(seed, 12 + size // 4)
    encryptor, data = cipher.encryptor(stream[:16]), stream[48:]
    for _ in range(passes):
        data = encryptor.update(data)
    return data


def program(name: str, header: str, engine: str, style: str, oracle: Callable, defines: tuple[str, ...] = ()) -> Family:
    """Return the benchmark program of an algorithm other than AES. The code of the algorithm is the file
    lab/bench/firmware/ciphers/`header`.
    """
    return Family(
        name,
        ("variants_cipher.c",),
        (f"-DBENCH_CIPHER='\"ciphers/{header}\"'", f"-I{GENERATED}", *defines),
        engine,
        style,
        (128,),
        ("ecb",),
        configuration="comparators",
        oracle=oracle,
    )


def families() -> list[Family]:
    """Return two programs for each cipher: one with lookup tables in memory, one with the instruction `ptlu`."""
    return [
        program(
            f"cipher_{name}_{lookups}",
            cipher.header,
            name,
            lookups,
            partial(expected, name),
            (f"-DBENCH_PTLU={by_ptlu}", *cipher.defines),
        )
        for name, cipher in CIPHERS.items()
        for lookups, by_ptlu in LOOKUPS.items()
    ]


def write_headers() -> None:
    """Write the computed tables as C headers into a folder where the compiler finds them."""
    GENERATED.mkdir(parents=True, exist_ok=True)
    for name, values in {"blowfish_pi.h": pi_words(PI_WORDS), "mars_s.h": mars_words()}.items():
        text, header = ",\n".join(f"0x{word:08x}" for word in values) + "\n", GENERATED / name
        if not header.exists() or header.read_text() != text:
            header.write_text(text)


def encryption(board: BenchBoard) -> Iterator[cases.Record]:
    """Measure the encryption of 2 KB of data: the fastest of three passes. If the tables are in memory, tables and data
    compete for the data cache.
    """
    cipher = CIPHERS[board.family.engine]
    found = board.measure("ecb", size=WORKING_SET, passes=recorded.PASSES)
    values = {
        "memory": "buffer, cached",
        "code_bytes": cases.symbol_sizes(board.elf)["cipher_run"],
        "key_cycles": found.key_cycles,
        "bytes": WORKING_SET,
        "cycles": found.shortest,
        "cycles_per_block": round(found.shortest * cipher.block_bytes / WORKING_SET, 3),
    }
    yield cases.record(board, MEASURE, "own", False, cipher.key_bits, **values)


def plan() -> list[tuple[Family, tuple]]:
    """Return pairs of a program and the functions that measure it. Write the headers that some programs include."""
    write_headers()
    return [(family, (encryption,)) for family in families()]
