# SPDX-License-Identifier: BSD-2-Clause
"""Test which records the window of a fast-path session accepts, before and after firmware resumes the session."""

import itertools
import random
import select
import struct

import pytest
from cipherlane.link.device import Device
from cipherlane_base.wire.layout import UDP_PORT, Engine

from gateware.net.events import Event
from tests.end_to_end import ethernet
from tests.end_to_end.ethernet import reference, running_board
from tests.firmware import records
from tests.firmware.records import CLOSE, DATA, E_REUSED, FASTPATH, OPEN_TYPE, RESUME

pytestmark = pytest.mark.simboard

KEY, IV, TOKEN = bytes(range(100, 116)), bytes(15) + b"\x07", 2**63 + 99
RECORD_BYTES, WINDOW = 96, 64
REPLY_S, TRIES = 120, 4


class Host:
    """A host that sends exactly the records that the test specifies."""

    def __init__(self, board):
        self.socket = board.udp_socket()
        self.cpu = (board.ip_address, UDP_PORT)
        self.fast_path = None

    def receive(self, type_, data=b"", session=0) -> records.Reply:
        """Return the next reply from the board. If none arrives in time, send the given request again, because
        datagrams can be lost.
        """
        for _ in range(TRIES):
            if select.select([self.socket], [], [], REPLY_S / TRIES)[0]:
                return records.parse(self.socket.recv(2048))
            self._send(type_, data, session)
        raise AssertionError("the board does not answer")

    def ask(self, type_, data=b"", session=0) -> records.Reply:
        self._send(type_, data, session)
        return self.receive(type_, data, session)

    def _send(self, type_, data, session) -> None:
        self.socket.sendto(records.record(type_, data, session=session, token=TOKEN), self.cpu)

    def open(self, **options) -> records.Opened:
        options = {"engine": Engine.FASTPATH, "length": 2**20, "record_bytes": RECORD_BYTES, **options}
        return records.opened(self.ask(OPEN_TYPE, records.open_data(KEY, IV, **options)))

    def counters(self) -> dict[Event, int]:
        """Return the counters of the fast path. Call this method only after all earlier replies have arrived, because
        the method expects the counters in the next reply.
        """
        reply = self.ask(FASTPATH)
        assert reply.type == FASTPATH | records.REPLY
        address, port, _, _, *counts = struct.unpack(f"<IHHI{len(Event)}I", reply.data)
        self.fast_path = (".".join(map(str, address.to_bytes(4, "big"))), port)
        return dict(zip(Event, counts, strict=True))

    def data(self, session: int, number: int, data: bytes) -> dict[Event, int]:
        """Send a data record to the fast path. If there is an answer, check it. Return which counters have changed, and
        by how much.
        """
        before = self.counters()
        record = records.record(DATA, data, session=session, offset=number * RECORD_BYTES, token=TOKEN)
        self.socket.sendto(record, self.fast_path)
        for _ in itertools.repeat(None, 100):
            reply = self.ask(FASTPATH)
            if reply.type == DATA | records.REPLY:
                keystream_at = number * RECORD_BYTES
                wanted = reference(KEY, IV, bytes(keystream_at) + data)[keystream_at:]
                assert (reply.session, reply.offset, reply.data) == (session, keystream_at, wanted)
                reply = self.receive(FASTPATH)
            after = dict(zip(Event, struct.unpack(f"<12x{len(Event)}I", reply.data), strict=True))
            changed = {event: after[event] - count for event, count in before.items() if after[event] != count}
            if changed:
                return changed
        raise AssertionError("the record was not counted")


@pytest.fixture(scope="module")
def board():
    with running_board() as running:
        # Wait until the board has started: a new `Device` repeats its first request until the board answers.
        with Device(ethernet.Host(running)):
            pass
        yield running


def test_a_record_is_answered_with_its_own_data_alone_whatever_session_asks(board):
    rng = random.Random(1)
    host = Host(board)
    answered, refused, outside = {Event.RECORD: 1}, {Event.OTHER_DATA: 1}, {Event.WINDOW: 1}
    sent = {number: rng.randbytes(rng.choice((1, 50, RECORD_BYTES))) for number in (0, 1, 5, WINDOW + 4)}
    first = host.open()
    assert (first.first, first.window) == (0, WINDOW)
    for number, data in sent.items():
        assert host.data(first.session, number, data) == answered
        assert host.data(first.session, number, data) == answered
        assert host.data(first.session, number, data + b"\0" if len(data) < RECORD_BYTES else bytes(1)) == refused
    assert host.data(first.session, 4, b"behind") == outside
    assert host.ask(CLOSE, session=first.session).error is None
    assert host.ask(OPEN_TYPE, records.open_data(KEY, IV, record_bytes=RECORD_BYTES)).error == E_REUSED

    again = host.open(flags=RESUME, ticket=first.ticket)
    assert again.first == 5 * RECORD_BYTES
    assert host.data(again.session, 1, sent[1]) == outside
    # The host repeats records that it sent before the session was resumed. The board must refuse a record if its data
    # have changed, and answer the record if its data are unchanged.
    for number, data in list(sent.items())[2:]:
        assert host.data(again.session, number, bytes(len(data))) == refused
        assert host.data(again.session, number, data) == answered
    assert host.data(again.session, 6, b"new") == answered
    assert host.ask(CLOSE, session=again.session).error is None
