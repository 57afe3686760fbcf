# SPDX-License-Identifier: BSD-2-Clause
"""Test the model in `fips197.py` against the standard's example and the library `cryptography`."""

import random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.gateware.isa import fips197


def test_round_of_appendix_b():
    start = bytes.fromhex("193de3bea0f4e22b9ac68d2ae9f84808")
    substituted = fips197.sub_bytes(start)
    assert substituted.hex() == "d42711aee0bf98f1b8b45de51e415230"
    shifted = fips197.shift_rows(substituted)
    assert shifted.hex() == "d4bf5d30e0b452aeb84111f11e2798e5"
    mixed = fips197.mix_columns(shifted)
    assert mixed.hex() == "046681e5e0cb199a48f8d37a2806264c"
    assert fips197.inv_mix_columns(mixed) == shifted
    assert fips197.inv_shift_rows(shifted) == substituted
    assert fips197.inv_sub_bytes(substituted) == start


@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_encrypts_as_the_library(key_bits):
    rng = random.Random(key_bits)
    for _ in range(20):
        key, block = rng.randbytes(key_bits // 8), rng.randbytes(16)
        encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
        assert fips197.encrypt(key, block) == encryptor.update(block)
