"""The S-boxes that boards have are FIPS-197's for all inputs: those of `prove_sbox`, in seconds, with every test run.

Which ones follows from `gateware.boards`. The other implementations, and broken ones that must be refuted, are proven
with ``make formal``.
"""

import pytest

from tests.formal.prove_sbox import (
    column_is_right,
    column_verilog,
    is_the_definition_and_undone,
    registered_is_the_definition,
    registered_verilog,
)
from tests.gateware.boards import REGISTERED_SBOXES, SCALAR_UNITS, VECTOR_UNITS


@pytest.mark.parametrize("implementation", SCALAR_UNITS)
def test_combinational(implementation):
    """Of the scalar unit."""
    assert is_the_definition_and_undone(implementation)


@pytest.mark.parametrize("implementation", VECTOR_UNITS)
def test_column(implementation):
    """Of the vector unit's lanes."""
    assert column_is_right(column_verilog(implementation))


@pytest.mark.parametrize(("sbox", "stages"), REGISTERED_SBOXES)
def test_registered(sbox, stages):
    """Of the accelerator's core and the fast path's."""
    assert registered_is_the_definition(registered_verilog(sbox, stages), stages)
