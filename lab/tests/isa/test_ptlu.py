# SPDX-License-Identifier: BSD-2-Clause
"""Test parallel table lookups: every instruction field against a model, and the encryption of an AES block."""

import random

import pytest

from lab.isa.lookup_tables import ENTRIES, TABLES
from lab.isa.ptlu import SUBWORDS, WRITE, PtluUnit
from tests.gateware.isa import fips197
from tests.gateware.isa.cfu import block_bytes, column_words, executing


def lookup(subword, table, offset, step, rs1):
    return (step << 5 | offset << 3 | table) << 3 | SUBWORDS[subword], rs1, 0


def write(table, index, word):
    return table << 3 | WRITE, index, word


def model(tables, subword, table, offset, step, rs1):
    """Return the result of a lookup instruction, computed byte by byte from the instruction's definition."""
    result = b""
    for i in range(4 // subword):
        index = rs1.to_bytes(4, "little")[(offset + i * step) % 4]
        result += tables[table][index].to_bytes(4, "little")[i * subword : (i + 1) * subword]
    return int.from_bytes(result, "little")


@pytest.fixture(scope="module")
def run():
    with executing(PtluUnit()) as run:
        yield run


@pytest.fixture
def tables(run):
    rng = random.Random(1)
    words = [[rng.getrandbits(32) for _ in range(ENTRIES)] for _ in range(TABLES)]
    writes = [write(t, i, word) for t, table in enumerate(words) for i, word in enumerate(table)]
    assert run(writes) == [0] * len(writes)
    return words


def test_every_field(run, tables):
    rng = random.Random(2)
    program = [
        (subword, table, offset, step, rng.getrandbits(32))
        for subword in SUBWORDS
        for table in range(TABLES)
        for offset in range(4)
        for step in range(4)
    ]
    rng.shuffle(program)
    expected = [model(tables, *one) for one in program]
    assert run([lookup(*one) for one in program]) == expected
    assert run.cycles <= len(program) + 4, "one a cycle"
    assert run([lookup(*one) for one in program], 0.6) == expected, "under stalls"


@pytest.mark.parametrize("stall", [0.0, 0.5])
def test_a_write_is_seen_by_the_next_lookup_and_by_its_entry_alone(run, tables, stall):
    program, expected = [], []
    rng = random.Random(3)
    for _ in range(200):
        table, index, word = rng.randrange(TABLES), rng.randrange(ENTRIES), rng.getrandbits(32)
        tables[table][index] = word
        # The unit must ignore the upper 24 bits of the table index, so the test sets them at random.
        program += [write(table, rng.getrandbits(24) << 8 | index, word), lookup(4, table, 0, 0, index)]
        expected += [0, word]
        one = (1, rng.randrange(TABLES), 0, 1, rng.getrandbits(32))
        program.append(lookup(*one))
        expected.append(model(tables, *one))
    assert run(program, stall) == expected


def test_other_function_ids_answer_zero_and_write_nothing(run, tables):
    assert run([(5 << 3 | funct3, 7, 0xFFFFFFFF) for funct3 in range(4)]) == [0] * 4
    assert run([lookup(4, 5, 0, 0, 7)]) == [tables[5][7]]


@pytest.mark.parametrize(
    ("key_bytes", "ciphertext"), [(16, "69c4e0d86a7b0430d8cdb78070b4c55a"), (32, "8ea2b7ca516745bfeafc49904b496089")]
)
def test_a_block_of_appendix_c(run, key_bytes, ciphertext):
    """Encrypt the block of FIPS-197, appendix C, with 16 table lookups per round. In table T(4 + r), entry x is a
    column with S(x) in row r and zeros in the other rows. In table T(r), entry x is MixColumns of this column. The last
    round uses only the tables T(4 + r).
    """
    for row in range(4):
        for x in range(ENTRIES):
            column = bytes(fips197.SBOX[x] if r == row else 0 for r in range(4))
            mixed = fips197.mix_columns(column + bytes(12))[:4]
            run([write(row, x, int.from_bytes(mixed, "little")), write(4 + row, x, int.from_bytes(column, "little"))])
    keys = fips197.expand_key(bytes(range(key_bytes)))
    state = column_words(fips197.xor(bytes.fromhex("00112233445566778899aabbccddeeff"), keys[0]))
    for n, key in enumerate(keys[1:], 1):
        first = 4 if n == len(keys) - 1 else 0
        new = column_words(key)
        for c in range(4):
            for term in run([lookup(4, first + r, r, 0, state[(c + r) % 4]) for r in range(4)]):
                new[c] ^= term
        state = new
    assert block_bytes(state).hex() == ciphertext


def test_sub_word_is_one_instruction(run):
    for x in range(ENTRIES):
        run([write(3, x, fips197.SBOX[x] * 0x01010101)])
    assert run([lookup(1, 3, 0, 1, 0x3C4FCF09)]) == [
        int.from_bytes(fips197.sub_bytes(bytes.fromhex("09cf4f3c")), "little")
    ]
