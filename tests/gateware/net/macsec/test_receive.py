# SPDX-License-Identifier: BSD-2-Clause
"""Test frames that a SecY receives, against the reference model: delivered frames and counters."""

import random
from collections import Counter

import pytest

from tests.gateware.net.macsec.bench import PEER, RECEIVED, Bench
from tests.gateware.net.macsec.reference import CHECK, DISABLED, STRICT, Association, Receiver, padded, protect, seal
from tests.gateware.net.macsec.test_transmit import EAPOL, frame_of
from tests.gateware.net.macsec.vectors import vectors


@pytest.fixture(scope="module")
def simulated():
    bench = Bench()
    yield bench
    bench.sim.close()


@pytest.fixture
def bench(simulated):
    simulated.power_on()
    return simulated


class Link:
    """A simulated SecY and its reference model. Both get the same frames and settings."""

    def __init__(self, bench, associations: dict[int, Association], **settings):
        self.bench = bench
        self.model = Receiver(PEER, {})
        for an, sa in associations.items():
            self.install(an, sa)
        self.settings(**settings)

    def install(self, an: int, sa: Association):
        self.bench.install(RECEIVED, an, sa)
        self.model.associations[an] = Association(sa.key, PEER, sa.pn, sa.ssci, sa.salt)

    def settings(self, **settings):
        """Change settings of both the SecY and its model."""
        for name, value in settings.items():
            setattr(self.model, name, value)
        names = {"in_use": "receive"}
        receive = self.bench.secy.receive
        self.bench.set({getattr(receive, names.get(name, name)): int(value) for name, value in settings.items()})

    def check(self, frames, **options) -> list[bytes]:
        """Receive frames. Compare delivered frames and counters with the model. Return the delivered frames."""
        expected = [found for frame in frames if (found := self.model.take(frame))]
        found = self.bench.exchange(received=frames, **options)[RECEIVED]
        assert found == expected
        assert self.bench.counters() == self.model.counters
        return [frame for frame, _ in found]


@pytest.mark.parametrize("name", vectors())
def test_annex_c(bench, name):
    """The SecY delivers each frame of annex C (IEEE 802.1AE), but drops a copy with one changed bit in the ICV."""
    vector = vectors()[name]
    bench.power_on(peer=vector.sci)
    bench.install(RECEIVED, vector.tci & 3, vector.association)
    frame = seal(vector.frame, vector.association, vector.pn, vector.tci)
    assert frame.endswith(vector.icv)
    forged = frame[:-1] + bytes([frame[-1] ^ 1])
    assert bench.exchange(received=[forged, frame])[RECEIVED] == [(vector.frame, False)]
    assert bench.counters() == {"InPktsOK": 1, "InPktsNotValid": 1}


@pytest.mark.parametrize("encrypt", [True, False])
def test_lengths_with_each_setting(bench, encrypt):
    """Receive short and long frames. Short frames contain at least 1 byte of data, and the padding that a MAC adds.
    `test_secy` tests every length.
    """
    rng = random.Random(encrypt)
    sa = Association(rng.randbytes(16), PEER)
    link = Link(bench, {3: sa})
    for sci, station in [(True, False), (False, False), (False, True)]:
        frames = []
        for length in rng.sample([*range(13, 100), *range(1510, 1519)], 96):
            # If bit ES of the SecTAG is set, the first 6 bytes of the SCI must be the frame's source address.
            address = rng.randbytes(6) + (PEER[:6] if station else rng.randbytes(6))
            frame = address + rng.randbytes(length - 12)
            frames.append(padded(protect(frame, sa, 3, encrypt=encrypt, include_sci=sci, end_station=station)))
        assert len(link.check(frames)) == 96


