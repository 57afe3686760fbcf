# SPDX-License-Identifier: BSD-2-Clause
"""Test GCM with the engines that compute GHASH on the vector unit. The engines are built for the host, with sanitizers
and a model of the unit. Check the results, the behaviour after faults, and the data that remain in memory.
"""

import errno
import random

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tests.firmware import units_peer
from tests.firmware.units_peer import ENGINES, HEAP, MEMORY, MEMORY_END, pairs
from tests.gateware.ctr.test_gcm import nist
from tests.gateware.gcm.reference import encrypted

# The accelerator has no GHASH multiplier, so the vector unit computes GHASH for the accelerator.
WITH_UNIT = [name for name in ENGINES if name.startswith("ise")] + ["accelerator"]
KEY_BYTES = (16, 24, 32)
LENGTHS = (*range(71), 95, 96, 97, 511, 512, 513, 575, 576, 577, 671, 672, 768, 1024, 1439, 1440)
PLACES = [((where, n), target) for where in (HEAP, MEMORY) for n in (0, 1, 4) for target in (None, (where, 0))]
PLACES += [((MEMORY, 0), (HEAP, 3)), ((MEMORY_END, 0), None)]


@pytest.fixture(scope="module")
def peer():
    with units_peer.UnitsPeer(units_peer.build()) as peer:
        assert peer.start(remains=0xA5) == 0
        yield peer


@pytest.fixture(params=WITH_UNIT)
def engine(request):
    return ENGINES.index(request.param)


@pytest.mark.parametrize("key_bytes", KEY_BYTES)
def test_every_length(peer, engine, key_bytes):
    """Encrypt and decrypt messages with many lengths of text and additional data. The buffers are aligned in some cases
    and unaligned in others.
    """
    rng = random.Random(f"{engine} {key_bytes}")
    key = rng.randbytes(key_bytes)
    assert peer.set_key(engine, 0, key) == 0
    for n, length in enumerate(LENGTHS):
        text, aad, nonce = rng.randbytes(length), rng.randbytes(rng.choice([0, 16, n % 71, 200])), rng.randbytes(12)
        sealed = AESGCM(key).encrypt(nonce, text, aad)
        source, target = PLACES[n % len(PLACES)]
        options = {"source": source, "target": target, "misalign": n % 4}
        assert peer.gcm(engine, 0, nonce, aad, text, **options) == (0, sealed[:-16], sealed[-16:])
        found = peer.gcm(engine, 0, nonce, aad, sealed[:-16], sealed[-16:], decrypt=True, **options)
        assert found == (0, text, sealed[-16:])
    peer.clear(engine, 0)


def test_lengths_of_additional_data(peer, engine):
    rng = random.Random(engine)
    key, nonce = rng.randbytes(16), rng.randbytes(12)
    assert peer.set_key(engine, 0, key) == 0
    for length in range(71):
        for text in (b"", rng.randbytes(100), rng.randbytes(600)):
            aad = rng.randbytes(length)
            sealed = AESGCM(key).encrypt(nonce, text, aad)
            assert peer.gcm(engine, 0, nonce, aad, text, source=(MEMORY, 0)) == (0, sealed[:-16], sealed[-16:])
    peer.clear(engine, 0)


@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_nist(peer, engine, key_bits):
    """Test NIST's vectors with a nonce of 96 bits and a tag of 128 bits. Some vectors have a wrong tag, which must be
    refused.
    """
    count = 0
    for vector in nist(f"gcmEncryptExtIV{key_bits}.rsp") + nist(f"gcmDecrypt{key_bits}.rsp"):
        key, nonce, aad, text, tag = (bytes.fromhex(vector[name]) for name in ("Key", "IV", "AAD", "CT", "Tag"))
        if len(nonce) != 12 or len(tag) != 16:
            continue
        count += 1
        assert peer.set_key(engine, 0, key) == 0
        status, plain, _ = peer.gcm(engine, 0, nonce, aad, text, tag, decrypt=True, source=(HEAP, 1))
        assert status == (-errno.EBADMSG if "FAIL" in vector else 0)
        if "FAIL" not in vector:
            assert plain == bytes.fromhex(vector["PT"])
            assert peer.gcm(engine, 0, nonce, aad, plain) == (0, text, tag)
        peer.clear(engine, 0)
    assert count > 100


def test_no_output_before_the_tag_is_verified(peer, engine):
    """If a bit of the tag, the text or the additional data is wrong, decryption must fail and leave the output
    unchanged.
    """
    rng = random.Random(f"forged {engine}")
    key, nonce = rng.randbytes(16), rng.randbytes(12)
    assert peer.set_key(engine, 0, key) == 0
    for n in range(300):
        aad, text = rng.randbytes(1 + n % 40), rng.randbytes(1 + 7 * n % 700)
        sealed = AESGCM(key).encrypt(nonce, text, aad)
        parts = [bytearray(part) for part in (aad, sealed[:-16], sealed[-16:])]
        part = parts[n % 3]
        bit = rng.randrange(8 * len(part)) if n >= 3 * 128 else n // 3 % (8 * len(part))
        part[bit // 8] ^= 1 << bit % 8
        forged = bytes(parts[1])
        answer = peer.gcm(engine, 0, nonce, parts[0], forged, parts[2], decrypt=True, source=(MEMORY, 0))
        assert answer == (-errno.EBADMSG, forged, bytes(parts[2]))
    peer.clear(engine, 0)


def test_nothing_remains(peer, engine):
    """After a message, no register or memory may contain the hash subkey, the block that masks the tag, or the text.
    Exception: the accelerator's queues may contain these values until the key is cleared.
    """
    rng = random.Random(f"remains {engine}")
    key, nonce = rng.randbytes(32), rng.randbytes(12)
    assert peer.set_key(engine, 0, key) == 0
    for decrypt in (False, True):
        for length in (100, 1000):
            text = rng.randbytes(length)
            sealed = AESGCM(key).encrypt(nonce, text, b"data")
            data, tag = (sealed[:-16], sealed[-16:]) if decrypt else (text, bytes(16))
            peer.gcm(engine, 0, nonce, b"data", data, tag, decrypt=decrypt, source=(MEMORY, 0))
            secret = pairs(encrypted(key, bytes(16))) | pairs(encrypted(key, nonce + bytes([0, 0, 0, 1])))
            secret |= pairs(text)
            if engine == ENGINES.index("accelerator"):
                peer.clear(engine, 0)
            state = peer.state()
            assert not secret & (pairs(state.hardware) | pairs(state.firmware))
            if engine == ENGINES.index("accelerator"):
                assert peer.set_key(engine, 0, key) == 0
    peer.clear(engine, 0)


def test_without_a_key(peer, engine):
    assert peer.gcm(engine, 1, bytes(12), b"", bytes(20))[0] == -errno.EINVAL


@pytest.mark.parametrize("name", ["ise_vmem", "accelerator"])
def test_a_bus_error_is_reported(peer, name):
    engine = ENGINES.index(name)
    assert peer.set_key(engine, 0, bytes(16)) == 0
    for decrypt in (False, True):
        peer.fault("vector_bus")
        status, out, _ = peer.gcm(engine, 0, bytes(12), b"", bytes(1024), decrypt=decrypt, source=(MEMORY, 0))
        assert status == -errno.EFAULT
        assert not decrypt or out == bytes(1024)
    peer.clear(engine, 0)
