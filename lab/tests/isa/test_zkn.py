# SPDX-License-Identifier: BSD-2-Clause
"""Test the scalar AES instructions of RISC-V (Zkn): encrypt and decrypt a whole block, against FIPS-197's vectors."""

import random

import pytest

from lab.isa.zkn import AES32DSI, AES32DSMI, AES32ESI, AES32ESMI, ScalarAESUnit
from tests.gateware.isa import fips197
from tests.gateware.isa.cfu import column_words, executing


@pytest.fixture(scope="module")
def execute():
    """Yield a function that executes instructions back to back and returns their results (rd). Each instruction is a
    tuple (operation, byte select, rs1, rs2).
    """
    with executing(ScalarAESUnit()) as run:

        def encoded(instructions, stall=0.0):
            results = run([((select << 5 | o) << 3, rs1, rs2) for o, select, rs1, rs2 in instructions], stall)
            encoded.cycles = run.cycles
            return results

        yield encoded


def round_words(execute, operation, state, key, step):
    """Compute one AES round. ShiftRows takes row r of column c from column c + step * r; `step` is 1 to encrypt and -1
    to decrypt.
    """
    out = []
    for c in range(4):
        word = key[c]
        for r in range(4):
            (word,) = execute([(operation, r, word, state[(c + step * r) % 4])])
        out.append(word)
    return out


@pytest.mark.parametrize("key_bits", [128, 256])
def test_blocks_of_appendix_c(execute, key_bits):
    key = bytes(range(key_bits // 8))
    plaintext = bytes.fromhex("00112233445566778899aabbccddeeff")
    keys = fips197.expand_key(key)
    state = column_words(fips197.xor(plaintext, keys[0]))
    for round_key in keys[1:-1]:
        state = round_words(execute, AES32ESMI, state, column_words(round_key), 1)
    state = round_words(execute, AES32ESI, state, column_words(keys[-1]), 1)
    ciphertext = b"".join(word.to_bytes(4, "little") for word in state)
    assert (
        ciphertext.hex()
        == {
            128: "69c4e0d86a7b0430d8cdb78070b4c55a",
            256: "8ea2b7ca516745bfeafc49904b496089",
        }[key_bits]
    )

    state = column_words(fips197.xor(ciphertext, keys[-1]))
    for round_key in reversed(keys[1:-1]):
        state = round_words(execute, AES32DSMI, state, column_words(fips197.inv_mix_columns(round_key)), -1)
    state = round_words(execute, AES32DSI, state, column_words(keys[0]), -1)
    assert b"".join(word.to_bytes(4, "little") for word in state) == plaintext


def test_one_a_cycle_and_none_lost_under_stalls(execute):
    rng = random.Random(2)
    operations = (AES32ESI, AES32ESMI, AES32DSI, AES32DSMI)
    program = [(rng.choice(operations), rng.randrange(4), rng.getrandbits(32), rng.getrandbits(32)) for _ in range(200)]
    results = execute(program)
    assert execute.cycles <= len(program) + 4
    assert execute(program, stall=0.6) == results


def test_undefined_operations_answer_zero(execute):
    assert execute([(0b00001, 0, 5, 6), (0b11001, 1, 5, 6), (0b10000, 2, 5, 6)]) == [0, 0, 0]
