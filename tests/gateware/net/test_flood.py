# SPDX-License-Identifier: BSD-2-Clause
"""Test floods: hosts without a session fill the wire between a session's datagrams. The fast path must serve the
session nearly as fast as without a flood.
"""

import random
from array import array

import pytest

from gateware.net.events import Event
from gateware.net.link.frame_checks import ECHO_BURST, ECHO_CYCLES
from tests.gateware.net import frames
from tests.gateware.net.frames import Peer, Session
from tests.gateware.net.gmii import CORE, GMII_HZ, GMIIBoard
from tests.gateware.net.script import BOARD_IP, BOARD_MAC, datagram, expected, on_wire, parse

RECORDS, RECORD_BYTES, DRAIN_CYCLES = 8, 1440, 20_000
MOST_SHARE = 0.05
LONG_RECORDS = 60  # records in a long flood: enough to fill the receive buffer if a backlog of frames grows


@pytest.fixture(scope="module")
def board():
    model = GMIIBoard(sys_hz=75_000_000, **CORE)
    yield model
    model.close()


def session_of(row: int, peer: Peer) -> Session:
    rng = random.Random(row)
    return Session(
        number=rng.getrandbits(32),
        peer=peer,
        token=rng.getrandbits(64),
        key=rng.randbytes(16),
        initial=rng.getrandbits(128),
        row=row,
        slot=row,
        record_bytes=RECORD_BYTES,
    )


VICTIM = session_of(0, Peer(port=40000))
STRANGER = session_of(1, Peer(mac=0x02_00_00_00_01_07, ip=0xC0A8_0177, port=41000))  # never opened


def ping(data: bytes, *, to: int = BOARD_MAC) -> bytes:
    packet = frames.ipv4(STRANGER.peer.ip, BOARD_IP, frames.ICMP, frames.echo(8, 1, 1, data))
    return frames.ethernet(to, STRANGER.peer.mac, frames.IPV4, packet)


def arp() -> bytes:
    mac = STRANGER.peer.mac
    return frames.ethernet(frames.BROADCAST, mac, frames.ARP, frames.arp(1, mac, STRANGER.peer.ip, 0, BOARD_IP))


FLOODS = {
    "short records": datagram(STRANGER, STRANGER.request(0, b"")),
    "long records": datagram(STRANGER, STRANGER.request(0, bytes(RECORD_BYTES))),
    "the session's number": datagram(STRANGER, VICTIM.request(0, bytes(RECORD_BYTES))),
    "no record": datagram(STRANGER, b"\x07"),
    "short pings": ping(b""),
    "pings": ping(bytes(60)),
    "long pings": ping(bytes(128)),
    "pings to all": ping(bytes(60), to=frames.BROADCAST),
    "ARP requests": arp(),
    "the CPU's": frames.ethernet(0x02_43_4C_4E_45_01, STRANGER.peer.mac, frames.IPV4, bytes(46)),
}


def served(board: GMIIBoard, script: array, answers: list[bytes]) -> int:
    """Run the script. Assert that all answers to the session come, in order. Return the cycle of the last answer."""
    sent = [each for each in parse(board.run(script + array("H", bytes(2 * DRAIN_CYCLES)))[0]) if each.frame in answers]
    assert [each.frame for each in sent] == answers
    return sent[-1].cycle


def shared_wire(frame: bytes, records: int, *, strangers: bool) -> tuple[array, list[bytes]]:
    """Return a script in which records of the session alternate with frames of a stranger (a host without a session).
    Records and strangers' frames each occupy about half of the time on the wire.

    Also return the expected answers to the session. Without `strangers`, the wire is idle instead.
    """
    one, rng = on_wire(frame), random.Random(records)
    script, answers = array("H"), []
    for n in range(records):
        data, offset = rng.randbytes(RECORD_BYTES), n * RECORD_BYTES
        own = on_wire(datagram(VICTIM, VICTIM.request(offset, data)))
        others = max(1, len(own) // len(one)) * len(one)
        script += own + (one * (others // len(one)) if strangers else array("H", bytes(2 * others)))
        answers.append(expected(VICTIM, VICTIM.reply(offset, data)))
    return script, answers


@pytest.mark.parametrize("flood", FLOODS)
def test_a_wire_that_strangers_fill_costs_a_session_little(board, flood):
    """Frames of the session, and frames of a host without a session, each fill about half of the time on the wire."""
    took = []
    for strangers in (False, True):
        board.reset()
        board.open(VICTIM)
        took.append(served(board, *shared_wire(FLOODS[flood], RECORDS, strangers=strangers)))
    assert took[1] <= took[0] * (1 + MOST_SHARE)


@pytest.mark.parametrize("flood", ["short pings", "long pings", "ARP requests"])
def test_no_backlog_of_answers_to_strangers_grows(board, flood):
    """A stranger (a host without a session) sends a long flood. If the board answered each of its frames, the answers
    would fill half of the time on the transmit wire. The session must lose no record and hardly become slower.
    """
    took = []
    for strangers in (False, True):
        board.reset()
        board.open(VICTIM)
        took.append(served(board, *shared_wire(FLOODS[flood], LONG_RECORDS, strangers=strangers)))
    assert took[1] <= took[0] * (1 + MOST_SHARE)
    assert board.counters()[Event.RECEIVE_OVERFLOW] == 0


def test_pings_have_a_budget_and_are_answered_again_later(board):
    """The board answers a burst of pings, then drops and counts further pings until its ping budget has grown again."""
    board.reset()
    one = on_wire(FLOODS["pings"])
    pause = array("H", bytes(2 * -(-ECHO_CYCLES * GMII_HZ // board.sys_hz)))
    assert len(board.exchange(one * 3 * ECHO_BURST)) == ECHO_BURST
    assert board.counters()[Event.ECHO] == 2 * ECHO_BURST
    assert len(board.exchange(pause + one * 2)) == 1
    assert board.counters()[Event.ECHO] == 2 * ECHO_BURST + 1
    assert len(board.exchange(pause * (ECHO_BURST + 2) + one * 2 * ECHO_BURST)) == ECHO_BURST, "no more is saved up"
