# SPDX-License-Identifier: BSD-2-Clause
"""Fixtures that tests of the command line share."""

import random

import pytest
from cipherlane.measuring.nullboard import NullBoard

from .model import PeerBoard, SocketBoard
from .served import Served


@pytest.fixture(autouse=True, scope="session")
def no_configuration():
    """Let the tests, and programs that they start, ignore the configuration file of the user who runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CIPHERLANE_CONFIG", "")
        yield


@pytest.fixture
def server():
    with SocketBoard(PeerBoard()) as board:
        yield board


@pytest.fixture
def null_board():
    board = NullBoard(port=0)
    with Served(lambda: board.serve_once(0.05)):
        yield board
    board.close()


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in"
    path.write_bytes(random.Random(1).randbytes(5003))
    return path
