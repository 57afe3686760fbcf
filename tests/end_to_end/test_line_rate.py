# SPDX-License-Identifier: BSD-2-Clause
"""Tests how much goodput a session keeps while another host, the stranger, floods the Ethernet wire to the simulated
board. The session uses the CPU or the fast path.

The stranger sends without a pause at 1 Gb/s: up to 1.5 million frames a second. Time is counted in cycles.
"""

import random

import pytest
from cipherlane_base.wire.layout import Engine

from tests.end_to_end.scripted_wire import FAST_PATH, FAST_PATH_MAC, Peer, reply_in, scripted_board
from tests.firmware import frames as f
from tests.firmware import records as r

pytestmark = pytest.mark.simboard

OWNER, NEWCOMER = bytes((192, 168, 1, 100)), bytes((192, 168, 1, 120))
STRANGER, STRANGER_MAC = bytes((192, 168, 1, 238)), bytes.fromhex("0a00000000ee")
KEY, RECORD_BYTES, RECORDS = bytes(range(16)), 1440, 24
CPU_WINDOW, FAST_WINDOW = 5, 4  # records in flight
CPU_SHARE, FAST_SHARE = 0.5, 0.95
# AGAIN: cycles after which the host repeats an unanswered record. Even the slowest engine answers a whole window of
# records in fewer cycles. QUIET: cycles that are enough for the board to zeroize the frame buffers (slots) of its MAC.
AGAIN, QUIET = 400_000, 300_000
NEWCOMER_AGAIN, NEWCOMER_ATTEMPTS = 3_000, 4_000


@pytest.fixture(scope="module")
def wire():
    with scripted_board() as wire:
        yield wire


@pytest.fixture
def owner(wire):
    """Yield a host that can open a session. After the test, end the flood, and close the session if the host has one
    open.
    """
    owner = Peer(wire, OWNER)
    yield owner
    wire.flood()
    wire.wait(QUIET)
    if owner.session:
        owner.close()


def ip(payload, protocol, to, mac):
    return f.ethernet(f.ipv4(payload, protocol, to=to, sender=STRANGER), to=mac, sender=STRANGER_MAC)


def ping(size, to=f.BOARD, mac=f.BOARD_MAC):
    packet = f.echo_request(bytes(size))[34 : 34 + 8 + size]
    return ip(packet, f.ICMP, to, mac)


def datagram(record, to=f.BOARD, mac=f.BOARD_MAC):
    return ip(f.udp(record, to=to, sender=STRANGER, from_port=41000), f.UDP, to, mac)


HARDWARE = {"to": FAST_PATH, "mac": FAST_PATH_MAC}
SHORT = ["another type", "short pings", "refused openings"]
TO_CPU = {
    "another type": f.ethernet(bytes(46), 0x88B5, sender=STRANGER_MAC),
    "another type, to all": f.ethernet(bytes(46), 0x88B5, to=b"\xff" * 6, sender=STRANGER_MAC),
    "another protocol": ip(bytes(26), 6, f.BOARD, f.BOARD_MAC),
    "short pings": ping(10),
    "long pings": ping(1400),
    "ARP requests": f.arp_request(sender=STRANGER, sender_mac=STRANGER_MAC),
    "records": datagram(r.record(r.INFO)),
    "records of another version": datagram(r.record(r.INFO, version=9)),
    "long records": datagram(r.record(r.DATA, bytes(1440), session=7)),
    "refused openings": datagram(r.record(r.OPEN_TYPE, r.open_data(KEY, bytes(16), record_bytes=3))),
}
TO_HARDWARE = {
    "short pings": ping(10, **HARDWARE),
    "pings": ping(60, **HARDWARE),
    "long pings": ping(128, **HARDWARE),
    "short records": datagram(r.record(r.DATA, bytes(16), session=7), **HARDWARE),
    "long records": datagram(r.record(r.DATA, bytes(1440), session=7), **HARDWARE),
    "ARP requests": f.arp_request(target=FAST_PATH, sender=STRANGER, sender_mac=STRANGER_MAC),
    **{f"{name} to the CPU": frame for name, frame in TO_CPU.items()},
}


def some(floods, short):
    """Return the names in `floods` as parameters of a test. Every test run uses the names that are also in `short`.
    Only the thorough suite uses the other names.
    """
    return [name if name in short else pytest.param(name, marks=pytest.mark.thorough) for name in floods]


def initial(text: str) -> bytes:
    """Return an initial counter block that no other session in this file uses."""
    return random.Random(text).randbytes(16)


