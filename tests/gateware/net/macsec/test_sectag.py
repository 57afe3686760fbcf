# SPDX-License-Identifier: BSD-2-Clause
"""Test the gateware's checks of SecTAGs against the list in IEEE 802.1AE, 9.12. Also test our reference model of MACsec
against scapy and annex C.
"""

import random

import pytest
from migen import run_simulation
from scapy.contrib.macsec import MACsec, MACsecSA
from scapy.layers.l2 import Ether

from gateware.net.macsec.sectag import SecTAGChecks
from tests.gateware.net.macsec.reference import Association, protect, seal, tag, tag_is_valid
from tests.gateware.net.macsec.vectors import vectors

SCI = bytes.fromhex("02a1b2c3d4e50001")


def judged(cases: list[tuple[bytes, bool]]) -> list[tuple[bool, int]]:
    """Check each case (frame, XPN in use) in the gateware. Return (is the SecTAG valid, data length) for each case."""
    dut, found = SecTAGChecks(), []

    def bench():
        for frame, xpn in cases:
            body = frame[12:].ljust(8, b"\0")
            yield dut.tci.eq(body[2])
            yield dut.sl.eq(body[3])
            yield dut.pn.eq(int.from_bytes(body[4:8], "little"))
            yield dut.xpn.eq(xpn)
            yield dut.length.eq(len(frame))
            yield
            found.append((bool((yield dut.good)), (yield dut.data_length)))

    run_simulation(dut, bench())
    return found


def fuzzed(rng: random.Random) -> bytes:
    """Return a frame with a random SecTAG. In many of these frames, the tag and the length are right."""
    tci = rng.choice([0x20, 0x2C, 0x00, 0x0C, 0x4C, 0x40, 0x10, rng.randrange(256)]) | rng.randrange(4)
    sl = rng.choice([0, 0, rng.randrange(1, 48), rng.randrange(256)])
    around = 12 + (16 if tci & 0x20 else 8) + 16
    length = around + (sl & 63 or rng.choice([47, 48, 49, rng.randrange(1000)]))
    length = rng.choice([length, length, length - 1, length + 1, 60, rng.randrange(17, 1550)])
    pn = rng.choice([0, 1, rng.randrange(2**32)])
    return (rng.randbytes(12) + tag(tci, sl, pn, SCI)).ljust(length, b"\x55")[: max(length, 17)]


def test_checks_follow_the_standard():
    rng = random.Random(1)
    cases = [(fuzzed(rng), bool(rng.randrange(2))) for _ in range(4000)]
    passed = 0
    for (frame, xpn), (good, length) in zip(cases, judged(cases), strict=True):
        assert good == tag_is_valid(frame, xpn=xpn), frame.hex()
        if good:
            passed += 1
            data = frame[15] or len(frame) - 12 - (16 if frame[14] & 0x20 else 8) - 16
            assert length == data
    assert 500 < passed < 3500


@pytest.mark.parametrize("bit", range(8))
def test_each_bit_of_the_tag_is_checked_as_the_standard_says(bit):
    """Change one bit of a valid tag, in the byte of the TCI and AN, or in SL. Only a change of the AN, or a change of E
    from 1 to 0, leaves the tag valid.
    """
    good = bytes(12) + tag(0x2C, 20, 1, SCI) + bytes(20 + 16)
    tci, sl = bytearray(good), bytearray(good)
    tci[14] ^= 1 << bit
    sl[15] ^= 1 << bit
    (first, _), (second, _), (third, _) = judged([(good, False), (bytes(tci), False), (bytes(sl), False)])
    assert first
    assert second == (bit in (0, 1, 3))  # bits 0 and 1 are the AN; bit 3 is E, which may be 0 if C is 1
    assert not third


def test_scapy_makes_the_same_tags():
    rng = random.Random(2)
    for _ in range(200):
        fields = {name: rng.randrange(2) for name in ("Ver", "ES", "SC", "SCB", "E", "C")}
        an, sl, pn = rng.randrange(4), rng.randrange(64), rng.randrange(2**32)
        tci = an | sum(fields[name] << bit for bit, name in enumerate(("C", "E", "SCB", "SC", "ES", "Ver"), 2))
        packet = Ether(dst="02:00:00:00:00:01", src="02:00:00:00:00:02", type=0x88E5) / MACsec(
            **fields, AN=an, SL=sl, PN=pn, **({"SCI": SCI} if fields["SC"] else {})
        )
        assert bytes(packet)[12:] == tag(tci, sl, pn, SCI)


@pytest.mark.parametrize("encrypt", [0, 1])
@pytest.mark.parametrize("include_sci", [0, 1])
@pytest.mark.parametrize("xpn", [False, True])
def test_the_reference_agrees_with_scapy(encrypt, include_sci, xpn):
    rng = random.Random(repr((encrypt, include_sci, xpn)))
    for _ in range(10):
        key, an = rng.randbytes(rng.choice([16, 32])), rng.randrange(4)
        extended = {"ssci": rng.randbytes(4), "salt": rng.randbytes(12)} if xpn else {}
        pn = rng.randrange(1, 2 ** (64 if xpn else 32))
        frame = bytes.fromhex("020000000001020000000002") + b"\x88\xb5" + rng.randbytes(rng.randrange(3, 200))
        theirs = MACsecSA(SCI, an, pn, key, 16, encrypt, include_sci, xpn_en=xpn, **extended)
        sent = bytes(theirs.encrypt(theirs.encap(Ether(frame))))
        ours = Association(key, SCI, pn, **extended)
        assert protect(frame, ours, an, encrypt=encrypt, include_sci=include_sci) == sent


@pytest.mark.parametrize("name", vectors())
def test_the_reference_agrees_with_annex_c(name):
    vector = vectors()[name]
    sealed = seal(vector.frame, vector.association, vector.pn, vector.tci)
    assert sealed.startswith(vector.header) and sealed.endswith(vector.icv)
