"""The real host tool against the simulated board with Ethernet that runs the firmware on Zephyr, over its net stack."""

import random

import pytest
from cipherlane.device import Device
from cipherlane.protocol.layout import UDP_PORT

from tests.end_to_end.bad_wire import BadWire
from tests.end_to_end.ethernet import Host, running_board, transfer, transfer_over_damage
from tests.end_to_end.test_ethernet import (
    test_a_stream_keeps_the_window_full_and_loses_nothing,
    test_every_engine,
    test_two_hosts_at_once,
)
from tests.end_to_end.test_fast_path import (
    test_sessions_of_both_paths_at_once,
    test_statistics_of_a_session,
    test_stream,
    test_what_is_not_the_session_s_is_dropped_and_counted,
)

pytestmark = pytest.mark.simboard

__all__ = [
    "test_a_stream_keeps_the_window_full_and_loses_nothing",
    "test_every_engine",
    "test_sessions_of_both_paths_at_once",
    "test_statistics_of_a_session",
    "test_stream",
    "test_two_hosts_at_once",
    "test_what_is_not_the_session_s_is_dropped_and_counted",
]


@pytest.fixture(scope="module")
def board(zephyr_ethernet_board):
    with running_board(zephyr_ethernet_board) as running:
        yield running


def test_says_that_it_is_zephyr(board):
    with Device(Host(board)) as device:
        assert device.info().firmware == "zephyr"
        assert device.selftest().failed == 0


def test_bad_wire(board):
    plan = {"lose": 0.05, "reorder": 0.2, "corrupt": 0.1}
    with BadWire(board, seed=1, **plan) as wire, Device(Host(board)) as device:
        transfer_over_damage(device, random.Random(2).randbytes(20_000))
    assert all(wire.frames[fault] > 0 for fault in plan)


def test_datagrams_that_are_no_records(board):
    rng = random.Random(3)
    with board.udp_socket() as stranger, Device(Host(board)) as device:
        before, counted = device.network(), device.counters()
        for size in (0, 1, 23, 24, 100, 1472, 1473, 4000):
            stranger.sendto(rng.randbytes(size), (board.ip_address, UDP_PORT))
        transfer(device, rng.randbytes(5_000))
        after, counters = device.network(), device.counters()
    assert counters["framing_errors"] > counted["framing_errors"]
    assert after["cycles"] > before["cycles"], "the board was not reset"
