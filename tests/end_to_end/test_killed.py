# SPDX-License-Identifier: BSD-2-Clause
"""After a command is killed, neither its simulated board nor the folder of this board is allowed to remain. The program
`killed_runs` kills more commands in this way.
"""

import contextlib
import socket

import pytest
from cipherlane.link.device import Device
from cipherlane.transport.serial import SerialTransport
from cipherlane.transport.simboard import SimulatedBoard, find_board

from .killed_runs import COMMANDS, Killed, built

pytestmark = pytest.mark.simboard
RUNS = 4


def test_commands_that_are_killed():
    find_board()
    with Killed() as killed:
        for seed in range(RUNS):
            assert not killed.run(seed, built(COMMANDS[:2])), f"seed {seed}"


PAGE = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n\r\n\0\0"


def test_a_web_page_does_not_reach_the_board():
    """A web page in a browser can send requests to the port of the simulated UART. These requests must not reach the
    board: the UART must close the connection and serve the next client.
    """
    with SimulatedBoard() as board:
        for first in (PAGE, b"\x16\x03\x01\x02\0"):
            with socket.create_connection(("127.0.0.1", board.port)) as page:
                page.settimeout(60)
                page.sendall(first)
                # The UART closes the connection without reading all bytes. The host can then receive a TCP reset.
                with contextlib.suppress(ConnectionResetError):
                    assert page.recv(100) == b""
        with Device(SerialTransport(board.url)) as device:
            counters = device.counters()
            assert not any(counters[name] for name in counters if name.endswith("errors")), "nothing of it arrived"
        assert "hung up on a client that began with byte 0x50" in board.output()
