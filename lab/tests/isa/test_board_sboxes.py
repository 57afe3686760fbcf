# SPDX-License-Identifier: BSD-2-Clause
"""Prove that S-boxes match FIPS-197 for all inputs. The boards use these S-boxes for the instruction sets of other
authors.
"""

import pytest

from lab.tests.isa.units import SBOXES
from tests.formal.prove_sbox import is_the_definition_and_undone


@pytest.mark.parametrize("implementation", SBOXES)
def test_combinational(implementation):
    assert is_the_definition_and_undone(implementation)
