# SPDX-License-Identifier: BSD-2-Clause
"""Test GCM, which the firmware computes with an engine's CTR mode and with GHASH in C. The tests compare messages of
all lengths with the library `cryptography`, forge messages, let the engine fail, and search the stack for secrets.
"""

import errno
import random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tests.firmware.test_service import left_on_stack, round_keys
from tests.gateware.ctr.test_gcm import nist

NONCE = bytes(range(0xA0, 0xAC))


def sealed(key, text, aad, nonce=NONCE):
    """Encrypt a message with `cryptography`; return its ciphertext and its tag."""
    message = AESGCM(key).encrypt(nonce, text, aad)
    return message[:-16], message[-16:]


def keystream(key, nonce, count):
    """Return secret blocks of a GCM message: the hash subkey, the keystream block of the tag, and the keystream of
    `count` blocks of text.
    """
    blocks = [bytes(16)] + [nonce + number.to_bytes(4, "big") for number in range(1, count + 2)]
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(b"".join(blocks))


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_every_length_of_text_and_additional_data(core, key_bytes):
    rng = random.Random(key_bytes)
    for length in range(71):
        for aad_length in {0, 1, 15, 16, 17, length, 70 - length}:
            key, text, aad = rng.randbytes(key_bytes), rng.randbytes(length), rng.randbytes(aad_length)
            options = {"misalign": rng.randrange(4), "in_place": rng.random() < 0.5}
            ciphertext, tag = sealed(key, text, aad)
            assert core.gcm(key, NONCE, text, aad, **options) == (0, ciphertext, tag)
            assert core.gcm(key, NONCE, ciphertext, aad, tag, **options) == (0, text, tag)


def test_long_messages(core):
    rng = random.Random(5)
    for length in (1440, 4096, 5003):
        key, text, aad = rng.randbytes(16), rng.randbytes(length), rng.randbytes(rng.randrange(600))
        ciphertext, tag = sealed(key, text, aad)
        assert core.gcm(key, NONCE, text, aad) == (0, ciphertext, tag)


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_nist_vectors(core, bits):
    """Test all NIST vectors with a nonce of 96 bits and a tag of 128 bits. Some vectors have a wrong tag, which the
    firmware must refuse.
    """
    refused = count = 0
    for vector in nist(f"gcmDecrypt{bits}.rsp"):
        key, nonce, aad, ct, tag = (bytes.fromhex(vector[name]) for name in ("Key", "IV", "AAD", "CT", "Tag"))
        if len(nonce) != 12 or len(tag) != 16:
            continue
        text = None if "FAIL" in vector else bytes.fromhex(vector["PT"])
        expected = (0, text) if text is not None else (-errno.EBADMSG, b"\xa5" * len(ct))
        assert core.gcm(key, nonce, ct, aad, tag)[:2] == expected
        refused += text is None
        count += 1
    assert count > 300 and refused > 100


def test_factors_of_ghash_with_many_and_few_ones(core):
    """Test the multiplication of GHASH. GHASH needs products without carries. The firmware computes these products with
    integer multiplications, so it must remove the carries. As one factor, the test uses data with many or with few 1
    bits. The other factor is the hash subkey, which the test cannot choose.
    """
    patterns = [bytes([value]) * 16 for value in (0, 0xFF, 0x11, 0x88, 0x80, 1, 0xA5)]
    patterns += [(1 << bit).to_bytes(16, "big") for bit in range(128)]
    key = bytes(16)
    for pattern in patterns:
        _, tag = sealed(key, b"", pattern * 2)
        assert core.gcm(key, NONCE, b"", pattern * 2) == (0, b"", tag)


@pytest.mark.parametrize("length", [0, 1, 16, 50])
def test_a_changed_message_is_refused_before_anything_is_written(core, length):
    rng = random.Random(length)
    key, text, aad = rng.randbytes(32), rng.randbytes(length), rng.randbytes(20)
    ciphertext, tag = sealed(key, text, aad)
    for part in (0, 1, 2, 3):
        fields = [NONCE, ciphertext, aad, tag]
        for bit in range(8 * len(fields[part])):
            changed = bytearray(fields[part])
            changed[bit // 8] ^= 1 << bit % 8
            nonce, data, more, given = (bytes(changed) if n == part else field for n, field in enumerate(fields))
            assert core.gcm(key, nonce, data, more, given) == (-errno.EBADMSG, b"\xa5" * length, given)
            assert core.gcm(key, nonce, data, more, given, in_place=True)[:2] == (-errno.EBADMSG, data)


def test_a_fault_of_the_engine_is_told_and_no_tag_is_given(core):
    key, text = bytes(range(16)), bytes(40)
    ciphertext, tag = sealed(key, text, b"")
    for fails in (1, 2, 3):
        status, _, given = core.gcm(key, NONCE, text, fails=fails)
        assert (status, given) == (-errno.EIO, bytes(16))
        status, out, _ = core.gcm(key, NONCE, ciphertext, tag=tag, fails=fails)
        assert (status, out) == (-errno.EIO, b"\xa5" * 40)
    assert core.gcm(key, NONCE, text, fails=4)[0] == 0, "a message takes three calls"


@pytest.mark.parametrize("how", ["encrypt", "decrypt", "forged", "fault"])
def test_nothing_secret_is_left_on_the_stack(core, how):
    """After a message, the stack must not contain round keys, keystream, or any word of the hash subkey in either byte
    order.

    The cipher in C keeps its last block in its state, in two places that rounds use in turn; on the board they are
    registers.
    """
    rng = random.Random(how)
    key, text = rng.randbytes(16), rng.randbytes(77)
    ciphertext, tag = sealed(key, text, text[:9])
    stream = keystream(key, NONCE, 5)
    if how == "encrypt":
        core.gcm(key, NONCE, text, text[:9])
    else:
        given = tag if how == "decrypt" else bytes(16)
        core.gcm(key, NONCE, ciphertext, text[:9], given, fails=2 if how == "fault" else 0)
    subkey, of_tag, of_text = stream[:16], stream[16:32], stream[32:]
    last = {"encrypt": of_tag, "decrypt": of_text[-16:], "forged": of_tag, "fault": subkey}[how]
    assert left_on_stack(core, round_keys(core, key)) == []
    assert [
        n for n in range(0, len(stream), 16) if (part := stream[n : n + 16]) != last and core.left_on_stack(part)
    ] == []
    assert core.left_on_stack(last) <= 2
    words = [subkey[n : n + 4][::order] for n in range(0, 16, 4) for order in (1, -1)]
    assert how == "fault" or [word for word in words if core.left_on_stack(word)] == []
