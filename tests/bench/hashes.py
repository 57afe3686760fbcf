"""Hashes in C on the core, for Table 12 of Fiskiran and Lee, which takes a record's SHA-1 beside its AES.

Each is a header in firmware/bench/ciphers, which stands for a cipher in the benchmark program: the digest of the data
takes the place of their begin.
"""

import hashlib
from collections.abc import Iterator
from functools import partial

from results.tables.other_ciphers import HASHES, MEASURE_HASHES
from tests.bench import cases, ciphers
from tests.bench.board import BenchBoard, Family, words

WORKING_SET = cases.WORKING_SETS["buffer, cached"]
BLOCK_BYTES = 64


def expected(name: str, mode: str, decrypt: bool, key_bits: int, size: int, passes: int, seed: int) -> bytes:
    """The data after all passes, as `tests.bench.board.expected`."""
    data = words(seed, 12 + size // 4)[48:]
    for _ in range(passes):
        digest = hashlib.new(name, data).digest()
        data = digest + data[len(digest) :]
    return data


def families() -> list[Family]:
    """A program for each hash."""
    return [ciphers.program(f"hash_{name}", f"{name}.h", name, "c", partial(expected, name)) for name in HASHES]


def hashing(board: BenchBoard) -> Iterator[cases.Record]:
    """2 KB that the data cache holds, the best of three passes; with its padding it is a block more."""
    found = board.measure("ecb", size=WORKING_SET, passes=4)
    sizes, blocks = cases.symbol_sizes(board.elf), WORKING_SET // BLOCK_BYTES + 1
    values = {
        "memory": "buffer, cached",
        "code_bytes": sizes["hash_block"],
        "key_cycles": 0,
        "bytes": blocks * BLOCK_BYTES,
        "cycles": found.shortest,
        "cycles_per_block": round(found.shortest / blocks, 3),
    }
    yield cases.record(board, MEASURE_HASHES, "own", False, 0, **values)


def plan() -> list[tuple[Family, tuple]]:
    """Each program with its question."""
    return [(family, (hashing,)) for family in families()]
