# SPDX-License-Identifier: BSD-2-Clause
"""Helpers for tests of the simulated board with Ethernet: functions that start the board, add hosts to its network, and
check transfers.
"""

import contextlib
import io
import os
import secrets

import pytest
from cipherlane.errors import SimulatedBoardError
from cipherlane.transport.simboard import ETHERNET_BOARD, SimulatedBoard, find_board
from cipherlane.transport.udp import SIMULATED_NETWORK, UdpTransport
from cipherlane_base.wire.layout import Engine
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


@contextlib.contextmanager
def running_board(directory=None):
    """Context manager: start a simulated board and its network, yield the board, and stop it at the end.

    Without the necessary privilege, the tests are skipped with a reason. Under `CI` they fail instead; otherwise their
    subject would stay untested for ever.
    """
    board = SimulatedBoard(directory or find_board(ETHERNET_BOARD))
    try:
        board.start()
    except SimulatedBoardError as error:
        if "namespace" not in str(error) or os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    try:
        board.udp_socket().close()
        yield board
    finally:
        board.stop()


class Host(UdpTransport):
    """A client in the board's network namespace, with its own UDP port."""

    pace = SIMULATED_NETWORK

    def __init__(self, board):
        self.socket = board.udp_socket()
        super().__init__(f"udp://{board.ip_address}", self.socket)


def reference(key, iv, data):
    return Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor().update(data)


def transfer(device, data, engine=Engine.ACCELERATOR, key_bits=256, **options):
    """Encrypt `data` under a new key that was never used on this board, and check every byte."""
    key, iv, out = secrets.token_bytes(key_bits // 8), secrets.token_bytes(16), io.BytesIO()
    with device.open_session(key, iv, engine) as session:
        report = session.transfer(io.BytesIO(data), out, length=len(data), **options)
    assert out.getvalue() == reference(key, iv, data)
    return report


def transfer_over_damage(device, data):
    """Transfer `data` again and again, at most 20 times, until the board detects a damaged record. The cable damages
    frames at random.
    """
    before = device.network()["checksum_errors"]
    for _ in range(20):
        transfer(device, data)
        if device.network()["checksum_errors"] > before:
            return
    pytest.fail("no damaged record was noticed")
