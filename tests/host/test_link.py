# SPDX-License-Identifier: BSD-2-Clause
import pytest
from cipherlane.link.calls import Calls
from cipherlane.link.flights import Flights, Key
from cipherlane.link.link import Link
from cipherlane.protocol.records import Record, decode
from cipherlane.transport.base import Pace, Transport
from cipherlane_base.wire.layout import REPLY, RecordType

from .links import SimulatedClock


class Delays(Transport):
    """A transport that answers each request after a delay. The delays, in seconds, come from a list. For a delay of
    None, the transport does not answer.
    """

    pace = Pace(first=1.0, minimum=0.1, maximum=5.0, attempts=4)

    def __init__(self, *seconds):
        self.clock = SimulatedClock()
        self._seconds = list(seconds)
        self._request = None

    def send(self, record):
        self._request = decode(record)

    def receive(self, timeout):
        request, self._request = self._request, None
        seconds = self._seconds.pop(0) if request else None
        self.clock.sleep(timeout if seconds is None else seconds)
        return None if seconds is None else request._replace(type=request.type | REPLY).encode()

    def wire_size(self, record_size):
        return record_size

    def strays(self):
        return 0

    def resync(self):
        pass

    def close(self):
        pass


def time_outs(*seconds):
    """Send one request for each argument, and delay the answer by that many seconds. For None, no answer comes. Return
    a list of the link's time-out after each request.
    """
    link = Link(Delays(*seconds))
    found = []
    for number in range(len(seconds)):
        link.send(Record(RecordType.INFO, token=number))
        for _ in range(3):  # before the answer, the link can report time-outs of earlier requests
            if link.receive(link.patience()) or link.expire():
                break
        found.append(link.timeout)
    return found


def key(offset):
    return Key(3, 1, offset, 7)


def test_window_counts_every_copy_until_its_answer():
    flights = Flights(100, ordered=False)
    flights.add([key(0)], 40, 0.0, 1.0)
    flights.add([key(0)], 40, 0.1, 1.0)
    assert flights.bytes == 80 and not flights.room(21) and flights.room(20)
    flights.answer([key(0)], 0.2)
    assert flights.bytes == 40
    flights.answer([key(0)], 0.3)
    assert flights.bytes == 0
    assert flights.answer([key(0)], 0.4) == ([], [])


def test_time_out_gives_up_a_copy_and_a_late_answer_belongs_to_it():
    flights = Flights(100, ordered=True)
    flights.add([key(0)], 40, 0.0, 1.0)
    assert flights.expire(0.9) == []
    assert flights.next_deadline() == 1.0
    assert flights.expire(1.0) == [key(0)]
    assert flights.bytes == 0 and flights.next_deadline() is None
    flights.add([key(0)], 40, 1.0, 1.0)
    round_trips, lost = flights.answer([key(0)], 1.5)
    assert (round_trips, lost) == ([], []), "which copy was answered is unknown"
    assert flights.bytes == 40, "the second copy may still be on its way"
    assert flights.expire(2.0) == [key(0)]


def test_ordered_link_shows_losses_by_later_answers():
    flights = Flights(1000, ordered=True)
    for index in range(4):
        flights.add([key(16 * index)], 40, index / 10, 1.0)
    round_trips, lost = flights.answer([key(32)], 0.5)
    assert round_trips == [0.5 - 0.2]
    assert lost == [key(0), key(16)]
    assert flights.bytes == 40


def test_unordered_link_waits_for_the_time_out():
    flights = Flights(1000, ordered=False)
    for index in range(3):
        flights.add([key(16 * index)], 40, 0.0, 1.0)
    assert flights.answer([key(32)], 0.5)[1] == []
    assert flights.bytes == 80


def test_given_up_copies_are_forgotten():
    flights = Flights(1000, ordered=False)
    flights.add([key(0)], 40, 0.0, 1.0)
    flights.expire(1.0)
    flights.expire(10.0)
    flights.add([key(0)], 40, 10.0, 1.0)
    assert flights.answer([key(0)], 10.25)[0] == [0.25]


def test_time_out_follows_the_round_trips_as_rfc_6298_says():
    """By RFC 6298, SRTT starts as the first round-trip time R, and RTTVAR as R/2. For each further R, RTTVAR = 3/4
    RTTVAR + 1/4 |SRTT - R|, then SRTT = 7/8 SRTT + 1/8 R.
    """
    assert time_outs(0.4, 0.4, 0.8) == pytest.approx([0.4 + 4 * 0.2, 0.4 + 4 * 0.15, 0.45 + 4 * 0.2125])


def test_time_out_doubles_when_nothing_comes_up_to_its_bound():
    assert time_outs(None, None, None, None) == [2.0, 4.0, 5.0, 5.0]


def test_records_sent_and_answered_together_are_one_measurement():
    link, keys = Link(Delays()), [key(0), key(16), key(32)]
    link.flights.add(keys, 40, link.clock.now(), 1.0)
    link.clock.sleep(0.4)
    link._answered(keys, 16)
    assert link.timeout == pytest.approx(0.4 + 4 * 0.2)
    assert list(link.counters.round_trips) == pytest.approx([0.4] * 3)


class Pausing(SimulatedClock):
    """A clock that jumps forward by `pause` seconds after the next reading, as if the process had been paused."""

    pause = 0.0

    def now(self):
        time, self.time, self.pause = self.time, self.time + self.pause, 0.0
        return time


@pytest.mark.parametrize("pause", [0.0, 5.0])
def test_a_reply_that_came_while_the_process_was_stopped_is_taken(pause):
    """A reply that arrived during a pause counts, although the time limit has passed when the process reads it."""
    transport = Delays(0.0)
    transport.clock = Pausing()
    send = transport.send

    def send_and_stop(record):
        send(record)
        transport.clock.pause = pause

    transport.send = send_and_stop
    assert Calls(Link(transport)).exchange(Record(RecordType.INFO, token=1), attempts=1).token == 1
    assert transport.clock.time == 1000.0 + pause