@pytest.mark.parametrize(("idle", "stall"), [(0.0, 0.6), (0.7, 0.0), (0.5, 0.4)])
def test_pauses(bench, idle, stall):
    rng = random.Random(repr((idle, stall)))
    sa = Association(rng.randbytes(16), PEER)
    link = Link(bench, {0: sa})
    frames = [padded(protect(frame_of(rng, rng.choice([17, 60, 61, 100, 300])), sa, 0)) for _ in range(30)]
    assert len(link.check(frames, idle=idle, stall=stall)) == 30


def mutilated(rng: random.Random, frame: bytes) -> bytes:
    """Return the frame with one random change: in any bit, in a SecTAG field, in the ICV, or in the length."""
    how = rng.randrange(9)
    changed = bytearray(frame)
    if how == 0:  # any bit
        changed[rng.randrange(len(frame))] ^= 1 << rng.randrange(8)
    elif how == 1:  # the ICV
        changed[-1 - rng.randrange(16)] ^= 1 << rng.randrange(8)
    elif how == 2:  # TCI and AN
        changed[14] = rng.choice([changed[14] ^ 1 << rng.randrange(8), rng.randrange(256)])
    elif how == 3:  # SL
        changed[15] = rng.choice([0, rng.randrange(48), rng.randrange(256)])
    elif how == 4:  # the packet number
        changed[16 + rng.randrange(4)] ^= 1 << rng.randrange(8)
    elif how == 5:  # truncated
        return frame[: rng.randrange(17, len(frame))]
    elif how == 6:  # longer
        return frame + rng.randbytes(rng.randrange(1, 20))
    elif how == 7:  # no SecTAG
        return frame[:12] + rng.choice([b"\x08\0", b"\x88\x8e"]) + frame[14:]
    else:  # change the SCI, or the data if the tag contains no SCI
        changed[20 + rng.randrange(8)] ^= 1 << rng.randrange(8)
    return bytes(changed)


@pytest.mark.parametrize("validate", [STRICT, CHECK, DISABLED])
@pytest.mark.parametrize(("replay_protect", "window"), [(True, 0), (True, 20), (False, 5)])
def test_random_frames(bench, validate, replay_protect, window):
    """Frames use three associations with different cipher suites. Two of these associations are enabled. Half of the
    frames are damaged. Some frames come twice, late, or out of order.
    """
    rng = random.Random(repr((validate, replay_protect, window)))
    senders = {
        0: Association(rng.randbytes(16), PEER, pn=5),
        1: Association(rng.randbytes(32), PEER, pn=2**32 - 20, ssci=rng.randbytes(4), salt=rng.randbytes(12)),
        2: Association(rng.randbytes(32), PEER),
    }
    link = Link(bench, senders, validate=validate, replay_protect=replay_protect, window=window, in_use=0b1011)
    frames = []
    for _ in range(220):
        an = rng.choice([0, 0, 1, 1, 2])
        frame = frame_of(rng, rng.choice([17, 20, 40, 60, 61, 62, 63, 75, 90, 200]))
        sealed = padded(protect(frame, senders[an], an, encrypt=rng.random() < 0.6, include_sci=rng.random() < 0.6))
        if rng.random() < 0.1:
            senders[an].pn += rng.randrange(1, 80)  # lost frames
        place = max(0, len(frames) - rng.choice([0, 0, 0, 1, 3, 15, 60]))
        frames.insert(place, mutilated(rng, sealed) if rng.random() < 0.5 else sealed)
        if rng.random() < 0.1:
            frames.append(rng.choice(frames))
    delivered = link.check(frames)
    assert 20 < len(delivered) < 240
    expected = {"InPktsBadTag"}
    if validate != DISABLED:  # without validation, no frame raises the lowest acceptable PN
        expected |= {"InPktsLate"} if replay_protect else {"InPktsDelayed"}
    expected |= {STRICT: {"InPktsOK", "InPktsNotValid", "InPktsNoSAError", "InPktsNoTag"}}.get(validate, set())
    expected |= {CHECK: {"InPktsOK", "InPktsInvalid", "InPktsNoSA", "InPktsUntagged"}}.get(validate, set())
    expected |= {DISABLED: {"InPktsUnchecked", "InPktsNotValid", "InPktsNoSA"}}.get(validate, set())
    assert expected <= set(link.model.counters)


