"""The accelerator on its test bench, simulated once a file; a file may have a `simulated` of its own kind."""

import pytest

from tests.gateware.ctr.bench import Bench


@pytest.fixture(scope="module")
def simulated():
    bench = Bench()
    yield bench
    bench.sim.close()


@pytest.fixture
def bench(simulated):
    simulated.reset()
    return simulated
