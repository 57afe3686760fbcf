# SPDX-License-Identifier: BSD-2-Clause
"""Test both directions of a SecY at the same time: every frame length, scapy as peer, the full wire rate, and
zeroization at every cycle of a frame's passage.
"""

import random

import pytest
from scapy.contrib.macsec import MACsec, MACsecSA
from scapy.layers.l2 import Ether

from tests.gateware.net.macsec.bench import BETWEEN, OWN, PEER, RECEIVED, SENT, Bench
from tests.gateware.net.macsec.reference import Association, Receiver, padded, protect
from tests.gateware.net.macsec.test_transmit import EAPOL, frame_of

WIRE_NS = 8  # duration of a byte at 1 Gb/s


@pytest.fixture(scope="module")
def simulated():
    bench = Bench()
    yield bench
    bench.sim.close()


@pytest.fixture
def bench(simulated):
    simulated.power_on()
    return simulated


def both(bench, key: bytes, **options) -> tuple[Association, Association]:
    """Install a key in both directions. Return the associations for the SecY's frames and for the peer's frames."""
    own, peer = Association(key, OWN, **options), Association(key, PEER, **options)
    bench.install(SENT, 0, own)
    bench.install(RECEIVED, 0, peer)
    return own, peer


def test_every_length(bench):
    """Pass frames of every length from 60 to 1514 bytes in both directions, in random order, without a pause."""
    rng = random.Random(1)
    own, peer = both(bench, rng.randbytes(16))
    out, back = ([frame_of(rng, n) for n in rng.sample(range(60, 1515), 1455)] for _ in range(2))
    expected = [protect(frame, own, 0) for frame in out]
    found = bench.exchange(out, [protect(frame, peer, 0) for frame in back], pace=1.2)
    assert [frame for frame, _ in found[SENT]] == expected
    assert found[RECEIVED] == [(frame, False) for frame in back]
    assert bench.counters() == {"OutPktsEncrypted": 1455, "InPktsOK": 1455}


@pytest.mark.thorough  # this test takes minutes, because it sends a frame of every length with three settings
@pytest.mark.parametrize(("encrypt", "include_sci"), [(True, False), (False, True), (False, False)])
def test_every_length_with_other_settings(bench, encrypt, include_sci):
    rng = random.Random(repr((encrypt, include_sci)))
    own, peer = both(bench, rng.randbytes(32))
    bench.set({bench.secy.transmit.encrypt: int(encrypt), bench.secy.transmit.include_sci: int(include_sci)})
    settings = {"encrypt": encrypt, "include_sci": include_sci}
    out, back = ([frame_of(rng, n) for n in rng.sample(range(60, 1515), 1455)] for _ in range(2))
    expected = [protect(frame, own, 0, **settings) for frame in out]
    found = bench.exchange(out, [protect(frame, peer, 0, **settings) for frame in back])
    assert [frame for frame, _ in found[SENT]] == expected
    assert found[RECEIVED] == [(frame, False) for frame in back]


@pytest.mark.parametrize("encrypt", [0, 1])
@pytest.mark.parametrize("include_sci", [0, 1])
@pytest.mark.parametrize("xpn", [False, True])
def test_scapy_is_the_peer(bench, encrypt, include_sci, xpn):
    """The SecY delivers frames that scapy protects, and scapy verifies and decrypts frames that the SecY sends."""
    rng = random.Random(repr((encrypt, include_sci, xpn)))
    key, pn = rng.randbytes(16), rng.randrange(2**30)
    extended = {"ssci": rng.randbytes(4), "salt": rng.randbytes(12)} if xpn else {}
    pn |= rng.randrange(2**31) << 32 if xpn else 0
    both(bench, key, pn=pn, **extended)
    bench.set({bench.secy.transmit.encrypt: encrypt, bench.secy.transmit.include_sci: include_sci})
    options = {"icvlen": 16, "encrypt": encrypt, "send_sci": include_sci, "xpn_en": xpn, **extended}
    sender, receiver = (MACsecSA(sci, 0, pn, key, **options) for sci in (PEER, OWN))
    frames = [
        bytes.fromhex("020000000001020000000002") + b"\x88\xb5" + rng.randbytes(n) for n in (3, 46, 47, 48, 61, 300)
    ]
    received = []
    for frame in frames:
        received.append(padded(bytes(sender.encrypt(sender.encap(Ether(frame))))))
        sender.pn += 1
    found = bench.exchange(frames, received)
    assert [frame for frame, _ in found[RECEIVED]] == frames
    for frame, (sent, _) in zip(frames, found[SENT], strict=True):
        packet = Ether(sent)
        assert (len(frame) - 12 if len(frame) < 60 else 0) == packet[MACsec].SL
        assert bytes(receiver.decap(receiver.decrypt(packet))) == frame
        receiver.pn += 1


def wire_bytes(frame: bytes) -> int:
    """Return how many bytes a frame occupies on the wire, including preamble, check sequence and gap."""
    return max(len(frame), 60) + 4 * BETWEEN