def test_every_bit_of_a_frame_is_authenticated(bench):
    """The SecY notices a change of any bit in a protected frame, with and without encryption. The test changes every
    bit except the bits of the EtherType.
    """
    rng = random.Random(8)
    for encrypt in (True, False):
        sa = Association(rng.randbytes(16), PEER)
        link = Link(bench, {0: sa})
        bench.base = bench.base + bench.counters()
        sealed = protect(frame_of(rng, 33), sa, 0, encrypt=encrypt)
        frames = []
        for bit in range(8 * len(sealed)):
            changed = bytearray(sealed)
            changed[bit // 8] ^= 1 << bit % 8
            if changed[12:14] == b"\x88\xe5":
                frames.append(bytes(changed))
        assert link.check([*frames, sealed]) == [sealed[:12] + frame_data(sealed, sa, encrypt)]
        assert link.model.counters["InPktsNotValid"] > 300


def frame_data(sealed: bytes, sa: Association, encrypt: bool) -> bytes:
    """Return the plaintext data of a protected frame whose SecTAG contains the SCI."""
    receiver = Receiver(PEER, {sealed[14] & 3: Association(sa.key, PEER)})
    return receiver.take(sealed)[0][12:]


@pytest.mark.parametrize("window", [0, 1, 8, 64])
def test_replays(bench, window):
    """Repeat frames at many distances. No frame passes twice. Late frames pass once if they are inside the window."""
    rng = random.Random(window)
    sa = Association(rng.randbytes(16), PEER)
    link = Link(bench, {0: sa}, window=window)
    sealed = [padded(protect(rng.randbytes(12) + bytes([8, 0, n]), sa, 0)) for n in range(150)]
    order = [0, 70, 70, *range(0, 71), *range(71, 100), 140, 77, *range(75, 145), 149, *range(150), *range(150)]
    delivered = link.check([sealed[n] for n in order])
    counts = Counter(frame[14] for frame in delivered)
    assert set(counts.values()) == {1}, "a frame passed twice"
    assert len(counts) > 80 if window == 64 else len(counts) > 30
    assert link.model.counters["InPktsLate"] == len(order) - len(counts)


def test_numbers_before_the_first_are_replays(bench):
    """An association that begins with packet number 100 refuses lower numbers, even inside the replay window."""
    rng = random.Random(1)
    sender = Association(rng.randbytes(16), PEER, pn=90)
    link = Link(bench, {0: Association(sender.key, PEER, pn=100)}, window=64)
    frames = [padded(protect(frame_of(rng, 60), sender, 0)) for _ in range(20)]
    assert len(link.check(frames)) == 10


def test_xpn_crosses_the_middle_and_the_end_of_32_bits(bench):
    """Receive XPN packet numbers near multiples of 2^31: in order, out of order inside the window, and after losses."""
    rng = random.Random(2)
    for n, start in enumerate([2**31 - 3, 2**32 - 3, 3 * 2**31 - 2, 7 * 2**32 - 4, 2**63 - 2, 2**64 - 8]):
        extended = {"ssci": rng.randbytes(4), "salt": rng.randbytes(12)}
        key = rng.randbytes(16)
        sender = Association(key, PEER, start, **extended)
        link = Link(bench, {n % 4: Association(key, PEER, start, **extended)}, window=8)
        bench.base = bench.base + bench.counters()
        frames = [padded(protect(frame_of(rng, 60), sender, n % 4)) for _ in range(7)]
        order = [0, 1, 3, 2, 6, 4, 5, 6, 3]
        assert len(link.check([frames[m] for m in order])) == 7
        if start < 2**63 - 2:
            sender.pn += 2**31 - 2**10  # skip numbers, as if almost 2^31 frames were lost
            assert len(link.check([padded(protect(frame_of(rng, 60), sender, n % 4))])) == 1


def test_ports(bench):
    """EAPOL goes to the uncontrolled port, with any keys and settings. Protected EAPOL goes to the controlled port."""
    rng = random.Random(3)
    sa = Association(rng.randbytes(16), PEER)
    link = Link(bench, {0: sa})
    eapol, other = EAPOL + rng.randbytes(46), frame_of(rng, 60)
    link.check([eapol, padded(protect(eapol, sa, 0)), other])
    link.settings(validate=CHECK)
    link.check([eapol, other, padded(protect(eapol, sa, 0))])
    link.settings(in_use=0)
    link.check([eapol, other, padded(protect(other, sa, 0))])


def test_errors_of_the_mac(bench):
    """The SecY drops and counts frames with a wrong check sequence or length. The good frames before and after them
    pass.
    """
    rng = random.Random(4)
    sa = Association(rng.randbytes(16), PEER)
    Link(bench, {0: sa})
    good = [padded(protect(frame_of(rng, 100), sa, 0)) for _ in range(6)]
    wrong = [(padded(protect(frame_of(rng, length), sa, 0)), True) for length in (17, 300, 1518)]
    odd = [rng.randbytes(length) for length in (1, 4, 5, 12, 13, 16, 1551, 1553, 3000)]
    frames = [good[0], wrong[0], good[1], *odd[:5], good[2], wrong[1], wrong[2], good[3], *odd[5:], good[4], good[5]]
    found = bench.exchange(received=frames)[RECEIVED]
    assert len(found) == 6
    assert bench.counters() == {"InPktsOK": 6, "InErrors": 12}
    longest = protect(frame_of(rng, 1518), sa, 0)
    assert len(longest) == 1550 and len(bench.exchange(received=[longest])[RECEIVED]) == 1


def test_overrun(bench):
    """If frames leave too slowly, the buffer fills up. Then the SecY drops and counts frames; later frames pass."""
    rng = random.Random(5)
    sa = Association(rng.randbytes(16), PEER)
    Link(bench, {0: sa})
    frames = [padded(protect(frame_of(rng, rng.choice([60, 1500, 1500])), sa, 0)) for _ in range(30)]
    plain = [Receiver(PEER, {0: Association(sa.key, PEER, n + 1)}).take(frame) for n, frame in enumerate(frames)]
    found = bench.exchange(received=frames, pace=0, stall=0.9, quiet=2000, most=400_000)[RECEIVED]
    counters = bench.counters()
    assert counters["InPktsOverrun"] > 5
    assert counters["InPktsOK"] == len(found) == 30 - counters["InPktsOverrun"]
    rest = iter(plain)
    assert all(frame in rest for frame in found), "a frame is damaged, or the order is wrong"
    frames = [padded(protect(frame_of(rng, 60), sa, 0)) for _ in range(3)]
    assert len(bench.exchange(received=frames)[RECEIVED]) == 3


def test_another_peer_and_associations_without_key(bench):
    rng = random.Random(6)
    other = bytes.fromhex("02a1b2c3d4e50002")
    sa = Association(rng.randbytes(16), PEER)
    stranger = Association(sa.key, other)
    link = Link(bench, {1: sa})
    for validate in (STRICT, CHECK, DISABLED):
        link.settings(validate=validate)
        frame = frame_of(rng, 80)
        frames = [protect(frame, stranger, 1, encrypt=encrypt) for encrypt in (True, False)]
        frames += [protect(frame, sa, an, encrypt=encrypt) for an in (0, 1, 2) for encrypt in (True, False)]
        frames += [protect(frame, sa, 1, include_sci=False, end_station=True)]  # another source address
        frames += [seal(frame, sa, 1000 + validate, tci) for tci in (0x11, 0x1D, 0x51)]  # SCB
        link.check(frames)
