# SPDX-License-Identifier: BSD-2-Clause
"""Test MKA's key derivation, key wrap and MKPDUs: with published vectors, against independent libraries, and with valid
and invalid frames.
"""

import random
import struct
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives import keywrap
from scapy.layers.eap import EAPOL, MKAPDU
from scapy.layers.l2 import Ether

from tests.firmware import mka_model as model
from tests.firmware import mka_peer
from tests.firmware.mka_model import KeyUse, Member

BAD_MESSAGE = -74
CAK, CKN = bytes(range(16)), b"a connectivity association key n"

# Examples from RFC 4493, section 4. The dictionary maps the length of a message in bytes to the AES-CMAC of this
# message.
RFC_4493_KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
RFC_4493_TEXT = bytes.fromhex(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)
RFC_4493 = {
    0: "bb1d6929e95937287fa37d129b756746",
    16: "070a16b46b4d4144f79bdd9dd04a287c",
    40: "dfa66747de9ae63030ca32611497c827",
    64: "51f0bebf7e3b9d92fc49741779363cfe",
}
# Examples from RFC 3394, section 4. Maps (bytes of the KEK, bytes of the key) to the wrapped key.
RFC_3394 = {
    (16, 16): "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5",
    (32, 16): "64e8c3f9ce0f5ba263e9777905818a2a93c8191e7d6e8ae7",
    (32, 32): "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21",
}

# Examples of key derivation from IEEE 802.1X. Each entry of EXAMPLES contains a label, a context, and the key that is
# derived from EXAMPLE_CAK.
EXAMPLE_CAK = bytes.fromhex("135bd758b0ee5c11c55ff6ab19fdb199")
EXAMPLE_CKN = bytes.fromhex("96437a93ccf10d9dfe347846cce52c7d")
EXAMPLE_SAK = bytes.fromhex("0102030405060708090a0b0c0d0e0f10cd421cf86ba457938657675b01020304050607080d1f36cf00000001")
EXAMPLES = [
    (b"IEEE8021 KEK", EXAMPLE_CKN, "8f5a384c15d6ae9302b462e363d03ca6"),
    (b"IEEE8021 ICK", EXAMPLE_CKN, "8f1c5cb1c8ed2e5f047906e0473aad4d"),
    (b"IEEE8021 SAK", EXAMPLE_SAK, "045205925831ae59c14550ed59cc003d"),
]


@pytest.fixture(scope="module")
def peer():
    with mka_peer.MkaPeer(mka_peer.build()) as running:
        yield running


@pytest.fixture
def rng():
    return random.Random(37)


def test_cmac(peer, rng):
    for size, mac in RFC_4493.items():
        assert peer.cmac(RFC_4493_KEY, RFC_4493_TEXT[:size]).hex() == mac
    for size in range(200):
        key, data = rng.randbytes(rng.choice((16, 32))), rng.randbytes(size)
        assert peer.cmac(key, data) == model.cmac(key, data), size


def test_key_wrap(peer, rng):
    for (kek_bytes, size), wrapped in RFC_3394.items():
        kek = bytes(range(kek_bytes))
        key = bytes.fromhex("00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f")[:size]
        assert peer.wrap(kek, key).hex() == wrapped
        assert peer.unwrap(kek, bytes.fromhex(wrapped)) == (0, key)
    for _ in range(50):
        kek, key = rng.randbytes(rng.choice((16, 32))), rng.randbytes(rng.choice((16, 32)))
        wrapped = keywrap.aes_key_wrap(kek, key)
        assert peer.wrap(kek, key) == wrapped
        assert peer.unwrap(kek, wrapped) == (0, key)


def test_a_changed_wrapped_key_is_refused_and_leaves_nothing(peer, rng):
    kek, key = rng.randbytes(16), rng.randbytes(32)
    wrapped = peer.wrap(kek, key)
    for bit in range(8 * len(wrapped)):
        changed = (int.from_bytes(wrapped) ^ 1 << bit).to_bytes(len(wrapped))
        assert peer.unwrap(kek, changed) == (BAD_MESSAGE, bytes(len(key)))
    peer.unwrap(kek, wrapped)
    left = peer.stack()
    for secret in (kek[:8], *(key[n : n + 8] for n in range(0, len(key), 8))):
        assert secret not in left


