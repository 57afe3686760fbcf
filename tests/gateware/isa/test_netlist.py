# SPDX-License-Identifier: BSD-2-Clause
"""Run two tests of the vector unit on its netlist after synthesis for the ECP5, with each board's S-boxes.

The netlist is interpreted, because compiling it takes minutes. ``make netlist-units`` compiles it and runs all
programs, and the accelerator's programs.
"""

import pytest

from tests.gateware import ecp5
from tests.gateware.boards import VECTOR_UNITS_ON_ECP5, title
from tests.gateware.isa.bench import Bench
from tests.gateware.isa.test_vector_unit import (
    test_loads_and_stores_run_behind_other_instructions,
    test_whole_blocks_both_ways,
)

__all__ = [  # on the netlist
    "test_loads_and_stores_run_behind_other_instructions",
    "test_whole_blocks_both_ways",
]

# These tests run only in thorough runs: synthesis and the simulation of the netlist take a minute. The tests in
# `test_vector_unit.py` find faults of the unit faster.
pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module", params=VECTOR_UNITS_ON_ECP5, ids=lambda unit: title(unit._asdict()))
def bench(request):
    return Bench(*request.param, interpreter=ecp5.Interpreter)
