# SPDX-License-Identifier: BSD-2-Clause
"""Compiles the accelerator's simulation once for all tests. A test file can replace the fixture `simulated`."""

import pytest

from tests.gateware import ecp5
from tests.gateware.boards import ACCELERATORS_ON_ECP5, title
from tests.gateware.dma.bench import Bench


def pytest_generate_tests(metafunc):
    if "core" in metafunc.fixturenames:
        cores = ACCELERATORS_ON_ECP5 if metafunc.config.getoption("--netlist") else [{}]
        metafunc.parametrize("core", cores, ids=title, scope="session")


@pytest.fixture(scope="session")
def simulated(core, pytestconfig):
    bench = Bench({"prepare": ecp5.mapped} if pytestconfig.getoption("--netlist") else None, **core)
    yield bench
    bench.sim.close()


@pytest.fixture
def bench(simulated):
    simulated.reset()
    return simulated