@pytest.mark.parametrize(("label", "context", "key"), EXAMPLES)
def test_published_derived_keys(peer, label, context, key):
    assert peer.kdf(EXAMPLE_CAK, label, context, 128).hex() == key
    assert model.kdf(EXAMPLE_CAK, label, context, 128).hex() == key


@pytest.mark.parametrize("key_bytes", [16, 32])
def test_kdf(peer, rng, key_bytes):
    key = rng.randbytes(key_bytes)
    for label in (b"IEEE8021 ICK", b"IEEE8021 KEK", b"IEEE8021 SAK"):
        for size in (0, 1, 15, 16, 44, 60):
            for bits in (128, 256):
                context = rng.randbytes(size)
                assert peer.kdf(key, label, context, bits) == model.kdf(key, label, context, bits)


def members(rng, count):
    return tuple((rng.randbytes(12), rng.randrange(2**32)) for _ in range(count))


def key_use(rng):
    flags = (rng.randrange(4), rng.random() < 0.5, rng.random() < 0.5)
    return KeyUse(rng.randbytes(12), rng.randrange(2**32), *flags, rng.randrange(2**32))


def arbitrary(rng, entries=4):
    """Return an MKPDU with random fields, and with at most `entries` entries in its peer lists."""
    live = rng.randrange(entries + 1)
    sak = rng.choice((None, 16, 32))
    member = Member(CAK, rng.randbytes(rng.randrange(1, 33)))
    return member.mkpdu(
        mac=rng.randbytes(6), sci=rng.randbytes(8), mi=rng.randbytes(12), mn=rng.randrange(2**32),
        priority=rng.randrange(256), server=rng.random() < 0.5, desired=rng.random() < 0.5,
        capability=rng.randrange(4), version=rng.randrange(4), live=members(rng, live),
        potential=members(rng, rng.randrange(entries + 1 - live)),
        use=(key_use(rng), key_use(rng)) if rng.random() < 0.5 else None, delay_protect=rng.random() < 0.5,
        sak=None if sak is None else member.wrapped(rng.randrange(2**32), rng.randbytes(sak)),
        sak_an=rng.randrange(4), confidentiality=rng.randrange(4),
    )  # fmt: skip


def test_mkpdus_are_read_and_written_as_by_the_model(peer, rng):
    for _ in range(500):
        text = arbitrary(rng).without_icv()
        padding = bytes(rng.randrange(20))
        assert peer.rewrite(text + rng.randbytes(16) + padding) == (0, len(text), text)


def test_mkpdus_are_read_and_written_as_by_scapy(peer, rng):
    """The core must read a frame that the Python library Scapy has written, and Scapy must read a frame that the core
    has written.
    """
    for _ in range(100):
        mkpdu = arbitrary(rng)
        if mkpdu.sak is not None and len(mkpdu.sak) != 28:
            # Scapy supports only wrapped keys of 24 bytes, so skip this MKPDU.
            continue
        frame = mkpdu.without_icv() + bytes(16)
        packet = Ether(frame)
        packet[EAPOL].len = len(frame) - 18
        status, _, text = peer.rewrite(bytes(packet))
        assert status == 0
        assert text == frame[:-16]
        basic = Ether(text + bytes(16))[MKAPDU].basic_param_set
        assert (basic.actor_member_id, basic.actor_message_number, basic.cak_name) == (mkpdu.mi, mkpdu.mn, mkpdu.ckn)
        assert (basic.key_server, basic.macsec_capability) == (mkpdu.server, mkpdu.capability)
        sets = Ether(text + bytes(16))[MKAPDU].parameter_sets
        kinds = [s.param_set_type for s in sets if hasattr(s, "param_set_type")]
        expected = {1: mkpdu.live, 2: mkpdu.potential, 3: mkpdu.use is not None, 4: mkpdu.sak is not None}
        assert [kind for kind in kinds if kind in expected] == [kind for kind, there in expected.items() if there]


