"""The real host tool against the simulated board that runs the firmware on Zephyr: what holds for bare metal holds."""

import pytest
from cipherlane.device import Device
from cipherlane.transport.serial import SerialTransport
from cipherlane.transport.simboard import SimulatedBoard

from tests.end_to_end.test_counter_blocks import test_an_idle_session_ends_by_itself
from tests.end_to_end.test_simulated_board import (
    test_counter_wraps,
    test_empty_file,
    test_encrypts_a_file_and_decrypts_it,
    test_interrupted_transfer_leaves_the_board_usable,
    test_key_and_counter_are_not_used_twice_unless_resumed,
    test_random_bytes_do_not_hang_the_board,
)

pytestmark = pytest.mark.simboard

__all__ = [
    "test_an_idle_session_ends_by_itself",
    "test_counter_wraps",
    "test_empty_file",
    "test_encrypts_a_file_and_decrypts_it",
    "test_interrupted_transfer_leaves_the_board_usable",
    "test_key_and_counter_are_not_used_twice_unless_resumed",
    "test_random_bytes_do_not_hang_the_board",
]


@pytest.fixture(scope="module")
def board(zephyr_board):
    with SimulatedBoard(zephyr_board) as running:
        yield running


@pytest.fixture
def line(board):
    with SerialTransport(board.url) as transport:
        yield transport


def test_says_that_it_is_zephyr(board):
    with Device(SerialTransport(board.url)) as device:
        assert device.info().firmware == "zephyr"
        assert device.selftest().failed == 0
