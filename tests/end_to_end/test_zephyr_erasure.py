# SPDX-License-Identifier: BSD-2-Clause
"""After a session is closed, no part of its key or of its data is allowed to remain on a board that runs the firmware
on Zephyr. Runs tests of the bare-metal firmware (`test_erasure`) on such a board.

This includes stacks of threads and interrupts, the data cache, the MAC's slots and the net stack's buffers.
"""

import random
import socket

import pytest
from cipherlane.link.device import Device
from cipherlane.transport.simboard import SimulatedBoard
from cipherlane_base.wire.layout import Engine

from tests.end_to_end.ethernet import Host, running_board
from tests.end_to_end.memory import Secret
from tests.end_to_end.test_erasure import (
    device,
    ethernet_device,
    ethernet_memory,
    memory,
    settle_frames,
    stream,
    test_close,
    test_close_of_the_fast_path,
    test_close_over_ethernet,
    test_damaged_frame_with_a_key,
    test_every_order_of_two_sessions,
    test_open_that_is_not_carried_out,
    test_refused_open,
    test_reset,
    test_restart_after_a_fault,
    test_sessions_that_end_by_themselves,
)
from tests.end_to_end.test_zephyr_ethernet import NO_OPERATIONS

pytestmark = pytest.mark.simboard

__all__ = [
    "device",
    "ethernet_device",
    "ethernet_memory",
    "memory",
    "test_close",
    "test_close_of_the_fast_path",
    "test_close_over_ethernet",
    "test_damaged_frame_with_a_key",
    "test_every_order_of_two_sessions",
    "test_open_that_is_not_carried_out",
    "test_refused_open",
    "test_reset",
    "test_restart_after_a_fault",
    "test_sessions_that_end_by_themselves",
]


@pytest.fixture(scope="module")
def board(zephyr_board):
    with SimulatedBoard(zephyr_board) as running:
        yield running


@pytest.fixture(scope="module")
def ethernet_board(zephyr_ethernet_board):
    with running_board(zephyr_ethernet_board) as running:
        yield running


def test_close_after_data_that_the_stack_brought(ethernet_board, ethernet_memory):
    """Send data records in datagrams with IPv4 options, which pass through Zephyr's network stack. After the session is
    closed, no secret may remain. The records that open and close the session bypass the network stack.
    """
    secret = Secret(random.Random("brought by the stack"), 256, 1400)
    host = Host(ethernet_board)
    with Device(host) as connected:
        session = connected.open_session(secret.key, secret.iv, Engine.ISE, "decrypt", length=len(secret.plain))
        host.socket.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, NO_OPERATIONS)
        stream(session, secret)
        host.socket.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, b"")
        assert ethernet_memory.found(secret)[secret.name] >= {"key", "round keys"}
        session.close()
        settle_frames(connected)
        assert ethernet_memory.found(secret) == {}
