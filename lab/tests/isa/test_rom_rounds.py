# SPDX-License-Identifier: BSD-2-Clause
"""Test the instructions of VexRiscv's AES plugin: encrypt and decrypt whole blocks, against FIPS-197's vectors."""

import random

import pytest

from lab.isa.rom_rounds import DECRYPT, FUNCT3, LAST, ROMRoundsUnit, rom
from tests.gateware.isa import fips197
from tests.gateware.isa.cfu import executing

PLAINTEXT = bytes.fromhex("00112233445566778899aabbccddeeff")
# FIPS-197, appendix C.
CIPHERTEXTS = {16: "69c4e0d86a7b0430d8cdb78070b4c55a", 32: "8ea2b7ca516745bfeafc49904b496089"}


def encoded(operation, byte, rs1, rs2):
    return ((byte << 3 | operation) << 3 | FUNCT3, rs1, rs2)


@pytest.fixture(scope="module")
def run():
    with executing(ROMRoundsUnit()) as run:
        yield run


def columns(block):
    """Return the four columns of a block as words, with row 0 in the high byte."""
    return [int.from_bytes(block[i : i + 4], "big") for i in range(0, 16, 4)]


def round_columns(run, operation, state, key):
    """Compute an AES round. (Inv)ShiftRows takes row r of column c from another column (modulo 4): from column c + r in
    encryption, and from column c - r in decryption.
    """
    step = -1 if operation & DECRYPT else 1
    out = columns(key)
    for r in range(4):
        out = run([encoded(operation, 3 - r, out[c], state[(c + step * r) % 4]) for c in range(4)])
    return out


@pytest.mark.parametrize("key_bytes", [16, 32])
def test_blocks_of_appendix_c(run, key_bytes):
    keys = fips197.expand_key(bytes(range(key_bytes)))
    state = columns(fips197.xor(PLAINTEXT, keys[0]))
    for key in keys[1:-1]:
        state = round_columns(run, 0, state, key)
    state = round_columns(run, LAST, state, keys[-1])
    ciphertext = b"".join(word.to_bytes(4, "big") for word in state)
    assert ciphertext.hex() == CIPHERTEXTS[key_bytes]
    state = columns(fips197.xor(ciphertext, keys[-1]))
    for key in reversed(keys[1:-1]):
        state = round_columns(run, DECRYPT, state, fips197.inv_mix_columns(key))
    state = round_columns(run, DECRYPT | LAST, state, keys[0])
    assert b"".join(word.to_bytes(4, "big") for word in state) == PLAINTEXT


def test_rom_begins_as_the_plugins():
    """The ROM's tables must begin with the same entries as the tables in the plugin's source: TE0 with c663a5 and
    f87c84, TD0 with 51f4a750 and 7e416553, and SBOX_INV with 52 and 09. The ROM has 2 KB.
    """
    assert [rom()[i] for i in (0, 1, 256, 257)] == [0x52C663A5, 0x09F87C84, 0x51F4A750, 0x7E416553]
    assert len(rom()) == 512


def test_one_a_cycle_and_none_lost_under_stalls(run):
    rng = random.Random(2)
    program = [
        encoded(rng.randrange(4), rng.randrange(4), rng.getrandbits(32), rng.getrandbits(32)) for _ in range(200)
    ]
    results = run(program)
    assert run.cycles <= len(program) + 4
    assert run(program, 0.6) == results


def test_undefined_operations_answer_zero(run):
    assert run([(funct7 << 3 | FUNCT3, 5, 6) for funct7 in (0b100, 1 << 5, 1 << 6, 0x7F)]) == [0] * 4
    assert run([(3, 5, 6)]) == [0], "another funct3"
