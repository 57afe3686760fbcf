"""What tests of the command line share."""

import random

import pytest

from .model import PeerBoard, SocketBoard


@pytest.fixture
def server():
    with SocketBoard(PeerBoard()) as board:
        yield board


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in"
    path.write_bytes(random.Random(1).randbytes(5003))
    return path
