# SPDX-License-Identifier: BSD-2-Clause
"""Measure arithmetic of public-key cryptography in C: 1024-bit integers, for Tables 8 and 10 of Fiskiran and Lee.

The benchmark program treats lab/bench/firmware/ciphers/public_key.h like a cipher: its data are numbers of 1024 bits,
and its operation works on them in place. Each operation is compiled twice: for a multiplier that returns both halves of
a product, and for one that returns only the low half.
"""

from collections.abc import Iterator
from functools import partial

from lab.bench import cases, ciphers
from lab.bench.board import BenchBoard, Family, words
from lab.results.tables.public_keys import BITS, HALVES, MEASURE, MEASURED

NUMBER_BYTES = BITS // 8
# The number of integers that one call of each operation receives as its data. All integers of a call fit in the data
# cache.
NUMBERS = {"product": 2, "multiply": 16, "power": 3}
FEWER = 3
FUNCTIONS = {"product": "public_product", "multiply": "public_multiply", "power": "cipher_run"}


def worked(operation: str, data: bytes) -> bytes:
    """Compute an operation with Python's integers. `data` contains the operands as little-endian integers. Return a
    copy of `data` in which the result replaces operands, as in the benchmark program.
    """
    numbers = [int.from_bytes(data[i : i + NUMBER_BYTES], "little") for i in range(0, len(data), NUMBER_BYTES)]
    if operation == "product":
        return (numbers[0] * numbers[1]).to_bytes(2 * NUMBER_BYTES, "little")
    modulus, result, *others = numbers
    modulus |= 1 << BITS - 1 | 1
    if operation == "power":
        result = pow(result, others[0], modulus)
    else:
        for other in others:
            result = result * other * pow(2, -BITS, modulus) % modulus
    return data[:NUMBER_BYTES] + (result % modulus).to_bytes(NUMBER_BYTES, "little") + data[2 * NUMBER_BYTES :]


def expected(operation: str, mode: str, decrypt: bool, key_bits: int, size: int, passes: int, seed: int) -> bytes:
    """Compute the data that a correct program returns after all passes, with Python's integers. The arguments after
    `operation` are the same as in `lab.bench.board.expected`.
    """
    data = words(seed, 12 + size // 4)[48:]
    for _ in range(passes):
        data = worked(operation, data)
    return data


def defines(operation: str, halves: str) -> tuple[str, ...]:
    """Return the compiler options that select an operation and a kind of multiplier (a key of `HALVES`)."""
    return f"-DBENCH_OPERATION=PUBLIC_{operation.upper()}", f"-DBENCH_HALVES={HALVES[halves]}"


def families() -> list[Family]:
    """Return a benchmark program for each operation and each kind of multiplier."""
    return [
        ciphers.program(
            f"public_{operation}_{halves}",
            "public_key.h",
            operation,
            halves,
            partial(expected, operation),
            defines(operation, halves),
        )
        for operation, halves in MEASURED
    ]


def operation(board: BenchBoard) -> Iterator[cases.Record]:
    """Measure one operation: the fastest of three passes. An exponentiation is measured in one pass with cold caches,
    because it takes so long that the caches make no difference.

    A multiplication is measured in a series, as a power contains them. So it is the difference between a call with many
    numbers and a call with fewer.
    """
    name = board.family.engine
    passes, count = 1 if name == "power" else 4, 1
    cycles = board.measure("ecb", size=NUMBERS[name] * NUMBER_BYTES, passes=passes).shortest
    if name == "multiply":
        cycles -= board.measure("ecb", size=FEWER * NUMBER_BYTES, passes=passes).shortest
        count = NUMBERS[name] - FEWER
    values = {
        "memory": "buffer, cached",
        "code_bytes": cases.symbol_sizes(board.elf)[FUNCTIONS[name]],
        "key_cycles": 0,
        "bytes": count * NUMBER_BYTES,
        "cycles": cycles,
        "cycles_per_block": round(cycles / count, 3),
    }
    yield cases.record(board, MEASURE, "own", False, BITS, **values)


def plan() -> list[tuple[Family, tuple]]:
    """Return pairs of a program and the functions that measure it."""
    return [(family, (operation,)) for family in families()]