@pytest.mark.parametrize("flood", some(TO_CPU, SHORT))
def test_half_of_the_goodput_remains_on_the_cpu_s_path(wire, owner, flood):
    """During a flood, the session must keep half of its goodput and lose no record. The test sends two streams of
    records during the flood, and measures only the second stream. During the first stream, the flood uses up the CPU
    cycles that the board has saved up for hosts without a session.
    """
    owner.open(KEY, initial(f"cpu {flood}"), Engine.ACCELERATOR, RECORD_BYTES)
    wire.wait(QUIET)
    alone, resent = owner.stream(RECORDS, CPU_WINDOW, again=AGAIN)
    assert resent == 0
    wire.flood(TO_CPU[flood])
    assert owner.stream(RECORDS, CPU_WINDOW, again=4 * AGAIN)[1] == 0
    beside, resent = owner.stream(RECORDS, CPU_WINDOW, again=4 * AGAIN)
    print(f"CPU's path beside {flood}: {alone / beside:.1%} of the goodput")
    assert resent == 0
    assert alone >= CPU_SHARE * beside


@pytest.mark.parametrize("flood", some(TO_HARDWARE, ["long pings", "ARP requests", "short pings to the CPU"]))
def test_nearly_all_of_the_goodput_remains_on_the_fast_path(wire, owner, flood):
    """During a flood, the session must keep 95 % of its goodput. The test measures the goodput twice, and each time the
    session has half of the wire. The other half of the wire is idle in the first measurement, and carries the flood in
    the second measurement.
    """
    owner.open(KEY, initial(f"fast {flood}"), Engine.FASTPATH, RECORD_BYTES)
    wire.wait(QUIET)
    wire.flood(TO_HARDWARE[flood], silent=True)
    alone, resent = owner.stream(RECORDS, FAST_WINDOW, fast_path=True, again=AGAIN)
    assert resent == 0
    wire.flood(TO_HARDWARE[flood])
    beside, resent = owner.stream(2 * RECORDS, FAST_WINDOW, fast_path=True, again=AGAIN)
    beside /= 2
    print(f"fast path beside {flood}: {alone / beside:.1%} of the goodput")
    assert resent == 0
    assert alone >= FAST_SHARE * beside


@pytest.mark.parametrize("flood", some(["another type", "short pings", "records", "long records"], ["another type"]))
def test_a_newcomer_gets_in_beside_a_stranger(wire, owner, flood):
    """A new host opens a session during a flood. The host repeats its request at random moments, until a request finds
    a free slot in the MAC. During a flood of records, the request must also wait for CPU time: the board limits the CPU
    time that it spends on hosts without a session.
    """
    owner.open(KEY, initial(f"owner {flood}"), Engine.ACCELERATOR, RECORD_BYTES)
    newcomer, rng = Peer(wire, NEWCOMER, token=5), random.Random(flood)
    request = r.open_data(KEY, initial(f"newcomer {flood}"), engine=Engine.ACCELERATOR, record_bytes=RECORD_BYTES)
    opening = newcomer.frame(r.record(r.OPEN_TYPE, request, token=newcomer.token))
    wire.flood(TO_CPU[flood])
    owner.stream(RECORDS, CPU_WINDOW, again=4 * AGAIN)
    answer = b""
    for _ in range(NEWCOMER_ATTEMPTS):
        wire.wait(rng.randrange(1, NEWCOMER_AGAIN))
        answer = wire.ask(opening, newcomer.is_mine, NEWCOMER_AGAIN)
        if answer:
            break
    assert answer, "its opening never came through"
    newcomer.session = r.opened(reply_in(answer)).session
    wire.flood()
    wire.wait(QUIET)  # late answers to the repeated open requests arrive now and are ignored
    newcomer.close()


def test_the_mac_counts_what_it_drops_and_a_close_ends_the_reservation(wire, owner):
    """The Ethernet MAC reserves most of its frame buffers (slots) for hosts with a session. While no session is open,
    hosts without a session can use all slots.
    """
    owner.open(KEY, initial("counts"), Engine.ACCELERATOR, RECORD_BYTES)
    before = _overflows(owner)
    wire.flood(TO_CPU["another type"])
    wire.wait(QUIET)
    assert _overflows(owner) > before + QUIET // 100, "nearly all of the wire's frames"
    wire.flood()
    owner.close()
    taken = []
    for _ in range(2):
        # The six frames arrive one right after the other, so each needs a slot of its own in the MAC.
        for n in range(6):
            stranger = Peer(wire, bytes((192, 168, 1, 200 + n)))
            wire.send(stranger.frame(r.record(r.INFO)))
        end, seen = wire.cycle + QUIET, 0
        while wire.cycle < end:
            seen += bool(wire.turn())
        taken.append(seen)
        owner.session = 0
        owner.open(KEY, initial(f"again {len(taken)}"), Engine.ACCELERATOR, RECORD_BYTES)
    assert taken[0] == 6 and 0 < taken[1] <= 2, "then the slots for strangers alone"


def _overflows(owner: Peer) -> int:
    return int.from_bytes(owner.ask(r.NETWORK, attempts=100).data[-4:], "little")
