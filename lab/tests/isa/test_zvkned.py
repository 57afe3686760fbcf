# SPDX-License-Identifier: BSD-2-Clause
"""Test the vector AES instructions of RISC-V (Zvkned): each instruction against the standard's pseudo code, and blocks
and key schedules against FIPS-197.
"""

import random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from lab.isa.zvkned import VAESKF, ZvknedUnit
from lab.tests.isa.wide_model import ZvknedModel, checking, encode
from tests.gateware.isa import fips197
from tests.gateware.isa.cfu import block_bytes

PLAINTEXT = bytes.fromhex("00112233445566778899aabbccddeeff")
# FIPS-197, appendix C.
CIPHERTEXTS = {
    16: "69c4e0d86a7b0430d8cdb78070b4c55a",
    24: "dda97ca4864cdfe06eaf70a0ec0d7191",
    32: "8ea2b7ca516745bfeafc49904b496089",
}


@pytest.fixture(scope="module")
def unit():
    """Yield a model and a function. The model records each instruction that a test executes on the model. The function
    executes the recorded instructions on the unit, and checks that the unit gives the model's answers.
    """
    model = ZvknedModel()
    with checking(ZvknedUnit(), model) as check:
        yield model, check


@pytest.mark.parametrize("stall", [0.0, 0.5])
def test_every_instruction_against_the_pseudo_code(unit, stall):
    model, check = unit
    rng = random.Random(1)
    for _ in range(1500):
        d, k = rng.randrange(8), rng.randrange(16)
        rng.choice(
            [
                lambda d=d, k=k: model.vaesem(d, k),
                lambda d=d, k=k: model.vaesef(d, k),
                lambda d=d, k=k: model.vaesdm(d, k),
                lambda d=d, k=k: model.vaesdf(d, k),
                lambda d=d, k=k: model.vaesz(d, k),
                lambda k=k: model.vaeskf1(k, rng.randrange(16), rng.randrange(16)),
                lambda k=k: model.vmv(k, rng.randrange(16)),
                lambda k=k: model.vaeskf2(k, rng.randrange(16), rng.randrange(16)),
                lambda d=d: model.move_in(d, rng.randrange(2), rng.getrandbits(32), rng.getrandbits(32)),
                lambda k=k: model.key_write(k, rng.randrange(2), rng.getrandbits(32), rng.getrandbits(32)),
                lambda d=d: model.move_out(d, rng.randrange(4)),
            ]
        )()
    model.look_at_all(model.vaesz)
    check(stall)


@pytest.mark.parametrize("which", ["vaeskf1", "vaeskf2"])
def test_every_round_number(unit, which):
    model, check = unit
    rng = random.Random(2)
    for rnd in range(16):
        model.put_key(3, rng.randbytes(16))
        model.put_key(4, rng.randbytes(16))
        getattr(model, which)(4, 3, rnd)
    model.look_at_all(model.vaesz)
    check()


def test_undefined_function_ids_answer_zero_and_change_nothing(unit):
    model, check = unit
    rng = random.Random(3)
    undefined = [(0, funct7) for funct7 in range(128)] + [(VAESKF, n << 4 | 5) for n in (1, 3, 5, 6, 7)] + [(7, 3 << 5)]
    for funct3, funct7 in undefined:
        model.note(encode(funct3, funct7, rng.getrandbits(32), rng.getrandbits(32)))
    model.look_at_all(model.vaesz)
    check()


def schedule(model, key):
    """Put the round keys into the key registers from k0 on. For AES-128 and AES-256, the unit computes the round keys.
    The unit has no instruction for the key schedule of AES-192, so the test writes these round keys.
    """
    keys = fips197.expand_key(key)
    if len(key) == 24:
        for k, round_key in enumerate(keys):
            model.put_key(k, round_key)
    elif len(key) == 16:
        model.put_key(0, key)
        for rnd in range(1, 11):
            model.vaeskf1(rnd, rnd - 1, rnd)
    else:
        model.put_key(0, key[:16])
        model.put_key(1, key[16:])
        for rnd in range(2, 15):
            model.vmv(rnd, rnd - 2)
            model.vaeskf2(rnd, rnd - 1, rnd)
    assert model.k[: len(keys)] == keys, "FIPS-197, 5.2"
    return len(keys) - 1


@pytest.mark.parametrize("key_bytes", CIPHERTEXTS)
def test_blocks_and_key_schedules_of_appendix_c(unit, key_bytes):
    model, check = unit
    last = schedule(model, bytes(range(key_bytes)))
    model.put(5, PLAINTEXT)
    model.vaesz(5, 0)
    for k in range(1, last):
        model.vaesem(5, k)
    model.vaesef(5, last)
    model.get(5)
    assert block_bytes(check()[-4:]).hex() == CIPHERTEXTS[key_bytes]
    model.vaesz(5, last)
    for k in reversed(range(1, last)):
        model.vaesdm(5, k)
    model.vaesdf(5, 0)
    model.get(5)
    assert block_bytes(check()[-4:]) == PLAINTEXT


@pytest.mark.parametrize("key_bytes", [16, 32])
def test_random_blocks_against_the_library(unit, key_bytes):
    model, check = unit
    rng = random.Random(key_bytes)
    key = rng.randbytes(key_bytes)
    last, blocks = schedule(model, key), [rng.randbytes(16) for _ in range(8)]
    for d, block in enumerate(blocks):
        model.put(d, block)
    for d in range(8):
        model.vaesz(d, 0)
    for k in range(1, last):
        for d in range(8):
            model.vaesem(d, k)
    for d in range(8):
        model.vaesef(d, last)
        model.get(d)
    expected = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(b"".join(blocks))
    answers = check()[-8 * 5 :]
    words = [word for n, word in enumerate(answers) if n % 5]
    assert block_bytes(words) == expected
