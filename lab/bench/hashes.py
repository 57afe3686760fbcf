# SPDX-License-Identifier: BSD-2-Clause
"""Measure hash functions in C on the CPU, to compare with Table 12 of Fiskiran and Lee (AES together with SHA-1).

Each hash is a header in lab/bench/firmware/ciphers, which the benchmark program treats like a cipher: the digest
overwrites the beginning of the data.
"""

import hashlib
from collections.abc import Iterator
from functools import partial

from lab.bench import cases, ciphers
from lab.bench.board import BenchBoard, Family, words
from lab.results.tables.other_ciphers import HASHES, MEASURE_HASHES

WORKING_SET = cases.WORKING_SETS["buffer, cached"]
BLOCK_BYTES = 64


def expected(name: str, mode: str, decrypt: bool, key_bits: int, size: int, passes: int, seed: int) -> bytes:
    """Compute the data that a correct program returns after all passes, with Python's hashlib. The arguments after
    `name` are the same as in `lab.bench.board.expected`.
    """
    data = words(seed, 12 + size // 4)[48:]
    for _ in range(passes):
        digest = hashlib.new(name, data).digest()
        data = digest + data[len(digest) :]
    return data


def families() -> list[Family]:
    """Return a benchmark program for each hash function."""
    return [ciphers.program(f"hash_{name}", f"{name}.h", name, "c", partial(expected, name)) for name in HASHES]


def hashing(board: BenchBoard) -> Iterator[cases.Record]:
    """Measure the hashing of 2 KB in the data cache: the fastest of three passes. The padding adds one block to the
    message.
    """
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
    """Return pairs of a program and the functions that measure it."""
    return [(family, (hashing,)) for family in families()]
