# SPDX-License-Identifier: BSD-2-Clause
"""Checks that other hosts on the network of the simulated board learn nothing about a session's key."""

import random
import select

import pytest
from cipherlane.link.device import Device
from cipherlane.protocol.records import Record
from cipherlane_base.wire.layout import UDP_PORT, Engine, RecordType

from tests.end_to_end.ethernet import Host, reference, running_board
from tests.firmware import records as r

pytestmark = pytest.mark.simboard

ENGINES = [*(engine for engine in Engine if engine not in (Engine.ZKN, Engine.SNOW3G))]
IV, RECORD_BYTES, ANSWER_S = bytes(range(16)), 256, 60
CYCLES_BYTES = 48  # the reply to the request `network` begins with this many bytes of cycle counts
STAT_CYCLES = slice(16, 32)


@pytest.fixture
def board():
    """Yield a new board for each test. A board stores the used counter blocks of at most 128 streams, but all tests
    together open more streams. Also, some tests use the same keys.
    """
    with running_board() as running:
        yield running


def drain(*sockets) -> None:
    """Read and discard answers that arrived late on `sockets`."""
    for each in sockets:
        while select.select([each], [], [], 0)[0]:
            each.recv(2048)


class Stranger:
    """A host on the network that sends requests and waits for the answers."""

    def __init__(self, board):
        self.socket, self.address = board.udp_socket(), (board.ip_address, UDP_PORT)

    def send(self, record: bytes) -> None:
        self.socket.sendto(record, self.address)

    def ask(self, type_: int, data: bytes = b"", **header) -> r.Reply:
        """Send a request, and repeat it until the board answers. The board answers only a limited number of requests
        from hosts without a session.
        """
        for _ in range(ANSWER_S):
            self.send(r.record(type_, data, **header))
            while select.select([self.socket], [], [], 1)[0]:
                reply = r.parse(self.socket.recv(2048))
                if type_ in (reply.type - r.REPLY, reply.request) and reply.token == header.get("token", 0):
                    return reply
        raise AssertionError("no answer")

    def around(self, victim, record: bytes, to, expected: bytes) -> list[bytes]:
        """Request cycle counts just before and just after another host, the victim, sends a record. Return the cycle
        counts in the two replies. `victim` is the socket of the victim, which must receive the data `expected`.

        If the board drops one of the three frames, because it is zeroizing or the strangers' budget is used up, all
        three are sent again.
        """
        for _ in range(ANSWER_S):
            drain(self.socket, victim)
            self.send(r.record(r.NETWORK))
            victim.sendto(record, to)
            self.send(r.record(r.NETWORK))
            told = [self.socket.recv(2048) for _ in range(2) if select.select([self.socket], [], [], 1)[0]]
            if select.select([victim], [], [], 1)[0]:
                assert r.parse(victim.recv(2048)).data == expected
                if len(told) == 2:
                    return [r.parse(answer).data[:CYCLES_BYTES] for answer in told]
        raise AssertionError("no answers")

    def probe(self, session: int) -> list[bytes]:
        """Act as an attacker: send all requests whose answers could reveal cycle counts. Send them without a session
        and, if `session` is not 0, also in the attacker's own session. Return the answers.
        """
        told = [self.ask(r.NETWORK).data[:CYCLES_BYTES]]
        if session:
            own = {"session": session, "token": 9}
            told += [self.ask(r.NETWORK, **own).data[:CYCLES_BYTES], self.ask(r.STAT_TYPE, **own).data[STAT_CYCLES]]
        return told + [self.ask(type_).data for type_ in (r.STAT_TYPE, r.DATA)]


CASES = [(engine, 2) for engine in (Engine.TABLE, Engine.FASTPATH)]
CASES += [pytest.param(engine, 100, marks=pytest.mark.thorough) for engine in ENGINES]


@pytest.mark.parametrize(("engine", "count"), CASES, ids=str)
def test_probes_before_and_after_a_record_are_equal_for_all_keys(board, engine, count):
    """An attacker sends requests just before and just after a session's record. The answers must not depend on the
    session's key.

    Only the owner learns the cycles.
    """
    rng, read, seen = random.Random(engine), set(), set()
    with Device(Host(board)) as device:
        stranger = Stranger(board)
        for n in range(count):
            key, own = rng.randbytes(16), 0
            with device.open_session(key, IV, engine, record_bytes=RECORD_BYTES, length=RECORD_BYTES) as session:
                own_socket = device.link.transport._datagrams.socket
                to = session.stream.fast_path.address if session.stream.fast_path else stranger.address
                record = Record(
                    RecordType.DATA, session.stream.number, 0, session.stream.token, bytes(RECORD_BYTES)
                ).encode()
                told = stranger.probe(0)
                told += stranger.around(own_socket, record, to, reference(key, IV, bytes(RECORD_BYTES)))
                seen.add(session.stat().cycles)
                if n % 2:
                    data = r.open_data(rng.randbytes(16), IV, engine=Engine.TABLE, length=1 << 20, record_bytes=256)
                    own = r.opened(stranger.ask(r.OPEN_TYPE, data, token=9)).session
                    before = stranger.probe(own)
                    stranger.around(own_socket, record, to, reference(key, IV, bytes(RECORD_BYTES)))
                    assert stranger.probe(own) == before
                    assert before[:3] == [bytes(48), bytes(48), bytes(16)]
                    assert stranger.ask(r.CLOSE, session=own, token=9).error is None
            told += stranger.probe(0)
            read.add(tuple(told))
    assert len(read) == 1 and next(iter(read))[0] == bytes(CYCLES_BYTES)
    assert len(seen) > 1 or engine not in (Engine.BYTE, Engine.TABLE), "there is something to find"
