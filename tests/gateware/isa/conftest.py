"""The vector unit on its test bench, with each S-box that a board gives it; simulated once for all tests."""

import pytest

from tests.gateware.boards import VECTOR_UNITS
from tests.gateware.isa.bench import Bench


@pytest.fixture(scope="session", params=VECTOR_UNITS)
def bench(request):
    bench = Bench(request.param)
    yield bench
    bench.sim.close()


@pytest.fixture
def run(bench):
    """Gives commands to a unit just powered on; see `Bench.run`."""
    return bench.run
