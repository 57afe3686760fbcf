# SPDX-License-Identifier: BSD-2-Clause
"""Test frames that a SecY sends, against the reference model: lengths, settings, and the last packet
number.
"""

import random
from collections import Counter

import pytest

from tests.gateware.net.macsec.bench import OWN, SENT, Bench, number
from tests.gateware.net.macsec.reference import Association, protect
from tests.gateware.net.macsec.vectors import vectors

EAPOL = bytes.fromhex("0180c2000003 024300000001 888e".replace(" ", ""))


@pytest.fixture(scope="module")
def simulated():
    bench = Bench()
    yield bench
    bench.sim.close()


@pytest.fixture
def bench(simulated):
    simulated.power_on()
    return simulated


def frame_of(rng: random.Random, length: int) -> bytes:
    return rng.randbytes(12) + b"\x08\0" + rng.randbytes(length - 14)


def sent(bench, frames, **options) -> list[bytes]:
    """Send these frames through the SecY; return the frames that leave."""
    return [frame for frame, _ in bench.exchange(frames, **options)[SENT]]


@pytest.mark.parametrize("name", vectors())
def test_annex_c(bench, name):
    """The SecY sends each vector of annex C, with the vector's packet number and settings."""
    vector, transmit = vectors()[name], bench.secy.transmit
    bench.power_on(own=vector.sci)
    bench.set(
        {
            transmit.encrypt: vector.tci >> 3 & 1,
            transmit.include_sci: vector.tci >> 5 & 1,
            transmit.end_station: vector.tci >> 6 & 1,
            transmit.an: vector.tci & 3,
        }
    )
    bench.install(SENT, vector.tci & 3, vector.association)
    (frame,) = sent(bench, [vector.frame])
    assert frame.startswith(vector.header) and frame.endswith(vector.icv)
    assert len(frame) == len(vector.header) + len(vector.frame) - 12 + 16


@pytest.mark.parametrize("encrypt", [1, 0])
def test_lengths_with_each_setting(bench, encrypt):
    """Send frames near the shortest and longest allowed length, without pauses. `test_secy` tests every length."""
    rng = random.Random(encrypt)
    sa, transmit = Association(rng.randbytes(32), OWN), bench.secy.transmit
    bench.install(SENT, 1, sa)
    bench.set({transmit.encrypt: encrypt, transmit.an: 1})
    for sci, station in [(1, 0), (0, 0), (0, 1)]:
        bench.set({transmit.include_sci: sci, transmit.end_station: station})
        lengths = [*range(17, 100), 1514, *range(1515, 1519)]
        frames = [frame_of(rng, length) for length in rng.sample(lengths, len(lengths))]
        expected = [protect(f, sa, 1, encrypt=bool(encrypt), include_sci=sci, end_station=station) for f in frames]
        assert sent(bench, frames) == expected
    assert bench.counters() == {"OutPktsEncrypted" if encrypt else "OutPktsProtected": 3 * 88}
    assert bench.sim.peek(bench.side(SENT).live) == 2


@pytest.mark.parametrize(("idle", "stall"), [(0.0, 0.7), (0.7, 0.0), (0.5, 0.5)])
def test_pauses(bench, idle, stall):
    rng = random.Random(repr((idle, stall)))
    sa = Association(rng.randbytes(16), OWN)
    bench.install(SENT, 0, sa)
    frames = [frame_of(rng, rng.choice([17, 60, 61, 100, 300])) for _ in range(30)]
    expected = [protect(frame, sa, 0) for frame in frames]
    assert sent(bench, frames, idle=idle, stall=stall) == expected


def test_the_association_changes_between_frames(bench):
    """Switch between four keys at random times. Each frame is protected entirely under one of these keys."""
    rng = random.Random(4)
    associations = [
        Association(rng.randbytes(16), OWN),
        Association(rng.randbytes(32), OWN, pn=77),
        Association(rng.randbytes(16), OWN, pn=2**40, ssci=rng.randbytes(4), salt=rng.randbytes(12)),
        Association(rng.randbytes(32), OWN, pn=2**32 - 5, ssci=rng.randbytes(4), salt=rng.randbytes(12)),
    ]
    for an, sa in enumerate(associations):
        bench.install(SENT, an, sa)
    frames = [frame_of(rng, rng.randrange(60, 200)) for _ in range(60)]
    changes = {rng.randrange(20, 2500): rng.randrange(4) for _ in range(40)}
    at = {cycle: lambda an=an: bench.sim.poke({bench.secy.transmit.an: an}) for cycle, an in changes.items()}
    used = Counter()
    for frame, out in zip(frames, sent(bench, frames, at=at), strict=True):
        an = out[14] & 3
        used[an] += 1
        assert out == protect(frame, associations[an], an)
    assert len(used) == 4
    assert bench.counters() == {"OutPktsEncrypted": 60}


@pytest.mark.parametrize("xpn", [False, True])
def test_packet_numbers_run_out(bench, xpn):
    """The SecY uses the last packet number once. Then only EAPOL passes, until a new key is installed."""
    rng = random.Random(xpn)
    extended = {"ssci": rng.randbytes(4), "salt": rng.randbytes(12)} if xpn else {}
    sa = Association(rng.randbytes(16), OWN, pn=2 ** (64 if xpn else 32) - 3, **extended)
    bench.install(SENT, 0, sa)
    assert bench.sim.peek(bench.secy.transmit.expiring)
    frames = [frame_of(rng, 60) for _ in range(6)]
    eapol = EAPOL + rng.randbytes(50)
    expected = [protect(frame, sa, 0) for frame in frames[:3]]
    assert sent(bench, [*frames, eapol]) == [*expected, eapol]
    assert bench.counters() == {"OutPktsEncrypted": 3, "OutPktsStopped": 3}
    assert bench.sim.peek(bench.side(SENT).exhausted) == 1 and bench.sim.peek(bench.side(SENT).live) == 0
    sa = Association(rng.randbytes(32), OWN)
    bench.install(SENT, 0, sa)
    assert sent(bench, frames[:1]) == [protect(frames[0], sa, 0)]
    assert bench.sim.peek(bench.side(SENT).exhausted) == 0 and not bench.sim.peek(bench.secy.transmit.expiring)


