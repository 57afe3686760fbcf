"""Other ciphers than AES that look up tables, in C and with `ptlu`: Table 6 of Fiskiran and Lee.

Each is a header in firmware/bench/ciphers, compiled twice for the simulated board's configuration `comparators`, and
compared with the library `cryptography`. Encryption alone.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cryptography.hazmat.decrepit.ciphers import algorithms
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, modes

from results.tables.other_ciphers import MEASURE
from tests.bench import cases
from tests.bench.board import BUILD, BenchBoard, Family, words

LOOKUPS = {"c": 0, "ptlu": 1}
GENERATED = BUILD / "generated"
WORKING_SET = 2 * 1024
PI_WORDS = 18 + 4 * 256


@dataclass(frozen=True)
class OtherCipher:
    """Its header, bits of its key as the paper counts them, bytes of its block, and an encryptor of the library."""

    header: str
    key_bits: int
    block_bytes: int
    encryptor: Callable[[bytes], CipherContext]
    defines: tuple[str, ...] = ()


def _blocks(create: Callable, key: bytes) -> CipherContext:
    return Cipher(create(key), modes.ECB()).encryptor()


CIPHERS = {
    "des": OtherCipher("des.h", 56, 8, lambda key: _blocks(algorithms.TripleDES, 3 * key[:8])),
    "triple_des": OtherCipher(
        "des.h", 112, 8, lambda key: _blocks(algorithms.TripleDES, key + key[:8]), ("-DBENCH_DES_KEYS=3",)
    ),
    "rc4": OtherCipher("rc4.h", 128, 1, lambda key: Cipher(algorithms.ARC4(key), None).encryptor()),
    "blowfish": OtherCipher("blowfish.h", 128, 8, lambda key: _blocks(algorithms.Blowfish, key)),
}


def pi_words(count: int) -> list[int]:
    """The first words of 32 bits of pi behind the point, by Machin's formula."""
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


def expected(name: str, mode: str, decrypt: bool, key_bits: int, size: int, passes: int, seed: int) -> bytes:
    """The data after all passes, as `tests.bench.board.expected`; a stream cipher goes on from pass to pass."""
    stream = words(seed, 12 + size // 4)
    encryptor, data = CIPHERS[name].encryptor(stream[:16]), stream[48:]
    for _ in range(passes):
        data = encryptor.update(data)
    return data


def _family(name: str, lookups: str) -> Family:
    cipher = CIPHERS[name]
    header = f"-DBENCH_CIPHER='\"ciphers/{cipher.header}\"'"
    return Family(
        f"cipher_{name}_{lookups}",
        ("variants_cipher.c",),
        (header, f"-DBENCH_PTLU={LOOKUPS[lookups]}", f"-I{GENERATED}", *cipher.defines),
        name,
        lookups,
        (128,),
        ("ecb",),
        configuration="comparators",
        oracle=partial(expected, name),
    )


def encryption(board: BenchBoard) -> Iterator[cases.Record]:
    """2 KB, of which the data cache holds what the tables of C leave; the best of three passes."""
    cipher = CIPHERS[board.family.engine]
    found = board.measure("ecb", size=WORKING_SET, passes=4)
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
    """Each program with its question; writes the header that Blowfish takes, as the compiler is to find it."""
    GENERATED.mkdir(parents=True, exist_ok=True)
    text = ",\n".join(f"0x{word:08x}" for word in pi_words(PI_WORDS)) + "\n"
    header: Path = GENERATED / "blowfish_pi.h"
    if not header.exists() or header.read_text() != text:
        header.write_text(text)
    return [(_family(name, lookups), (encryption,)) for name in CIPHERS for lookups in LOOKUPS]
