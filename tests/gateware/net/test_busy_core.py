"""The wire's rate with a core that another client keeps busy, with the longest keys, at the boards' clock."""

import pytest

from tests.bench_eth.measure import Case, measure
from tests.gateware.boards import TARGETS
from tests.gateware.net.gmii import CORE, GMIIBoard

CLOCK_HZ = min(target.sys_clk_freq for target in TARGETS if target.configuration.ethernet)


@pytest.fixture(scope="module")
def board():
    board = GMIIBoard(sys_hz=CLOCK_HZ, rival=True, **CORE)
    yield board
    board.close()


@pytest.mark.parametrize("payload", [40, 256, 1472])
def test_line_rate(board, payload):
    measured = measure(board, Case(payload=payload, sessions=2, key_bits=256, clock_hz=CLOCK_HZ), CORE)
    assert not measured["dropped"]
    assert measured["share"] > 0.995
