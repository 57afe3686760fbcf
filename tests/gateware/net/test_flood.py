"""Hosts without a session fill the wire between a session's datagrams. The fast path must serve the session nearly as
fast as without them.
"""

import random
from array import array

import pytest

from tests.gateware.net import frames
from tests.gateware.net.frames import Peer, Session
from tests.gateware.net.gmii import CORE, GMIIBoard
from tests.gateware.net.script import BOARD_IP, BOARD_MAC, datagram, expected, on_wire, parse

RECORDS, RECORD_BYTES, DRAIN_CYCLES = 8, 1440, 20_000
MOST_SHARE = 0.05
MOST_SHARE_OF_ANSWERED = 0.15  # limit if the board answers the foreign frames, since its answers use the wire too


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


def ping(data: bytes) -> bytes:
    packet = frames.ipv4(STRANGER.peer.ip, BOARD_IP, frames.ICMP, frames.echo(8, 1, 1, data))
    return frames.ethernet(BOARD_MAC, STRANGER.peer.mac, frames.IPV4, packet)


FLOODS = {
    "short records": datagram(STRANGER, STRANGER.request(0, b"")),
    "long records": datagram(STRANGER, STRANGER.request(0, bytes(RECORD_BYTES))),
    "the session's number": datagram(STRANGER, VICTIM.request(0, bytes(RECORD_BYTES))),
    "no record": datagram(STRANGER, b"\x07"),
    "pings": ping(bytes(60)),
    "the CPU's": frames.ethernet(0x02_43_4C_4E_45_01, STRANGER.peer.mac, frames.IPV4, bytes(46)),
}


def served(board: GMIIBoard, script: array, answers: list[bytes]) -> int:
    """Assert that all of the session's answers come, in order; return the cycle in which the last one begins."""
    sent = [each for each in parse(board.run(script + array("H", bytes(2 * DRAIN_CYCLES)))[0]) if each.frame in answers]
    assert [each.frame for each in sent] == answers
    return sent[-1].cycle


@pytest.mark.parametrize("flood", FLOODS)
def test_a_wire_that_strangers_fill_costs_a_session_little(board, flood):
    """The session has half of the wire; the other half is full of frames from a host without a session, back to
    back.
    """
    one = on_wire(FLOODS[flood])
    took = []
    for strangers in (False, True):
        board.reset()
        board.open(VICTIM)
        rng, script, answers = random.Random(flood), array("H"), []
        for n in range(RECORDS):
            data, offset = rng.randbytes(RECORD_BYTES), n * RECORD_BYTES
            own = on_wire(datagram(VICTIM, VICTIM.request(offset, data)))
            others = max(1, len(own) // len(one)) * len(one)
            script += own + (one * (others // len(one)) if strangers else array("H", bytes(2 * others)))
            answers.append(expected(VICTIM, VICTIM.reply(offset, data)))
        took.append(served(board, script, answers))
    assert took[1] <= took[0] * (1 + (MOST_SHARE_OF_ANSWERED if flood == "pings" else MOST_SHARE))