@pytest.mark.parametrize("bits", [128, 256])
@pytest.mark.parametrize("length", [60, 64, 128, 512, 1514])
def test_rate(bench, bits, length):
    """At a system clock of 62.5 MHz, both directions run at the full wire rate of 1 Gb/s at the same time. No frame is
    lost, and sent frames leave at least as fast as the wire can take them.
    """
    rng = random.Random(length)
    own, peer = both(bench, rng.randbytes(bits // 8))
    count = 12 if length > 1000 else 40
    out, back = ([frame_of(rng, length) for _ in range(count)] for _ in range(2))
    sealed = [protect(frame, peer, 0) for frame in back]
    times = [[], []]
    found = bench.exchange(out, sealed, pace=2.0, times=times)
    assert [len(side) for side in found] == [count, count]
    assert [frame for frame, _ in found[SENT]] == [protect(frame, own, 0) for frame in out]
    cycles = [(side[-1][0] - side[3][0]) / (count - 4) for side in times]
    on_wire = wire_bytes(sealed[0]) / 4 * 2.0
    print(f"{length} bytes, AES-{bits}: {cycles[SENT]:.1f} cycles a frame to send, the wire takes {on_wire:.1f}")
    assert cycles[SENT] <= on_wire
    assert cycles[RECEIVED] <= 1.02 * on_wire


def test_latency(bench):
    """Count the cycles from the last word of a frame at the SecY's input to the frame's first word at the output."""
    _, peer = both(bench, bytes(32))
    for length, most in ((60, 110), (1514, 620)):
        frame = frame_of(random.Random(length), length)
        for direction, sent in ((SENT, frame), (RECEIVED, protect(frame, peer, 0))):
            times = [[], []]
            frames = [[], []]
            frames[direction] = [sent]
            bench.exchange(*frames, pace=1.0, times=times)
            words = -(-len(sent) // 4)
            ((begun, ended),) = times[direction]
            latency = begun - words - 1
            print(f"{length} bytes, direction {direction}: {latency} cycles, then {ended - begun + 1}")
            assert latency <= most and ended - begun + 1 <= words + 18


@pytest.mark.parametrize(
    "part",
    [0, *[pytest.param(part, marks=pytest.mark.thorough) for part in range(1, 8)]],  # each of the 8 parts takes 30 s
)
def test_zeroization_at_every_cycle(bench, part):
    """Zeroize keys while frames pass. No incomplete or wrong frame leaves, and new keys work afterwards."""
    rng = random.Random(part)
    for cycle in range(1 + part, 240, 8):
        key = rng.randbytes(16)
        own, peer = both(bench, key)
        assert bench.sim.peek(bench.side(SENT).live) == bench.sim.peek(bench.side(RECEIVED).live) == 1
        out, back = ([frame_of(rng, n) for n in (60, 75, 150)] for _ in range(2))
        expected = [protect(frame, own, 0) for frame in out]
        pulse = {
            cycle: lambda: bench.sim.poke({bench.secy.clear: 1}),
            cycle + 1: lambda: bench.sim.poke({bench.secy.clear: 0}),
        }
        found = bench.exchange(out, [padded(protect(frame, peer, 0)) for frame in back], at=pulse, quiet=900)
        assert [frame for frame, _ in found[SENT]] == expected[: len(found[SENT])]
        assert [frame for frame, _ in found[RECEIVED]] == back[: len(found[RECEIVED])]
        assert not bench.sim.peek(bench.side(SENT).live) and not bench.sim.peek(bench.secy.busy)
        assert bench.exchange(out, [padded(protect(frame, peer, 0)) for frame in back], quiet=300) == ([], [])
    counters = bench.counters()
    assert counters["OutPktsStopped"] > 60 and counters["InPktsNoSAError"] > 60


def test_one_association_is_zeroized(bench):
    """Zeroize one association while frames pass. The SecY drops the frames of this association, and passes the frames
    of all other associations.
    """
    rng = random.Random(2)
    keys = [rng.randbytes(16) for _ in range(4)]
    senders = [Association(key, PEER) for key in keys]
    for an, key in enumerate(keys):
        bench.install(SENT, an, Association(key, OWN))
        bench.install(RECEIVED, an, Association(key, PEER))
    for an in (2, 0):
        for direction in (SENT, RECEIVED):
            clear = bench.side(direction).clear_an
            frames = [protect(frame_of(rng, 60), senders[n % 4], n % 4) for n in range(24)]
            pulse = {
                200: lambda c=clear, n=an: bench.sim.poke({c: 1 << n}),
                201: lambda c=clear: bench.sim.poke({c: 0}),
            }
            found = bench.exchange(received=frames, at=pulse)[RECEIVED]
            assert not bench.sim.peek(bench.side(direction).live) >> an & 1
            model = Receiver(PEER, {n: Association(keys[n], PEER, senders[n].pn - 6) for n in range(4)})
            passed = [model.take(frame) for frame in frames]
            others = [frame for n, frame in enumerate(passed) if bench.sim.peek(bench.side(RECEIVED).live) >> n % 4 & 1]
            assert [frame for frame in found if frame in others] == others
    assert bench.sim.peek(bench.side(SENT).live) == bench.sim.peek(bench.side(RECEIVED).live) == 0b1010


def test_an_interrupted_key_is_not_used(bench):
    """`clear` removes the words of a partly written key, so the next key starts with its first word."""
    sa = Association(bytes(range(16)), OWN)
    words = bench.begin_install(SENT, 0, sa)
    bench.sim.run(first(words, 3), max_cycles=100)
    bench.sim.poke({bench.secy.install.valid: 0})
    bench.clear()
    bench.install(SENT, 0, sa)
    frame, eapol = bytes(range(100)), EAPOL + bytes(46)
    assert [found for found, _ in bench.exchange([frame, eapol])[SENT]] == [protect(frame, sa, 0), eapol]


def first(generator, steps: int):
    """Run a test bench, but only for its first `steps` cycles."""
    reply = None
    while steps:
        request = generator.send(reply)
        reply = yield request
        steps -= request is None
