# SPDX-License-Identifier: BSD-2-Clause
"""Prove in every test run that the boards' S-boxes equal the S-boxes of FIPS-197 for all inputs. The proofs are in
`prove_sbox`.

This takes seconds. `gateware.boards` determines which S-boxes the boards have. ``make formal`` proves the other
implementations, and refutes broken ones.
"""

import pytest

from tests.formal.prove_sbox import (
    column_is_right,
    column_verilog,
    registered_is_the_definition,
    registered_verilog,
)
from tests.gateware.boards import REGISTERED_SBOXES, VECTOR_UNITS


@pytest.mark.parametrize("implementation", sorted({unit.sbox for unit in VECTOR_UNITS}))
def test_column(implementation):
    """Prove the S-boxes of the vector unit's lanes."""
    assert column_is_right(column_verilog(implementation))


@pytest.mark.parametrize(("sbox", "stages"), REGISTERED_SBOXES)
def test_registered(sbox, stages):
    """Prove the S-boxes of the AES cores that the accelerator and the fast path use."""
    assert registered_is_the_definition(registered_verilog(sbox, stages), stages)
