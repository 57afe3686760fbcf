# SPDX-License-Identifier: BSD-2-Clause
"""Tests the class `Flights`, which tracks the unanswered records on a link that may reorder records. Answers to later
records show that a record was lost. The window adapts to losses.
"""

from cipherlane.link.flights import Flights, Key, Window


def key(number):
    return Key(3, 1, 16 * number, 7)


def filled(count):
    flights = Flights(1 << 20, ordered=False, shared=True)
    for number in range(count):
        flights.add([key(number)], 100, 0.0, 1.0)
    return flights


def test_a_copy_is_lost_once_three_later_ones_are_answered():
    flights = filled(6)
    assert flights.answer([key(1)], 0.1) == ([0.1], [])
    assert flights.answer([key(2)], 0.1)[1] == []
    assert flights.answer([key(3)], 0.1)[1] == [key(0)]
    assert flights.answer([key(5)], 0.1)[1] == []
    assert flights.bytes == 100
    assert flights.lost == 1


def test_an_answer_after_all_makes_more_patient():
    flights = filled(20)
    assert flights.answer([key(3)], 0.1)[1] == [key(0)]
    flights.add([key(0)], 100, 0.1, 1.0)
    assert flights.answer([key(0)], 0.2) == ([], []), "of which copy is unknown"
    assert flights.answer([key(0)], 0.3) == ([], []), "so it was late"
    assert flights.answer([key(7)], 0.4)[1] == [key(1)], "six later ones are needed now"


def test_one_answer_settles_every_copy():
    flights = filled(1)
    flights.add([key(0)], 100, 0.5, 1.0)
    assert flights.answer([key(0)], 0.6) == ([], [])
    assert flights.bytes == 0
    assert flights.next_deadline() is None


def test_what_was_overtaken_is_not_given_up_a_second_time():
    flights = filled(4)
    assert flights.answer([key(3)], 0.1)[1] == [key(0)]
    assert flights.expire(1.0) == [key(1), key(2)]
    assert flights.lost == 3


def test_window_of_a_link_of_ones_own_is_the_limit():
    window = Window(1000, adapts=False)
    window.start(5000, 100)
    window.lost(0.0, 100, 1.0)
    assert window.bytes == 5000


def test_window_doubles_each_round_trip_until_a_loss_and_then_grows_by_a_record():
    window = Window(1 << 20, adapts=True)
    window.start(1 << 20, 100)
    assert window.bytes == 400
    for _ in range(4):
        window.answered(100, 100)
    assert window.bytes == 800
    window.lost(1.0, 100, 0.5)
    assert window.bytes == 560
    window.lost(1.4, 100, 0.5)
    assert window.bytes == 560, "once in a round trip"
    for _ in range(5):
        window.answered(100, 100)
    assert 640 <= window.bytes <= 660
    for moment in range(2, 20):
        window.lost(moment, 100, 0.5)
    assert window.bytes == 400


def test_window_stays_within_the_limit():
    window = Window(1000, adapts=True)
    window.start(1000, 100)
    for _ in range(100):
        window.answered(100, 100)
    assert window.bytes == 1000
    window.lost(0.0, 100, 1.0)
    assert window.bytes == 700


def test_one_record_may_always_be_sent():
    flights = Flights(10, ordered=False, shared=True)
    assert flights.room(100)
    flights.add([key(0)], 100, 0.0, 1.0)
    assert not flights.room(1)


def test_window_shrinks_once_in_a_round_trip():
    window = Window(10_000, adapts=True)
    window.start(10_000, 100)
    for _ in range(100):
        window.answered(100, 100)
    sizes = []
    for moment in (10.0, 11.9, 12.0, 13.9, 14.0):
        window.lost(moment, 100, 2.0)
        sizes.append(window.bytes)
    assert sizes == [7000, 7000, 4900, 4900, 3430]


def test_answers_that_come_at_once_are_one_step():
    """Answers that arrive together are processed together. So a record does not count as lost if its answer arrives
    together with answers to later records.
    """
    flights = filled(10)
    flights.window.start(1 << 20, 100)
    assert flights.answer([key(8), key(7), key(9), *map(key, range(1, 7))], 0.5) == ([0.5] * 9, [key(0)])
    assert flights.window.bytes == 400 + 900