def test_sets_that_are_not_known_and_an_icv_indicator(peer, rng):
    mkpdu = replace(arbitrary(rng), more=model.parameter_set(8, b"xpn") + model.parameter_set(99, bytes(41)))
    text = replace(mkpdu, more=b"").without_icv()
    assert peer.rewrite(mkpdu.without_icv() + bytes(16))[2][18:] == text[18:]
    whole = replace(mkpdu, indicator=True).without_icv()
    assert peer.rewrite(whole + bytes(16))[:2] == (0, len(whole))


def test_lists_of_every_length(peer, rng):
    for count in range(92):
        mkpdu = replace(arbitrary(rng, 0), live=members(rng, count), sak=None, use=None)
        frame = mkpdu.without_icv() + bytes(16)
        assert peer.rewrite(frame)[0] == (0 if len(frame) <= 1514 else BAD_MESSAGE), count


def test_a_frame_that_ends_early_is_refused(peer, rng):
    """Cut an MKPDU after each of its bytes, in two ways. First keep the original length field. Then adapt the length
    field to the cut frame.
    """
    for _ in range(20):
        frame = arbitrary(rng).without_icv() + rng.randbytes(16)
        for size in range(len(frame)):
            assert peer.rewrite(frame[:size])[0] == BAD_MESSAGE
            if size > 18:
                shorter = frame[:16] + struct.pack(">H", size - 18) + frame[18:size]
                status, protected, _ = peer.rewrite(shorter)
                assert status == BAD_MESSAGE or protected == size - 16


@pytest.mark.parametrize(
    ("at", "value"),
    [(0, 3), (5, 4), (12, 0x08), (14, 2), (15, 4), (16, 0x80), (17, 0xFF), (46, 1), (49, 2), (20, 0x0F), (21, 28)],
)
def test_a_wrong_field_is_refused(peer, rng, at, value):
    """The core must refuse an MKPDU if one of these is wrong: the group address, the EtherType, the EAPOL version, the
    EAPOL type, a length, the algorithm, or the length of the CKN.
    """
    frame = bytearray(replace(arbitrary(rng), ckn=CKN).without_icv() + bytes(16))
    assert peer.rewrite(bytes(frame))[0] == 0
    frame[at] = value
    assert peer.rewrite(bytes(frame))[0] == BAD_MESSAGE


@pytest.mark.parametrize(
    "wrong",
    [
        model.parameter_set(model.LIVE, bytes(15)),
        model.parameter_set(model.POTENTIAL, bytes(17)),
        model.parameter_set(model.LIVE, bytes(16)) * 2,
        model.parameter_set(model.USE, bytes(36)),
        model.parameter_set(model.USE, bytes(40)) * 2,
        model.parameter_set(model.SAK, bytes(27)),
        model.parameter_set(model.SAK, bytes(32)),
        model.parameter_set(model.SAK, bytes(28)) * 2,
        model.parameter_set(model.SAK, bytes(4) + model.GCM_AES_256 + bytes(24)),
        model.parameter_set(model.SAK, bytes(4) + model.GCM_AES_128 + bytes(40)),
        model.parameter_set(model.ICV_INDICATOR, bytes(12)),
        struct.pack(">BBH", 7, 0, 4095),
    ],
)
def test_a_wrong_parameter_set_is_refused(peer, rng, wrong):
    mkpdu = replace(arbitrary(rng, 0), use=None, sak=None, more=wrong)
    assert peer.rewrite(mkpdu.without_icv() + bytes(16))[0] == BAD_MESSAGE


def test_any_bytes(peer, rng):
    """Change random bytes of MKPDUs. The sanitizers notice if the core reads beyond the frame."""
    for _ in range(3000):
        frame = bytearray(arbitrary(rng).without_icv() + bytes(16))
        for _ in range(rng.randrange(1, 4)):
            frame[rng.randrange(16, len(frame))] = rng.randrange(256)
        peer.rewrite(bytes(frame))
