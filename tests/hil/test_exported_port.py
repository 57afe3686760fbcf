# SPDX-License-Identifier: BSD-2-Clause
"""Tests a serial port that a server exports over RFC 2217, as labgrid's exporter does. A simulated board is connected
to the port.
"""

import socket

import pytest
from cipherlane import Engine
from cipherlane.errors import PortError
from cipherlane.link.device import Device
from cipherlane.transport.simboard import SimulatedBoard
from labgrid import Target
from labgrid.resource import NetworkSerialPort

from tests.hil.board import UART, AttachedBoardDriver
from tests.hil.suite.transfers import Streams
from tests.hil.support import BUILD
from tests.rfc2217_server import Rfc2217Server

SPEED = 1_000_000


@pytest.fixture(scope="module")
def board():
    board = SimulatedBoard(BUILD / "sim")
    board.start()
    yield board
    board.stop()


def attached(port, **options):
    target = Target("main")
    NetworkSerialPort(target, None, host="127.0.0.1", port=port, speed=SPEED, **options)
    driver = AttachedBoardDriver(target, None)
    target.activate(driver)
    return driver


def test_streams_pass_and_the_port_is_set_up_once(board):
    with Rfc2217Server(board.port) as exporter:
        driver = attached(exporter.port)
        assert driver.transports == (UART,) and not driver.simulated
        with Device(driver.open(UART)) as device:
            Streams().draw(2000).transfer(device, Engine.ACCELERATOR)
    assert exporter.lines.speeds == [9600, SPEED], "a new time-out is no reason to set it up again"


def test_a_port_that_passes_bytes_on(board):
    with Device(attached(board.port, protocol="raw").open(UART)) as device:
        assert device.info().kind == "sim"


def test_an_exporter_that_is_gone():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(PortError, match=rf"nothing listens at rfc2217://127\.0\.0\.1:{port}: .*; check the exporter"):
        attached(port).open(UART)
