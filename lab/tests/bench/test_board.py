# SPDX-License-Identifier: BSD-2-Clause
"""Test ECB, CBC, CTR and GCM with the vector unit's engines: the benchmark program runs on the simulated board."""

import pytest

from lab.bench.board import GCM, ISE_FAMILIES, KEY_BITS, MODES, BenchBoard, WrongAnswerError, expected

pytestmark = pytest.mark.simboard

# Data sizes in bytes. The engines process groups of eight blocks. Some sizes are less than a group, some are whole
# groups, and some are groups with a remainder.
SIZES = (16, 112, 128, 528, 656)


@pytest.fixture(scope="module", params=ISE_FAMILIES, ids=lambda family: family.name)
def board(request):
    with BenchBoard(request.param) as running:
        yield running


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("decrypt", [False, True], ids=["encrypt", "decrypt"])
def test_agrees_with_the_library(board, mode, decrypt):
    for key_bits in KEY_BITS:
        for size in SIZES:
            board.measure(mode, decrypt=decrypt, key_bits=key_bits, size=size, passes=2, seed=size + key_bits)


def test_a_message_of_gcm_after_another_agrees_with_the_library(board):
    for key_bits in KEY_BITS:
        for size in SIZES:
            board.measure(GCM, key_bits=key_bits, size=size, passes=3, seed=size + key_bits)
    with pytest.raises(WrongAnswerError, match="status -22"):
        board.measure(GCM, decrypt=True)


@pytest.mark.parametrize("mode", (*MODES, GCM))
def test_memory_that_vector_loads_do_not_reach(board, mode):
    board.measure(mode, size=1040, passes=2, memory="sram")


@pytest.mark.parametrize("shared", [False, True], ids=["own", "shared"])
def test_contexts_take_turns(board, shared):
    board.interleave(8, shared=shared, size=144, passes=3)


def test_refused_request(board):
    with pytest.raises(WrongAnswerError, match="status -22"):
        board.measure("ecb", size=1 << 20, passes=0)


@pytest.mark.parametrize("mode", ["ctr", GCM])
def test_cycles_do_not_depend_on_key_and_data(board, mode):
    cycles = {board.measure(mode, size=2048, passes=8, seed=seed).last for seed in range(1, 9)}
    assert len(cycles) == 1


def test_oracle_is_not_the_identity():
    assert expected("ecb", False, 128, 32, 1, 1) != expected("ecb", False, 128, 32, 2, 1)