@pytest.mark.parametrize(("pn", "expiring"), [(0xBFFFFFFF, 0), (0xC0000000, 1), (1, 0)])
def test_a_key_expires_before_its_numbers_end(bench, pn, expiring):
    bench.install(SENT, 0, Association(bytes(16), OWN, pn=pn))
    assert bench.sim.peek(bench.secy.transmit.expiring) == expiring


def test_without_a_first_packet_number_nothing_is_sent(bench):
    """If a key's first packet number is 0, the SecY sends nothing. Without XPN, bits 63:32 of a number are ignored."""
    for pn in (0, 5 << 32):
        bench.install(SENT, 0, Association(bytes(16), OWN, pn=pn))
        assert sent(bench, [bytes(60)]) == []
        assert bench.sim.peek(bench.side(SENT).exhausted) == 1


def test_frames_without_protection(bench):
    """EAPOL leaves unprotected, with or without keys. Other frames leave unprotected only while protection is off."""
    rng = random.Random(5)
    frames = [frame_of(rng, 60), EAPOL + rng.randbytes(80), frame_of(rng, 1514)]
    assert sent(bench, frames) == frames[1:2]
    bench.set({bench.secy.transmit.protect: 0})
    assert sent(bench, frames) == frames
    bench.install(SENT, 0, Association(bytes(16), OWN))
    assert sent(bench, frames) == frames
    assert bench.counters() == {"OutPktsStopped": 2, "OutPktsUntagged": 4}


def test_lengths_that_are_refused(bench):
    """The SecY drops and counts frames that are too short or too long. The good frames before and after them leave."""
    rng = random.Random(6)
    sa = Association(rng.randbytes(16), OWN)
    bench.install(SENT, 0, sa)
    lengths = [60, *range(1, 17), 17, 1518, *range(1519, 1530), 1600, 3000, 9000, 60]
    frames = [rng.randbytes(length) for length in lengths]
    expected = [protect(frame, sa, 0) for frame in frames if 17 <= len(frame) <= 1518]
    assert sent(bench, frames) == expected
    assert bench.counters() == {"OutPktsEncrypted": 4, "OutPktsTooShort": 16, "OutPktsTooLong": 14}


def test_software_reads_the_next_packet_number(bench):
    sa = Association(bytes(16), OWN, pn=0x12345678)
    bench.install(SENT, 2, sa)
    bench.set({bench.secy.transmit.an: 2})
    sent(bench, [bytes(60)] * 3)
    reader = bench.side(SENT).readers[-1]
    bench.set({reader.an: 2})
    bench.sim.clock()
    assert bench.sim.peek(reader.pn) == 0x1234567B


def test_keys_change_while_frames_are_sent(bench):
    """While the keys change, the SecY may drop frames. Each frame that the SecY sends is protected under one of the
    installed keys. No packet number is used twice.
    """
    rng = random.Random(7)
    keys = [Association(rng.randbytes(rng.choice([16, 32])), OWN, pn=1000 * n + 1) for n in range(12)]
    bench.install(SENT, 0, keys[0])
    frames = [frame_of(rng, rng.choice([60, 100, 400])) for _ in range(150)]
    installing = {}

    def begin(n: int):
        installing[n] = bench.begin_install(SENT, 0, keys[n])

    def words(cycle: int):
        """Continue to install a key: set the SecY's inputs for one cycle."""
        for generator in list(installing.values())[:1]:
            writes, reply = [], None
            try:
                while True:
                    request = generator.send(reply)
                    reply = None
                    if request is None:
                        break
                    if hasattr(request, "nbits"):
                        reply = bench.sim.peek(request)
                    else:
                        writes += request if isinstance(request, list) else [request]
            except StopIteration:
                installing.pop(next(iter(installing)))
            bench.sim.poke({write.l: getattr(write.r, "value", write.r) for write in writes})

    at = {cycle: lambda cycle=cycle: words(cycle) for cycle in range(1, 9000)}
    for n in range(1, 12):
        start = 500 * n + rng.randrange(300)
        at[start] = lambda n=n: begin(n)
    found = sent(bench, frames, at=at, most=60_000)
    numbers, place = set(), 0
    for out in found:
        pn = int.from_bytes(out[16:20], "big")
        sa = keys[pn // 1000]
        assert pn not in numbers, "a packet number was used twice"
        numbers.add(pn)
        while True:  # find the next frame that the SecY did not drop
            frame, place = frames[place], place + 1
            if out == protect(frame, Association(sa.key, OWN, pn), 0):
                break
    counters = bench.counters()
    assert counters["OutPktsEncrypted"] == len(found) > 60
    assert counters["OutPktsEncrypted"] + counters["OutPktsStopped"] == 150
    assert len({pn // 1000 for pn in numbers}) > 6


def test_a_setting_of_the_own_sci(bench):
    """The SecY uses the configured SCI in the tag and in the IV."""
    other = bytes.fromhex("0011223344550007")
    bench.set({bench.secy.sci: number(other)})
    sa = Association(bytes(range(16)), other)
    bench.install(SENT, 0, sa)
    assert sent(bench, [bytes(100)]) == [protect(bytes(100), sa, 0)]
