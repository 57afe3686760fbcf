# SPDX-License-Identifier: BSD-2-Clause
"""Compile the simulation of the vector unit once for all tests, with the parameters of each simulated board.

With `--netlist` it is the unit of each FPGA board, as synthesis maps it. Every run does this in `test_netlist.py`.
"""

import pytest

from tests.gateware import ecp5
from tests.gateware.boards import VECTOR_UNITS_ON_ECP5, VECTOR_UNITS_SIMULATED, title
from tests.gateware.isa.bench import Bench


def pytest_generate_tests(metafunc):
    if "parameters" in metafunc.fixturenames:
        units = VECTOR_UNITS_ON_ECP5 if metafunc.config.getoption("--netlist") else VECTOR_UNITS_SIMULATED
        metafunc.parametrize("parameters", units, scope="session", ids=lambda unit: title(unit._asdict()))


@pytest.fixture(scope="session")
def bench(parameters, pytestconfig):
    bench = Bench(*parameters, prepare=ecp5.mapped if pytestconfig.getoption("--netlist") else None)
    yield bench
    bench.sim.close()


@pytest.fixture
def run(bench):
    """Return the function that powers the unit on and sends commands to it; see `Bench.run`."""
    return bench.run
