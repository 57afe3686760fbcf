# SPDX-License-Identifier: BSD-2-Clause
"""Test that generated cores pass their test benches, that the benches find faults, and that the benches' test vectors
are right.
"""

import re

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from gateware.cores import vectors
from tests.gateware.cores.made import HAS_ICARUS, NO_ICARUS, icarus, make, verilator

MEMBERS = [
    {"core": "aes", "datapath": 32, "slots": 3, "key_lengths": "128,256"},
    {"core": "aes", "engines": 2, "sbox": "block_ram", "bus": "axi-stream"},
    {"core": "ctr", "datapath": 64, "slots": 2},
    {"core": "ghash", "cycles": 4, "bus": "axi-stream"},
    {"core": "cfu"},
    {"core": "gcm", "datapath": 64, "cycles": 4},
    {"core": "macsec", "engines": 2, "key_lengths": "128", "rows": 128},
    {"core": "aes", "datapath": 32, "slots": 2, "bus": "wishbone"},
    {"core": "aes", "datapath": 32, "key_lengths": "128", "bus": "axi-lite"},
    {"core": "accelerator", "datapath": 32, "key_lengths": "128", "slots": 2},
]
FAULTS = [
    ({"core": "ghash", "cycles": 16}, r"(z <= )", r"\1 128'h1 ^ "),
    ({"core": "aes", "datapath": 32, "key_lengths": "128"}, r"(8'h53: lookup_0_of_8_bits = )8'hed", r"\g<1>8'hec"),
    ({"core": "aes", "datapath": 32, "key_lengths": "128"}, r"(payload_error <= )", r"\1 1'b1 | "),
]


def _named(member):
    return "-".join(str(value) for value in member.values())


@pytest.mark.skipif(not HAS_ICARUS, reason=NO_ICARUS)
@pytest.mark.parametrize("member", MEMBERS, ids=_named)
def test_cores_pass_in_icarus(member, tmp_path):
    folder, name = make(tmp_path, **member)
    status, output = icarus(folder, name)
    assert status == 0 and f"PASS: {name}," in output, output


@pytest.mark.thorough  # this test is slow: compiling the simulation takes 40 s
def test_a_core_passes_in_verilator(tmp_path):
    folder, name = make(tmp_path, "ghash", cycles=16)
    status, output = verilator(folder, name)
    assert status == 0 and f"PASS: {name}," in output, output


@pytest.mark.skipif(not HAS_ICARUS, reason=NO_ICARUS)
@pytest.mark.parametrize(("member", "pattern", "replacement"), FAULTS)
def test_benches_find_faults(member, pattern, replacement, tmp_path):
    folder, name = make(tmp_path, **member)
    source = folder / f"{name}.v"
    text, count = re.subn(pattern, replacement, source.read_text(), count=1)
    assert count == 1
    source.write_text(text)
    status, output = icarus(folder, name)
    assert status != 0 and "FAIL: " in output


def test_vectors_agree_with_the_oracle():
    def encrypt(key: bytes, data: bytes, mode) -> bytes:
        return Cipher(algorithms.AES(key), mode).encryptor().update(data)

    data = b"".join(vectors.BLOCKS)
    for bits in (128, 192, 256):
        assert encrypt(vectors.KEYS[bits], vectors.PLAINTEXT, modes.ECB()) == vectors.CIPHERTEXTS[bits]
        key = vectors.BLOCK_KEYS[bits]
        assert encrypt(key, data, modes.ECB()) == b"".join(vectors.listed(vectors.ECB[bits]))
        assert encrypt(key, data, modes.CTR(vectors.COUNTER)) == b"".join(vectors.listed(vectors.CTR[bits]))
    for case in vectors.GCM_CASES:
        assert AESGCM(case.key).encrypt(case.iv, case.plaintext, case.aad) == case.ciphertext + case.tag
    for bits, sealed in vectors.SEALED.items():
        assert AESGCM(vectors.BLOCK_KEYS[bits]).encrypt(vectors.COUNTER[:12], data, b"") == sealed
    case = vectors.GCM_CASES[2]
    assert encrypt(case.key, bytes(16), modes.ECB()) == vectors.GHASH_SUBKEY
    mask = encrypt(case.key, case.iv + bytes([0, 0, 0, 1]), modes.ECB())
    assert bytes(a ^ b for a, b in zip(mask, case.tag, strict=True)) == vectors.GHASH_RESULT
