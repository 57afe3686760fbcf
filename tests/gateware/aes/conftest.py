# SPDX-License-Identifier: BSD-2-Clause
"""Compile each core's simulation only once for all tests."""

import pytest

from tests.gateware.aes.core_bench import Bench, Member

MEMBERS = [
    Member(128),
    Member(32, "onehot", slots=1, key_lengths=(128,)),
    Member(64, "block_ram", slots=3),
    Member(32, "tower_cut", slots=2, key_lengths=(128, 256)),
    Member(128, "block_ram", slots=2, engines=2),
    Member(32, "table", slots=4, engines=4),
    Member(128, "tower_cut", slots=3, engines=6, key_stages=2),
    Member("pipelined"),
    Member("pipelined", "block_ram", slots=1, key_lengths=(128, 192), stages=1),
    Member("pipelined", "tower_cut_ecp5", slots=1, key_lengths=(128,), stages=4),
]


@pytest.fixture(scope="session", params=MEMBERS, ids=str)
def simulated(request):
    bench = Bench(request.param)
    yield bench
    bench.sim.close()


@pytest.fixture
def bench(simulated):
    simulated.sim.reset()
    return simulated
