# SPDX-License-Identifier: BSD-2-Clause
import errno
import random
import re
from pathlib import Path

import cryptography_vectors
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.firmware.core_peer import ENGINE_BYTE, ENGINE_TABLE

VECTORS = Path(cryptography_vectors.__file__).parent / "ciphers" / "AES"
ENGINES = [pytest.param(ENGINE_BYTE, id="byte"), pytest.param(ENGINE_TABLE, id="table")]
KEY_BITS = [128, 192, 256]


def oracle(key, counter, data):
    return Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor().update(data)


def fields(path):
    """Read a response file of NIST with lines of the form `NAME = HEX`. For each COUNT in the file, yield a dictionary
    that maps names, such as KEY, to bytes.
    """
    group = {}
    for line in path.read_text().splitlines():
        if match := re.fullmatch(r"(COUNT|KEY|PLAINTEXT|CIPHERTEXT) = (\w+)", line.strip()):
            if match[1] == "COUNT" and group:
                yield group
                group = {}
            if match[1] != "COUNT":
                group[match[1]] = bytes.fromhex(match[2])
    yield group


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("bits", KEY_BITS)
@pytest.mark.parametrize("name", ["GFSbox", "KeySbox", "VarKey", "VarTxt", "MMT"])
def test_block_cipher_on_nist_known_answers(core, engine, bits, name):
    checked = 0
    for vector in fields(VECTORS / "ECB" / f"ECB{name}{bits}.rsp"):
        assert 8 * len(vector["KEY"]) == bits
        for i in range(0, len(vector["PLAINTEXT"]), 16):
            # The engines have no ECB mode. To compute E_K(P), run CTR mode with P as the counter block and zeros as the
            # data.
            block = core.ctr(engine, vector["KEY"], vector["PLAINTEXT"][i : i + 16], bytes(16))
            assert block == vector["CIPHERTEXT"][i : i + 16]
            checked += 1
    assert checked >= 10


# Maps key bits to the key and the ciphertext of the CTR examples in SP 800-38A, F.5.1 to F.5.6. All examples use the
# same initial counter block and the same plaintext.
F5_COUNTER = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
F5_PLAINTEXT = bytes.fromhex(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)
F5 = {
    128: (
        "2b7e151628aed2a6abf7158809cf4f3c",
        "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
        "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
    ),
    192: (
        "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"
        "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050",
    ),
    256: (
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
        "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
    ),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("bits", KEY_BITS)
def test_ctr_on_sp800_38a_examples(core, engine, bits):
    key, ciphertext = (bytes.fromhex(text) for text in F5[bits])
    assert core.ctr(engine, key, F5_COUNTER, F5_PLAINTEXT) == ciphertext
    assert core.ctr(engine, key, F5_COUNTER, ciphertext) == F5_PLAINTEXT


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("bits", KEY_BITS)
def test_ctr_of_every_length_and_alignment(core, engine, bits):
    rng = random.Random(bits + engine)
    for length in range(301):
        key, counter, data = rng.randbytes(bits // 8), rng.randbytes(16), rng.randbytes(length)
        result = core.ctr(
            engine, key, counter, data, in_misalign=rng.choice([0, 0, 1, 2, 3]), out_misalign=rng.choice([0, 0, 1, 3])
        )
        assert result == oracle(key, counter, data)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("misalign", range(4))
def test_ctr_in_place(core, engine, misalign):
    rng = random.Random(misalign)
    for length in (0, 1, 15, 16, 17, 64, 255, 256):
        key, counter, data = rng.randbytes(32), rng.randbytes(16), rng.randbytes(length)
        assert core.ctr(engine, key, counter, data, out_misalign=misalign, in_place=True) == oracle(key, counter, data)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("wrap", [8, 16, 24, 32, 64, 96, 128])
def test_counter_carries_over(core, engine, wrap):
    rng = random.Random(wrap)
    key, data = rng.randbytes(16), rng.randbytes(16 * 6 + 5)
    for before in range(4):
        high = rng.getrandbits(128) >> wrap << wrap
        counter = ((high | ((1 << wrap) - 1)) - before).to_bytes(16, "big")
        assert core.ctr(engine, key, counter, data) == oracle(key, counter, data)


def test_counter_block_of_any_offset(core):
    rng = random.Random(1)
    edges = [0, 1, 255, (1 << 32) - 1, 1 << 32, (1 << 60) - 1, (1 << 64) - 1]
    ivs = [bytes(16), b"\xff" * 16, bytes(8) + b"\xff" * 8, *(rng.randbytes(16) for _ in range(20))]
    for iv in ivs:
        for block in [*edges, rng.getrandbits(64)]:
            expected = (int.from_bytes(iv, "big") + block) % (1 << 128)
            assert core.counter(iv, block) == expected.to_bytes(16, "big")


# Key expansions from FIPS-197, A.1 to A.3: the cipher key, then the first and the last of the words that are computed
# from the cipher key.
@pytest.mark.parametrize(
    ("key", "first", "last"),
    [
        ("2b7e151628aed2a6abf7158809cf4f3c", "a0fafe17", "b6630ca6"),
        ("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "fe0c91f7", "01002202"),
        ("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "9ba35411", "706c631e"),
    ],
)
def test_key_schedule_on_fips_197_examples(core, key, first, last):
    key = bytes.fromhex(key)
    rounds, words = core.expand(key)
    size = 16 * (rounds + 1)
    assert rounds == len(key) // 4 + 6
    assert words[: len(key)] == key
    assert words[len(key) : len(key) + 4].hex() == first
    assert words[size - 4 : size].hex() == last
    assert words[size:] == bytes(240 - size)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("bits", [0, 64, 127, 129, 160, 224, 257, 512])
def test_other_key_lengths_are_refused(core, engine, bits):
    assert core.set_key_status(engine, bits) == -errno.EINVAL
