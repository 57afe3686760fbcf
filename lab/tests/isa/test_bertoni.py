# SPDX-License-Identifier: BSD-2-Clause
"""Test the two AES instruction sets by Bertoni et al.: whole blocks and key schedules, against FIPS-197's vectors."""

import random

import pytest

from lab.isa.bertoni import (
    BYTE_SET,
    FUNCT3,
    INVERSE,
    KSFW,
    S_MIX,
    S_MIX_W,
    SBOX,
    SUB_WORD,
    WORD_SET,
    BertoniUnit,
)
from tests.gateware.isa import fips197
from tests.gateware.isa.cfu import block_bytes, column_words, executing

PLAINTEXT = bytes.fromhex("00112233445566778899aabbccddeeff")
# FIPS-197, appendix C.
CIPHERTEXTS = {16: "69c4e0d86a7b0430d8cdb78070b4c55a", 32: "8ea2b7ca516745bfeafc49904b496089"}


def encoded(operation, select=0, rs1=0, rs2=0xA55A1234):
    return ((select << 5 | operation) << 3 | FUNCT3, rs1, rs2)


@pytest.fixture(scope="module", params=[BYTE_SET, WORD_SET], ids=["byte", "word"])
def unit(request):
    with executing(BertoniUnit(operations=request.param)) as run:
        yield request.param, run


def column_by_bytes(run, state, c, inverse, last):
    """Compute one column of an AES round with Bertoni's byte instructions: XOR the contributions of four bytes."""
    step, result = -1 if inverse else 1, 0
    for r in range(4):
        operation = (SBOX if last else S_MIX) | (INVERSE if inverse else 0)
        (share,) = run([encoded(operation, r, state[(c + step * r) % 4])])
        result ^= share << 8 * r if last else share
    return result


def column_by_word(run, state, c, inverse, last):
    """Compute one column of an AES round with Bertoni's word instructions: gather the column's bytes (ShiftRows), then
    execute one instruction.
    """
    step = -1 if inverse else 1
    gathered = sum(state[(c + step * r) % 4] & 0xFF << 8 * r for r in range(4))
    (column,) = run([encoded((SUB_WORD if last else S_MIX_W) | (INVERSE if inverse else 0), rs1=gathered)])
    return column


def by(operations):
    return ([column_by_bytes] if SBOX in operations else []) + ([column_by_word] if S_MIX_W in operations else [])


@pytest.mark.parametrize("key_bytes", [16, 32])
def test_blocks_of_appendix_c(unit, key_bytes):
    operations, run = unit
    keys = fips197.expand_key(bytes(range(key_bytes)))
    for column in by(operations):
        state = column_words(fips197.xor(PLAINTEXT, keys[0]))
        for n, key in enumerate(keys[1:], 1):
            words = column_words(key)
            state = [column(run, state, c, False, n == len(keys) - 1) ^ words[c] for c in range(4)]
        ciphertext = block_bytes(state)
        assert ciphertext.hex() == CIPHERTEXTS[key_bytes]
        state = column_words(fips197.xor(ciphertext, keys[-1]))
        for n in reversed(range(len(keys) - 1)):
            words = column_words(fips197.inv_mix_columns(keys[n]) if n else keys[0])
            state = [column(run, state, c, True, n == 0) ^ words[c] for c in range(4)]
        assert block_bytes(state) == PLAINTEXT


def test_key_schedule_of_appendix_a_by_ksfw(unit):
    operations, run = unit
    if KSFW not in operations:
        assert run([encoded(KSFW, rs1=0x3C4FCF09, rs2=1)]) == [0], "undefined in the byte set"
        return
    key = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
    words, rcon = column_words(key), 1
    for i in range(4, 44):
        (term,) = run([encoded(KSFW, rs1=words[-1], rs2=rcon)]) if i % 4 == 0 else (words[-1],)
        rcon = (rcon << 1 ^ (0x11B if rcon & 0x80 else 0)) if i % 4 == 0 else rcon
        words.append(words[i - 4] ^ term)
    assert block_bytes(words) == b"".join(fips197.expand_key(key))
    assert block_bytes(words[-4:]).hex() == "d014f9a8c9ee2589e13f0cc8b6630ca6"  # appendix A.1


def test_one_a_cycle_and_none_lost_under_stalls(unit):
    operations, run = unit
    rng = random.Random(2)
    program = [
        encoded(rng.choice(operations), rng.randrange(4), rng.getrandbits(32), rng.getrandbits(32)) for _ in range(200)
    ]
    results = run(program)
    assert run.cycles <= len(program) + 4
    assert run(program, 0.6) == results


def test_undefined_operations_answer_zero(unit):
    operations, run = unit
    undefined = [o for o in range(32) if o not in operations]
    assert run([encoded(o, 1, 0x01020304, 5) for o in undefined]) == [0] * len(undefined)
    assert run([((SBOX << 3) | 3, 6, 7)]) == [0], "another funct3"
