# SPDX-License-Identifier: BSD-2-Clause
"""Test LTE's layer 2 on the simulated board, without ciphering and with three engines. The engine `ise_fused` needs a
copy of the data. The engines `accelerator` and `snow3g` need no copy.
"""

import pytest

from lab.bench_lte import blocks
from lab.bench_lte.__main__ import LteBoard, WrongAnswerError

pytestmark = pytest.mark.thorough  # slow; other tests cover LTE's layer 2, and CTR with each engine
BYTES = 5000


@pytest.fixture(scope="module")
def board():
    with LteBoard() as found:
        yield found


@pytest.mark.parametrize("engine", [None, "ise_fused", "accelerator", "snow3g"])
def test_packets_come_out_of_a_block(board, engine):
    found = board.measure(engine, BYTES)
    assert (found["packets"], found["packet_bytes"]) == (4, sum(blocks.lengths(BYTES)))
    assert found["shortest_cycles"] <= found["cycles"]


@pytest.mark.parametrize("engine", ["accelerator", "snow3g"])
def test_a_wrong_packet_is_found(board, monkeypatch, engine):
    monkeypatch.setitem(blocks.CIPHERS, blocks.cipher_of(engine), lambda *message: bytes(len(message[-1])))
    with pytest.raises(WrongAnswerError, match="not those that the block was made of"):
        board.measure(engine, BYTES)
