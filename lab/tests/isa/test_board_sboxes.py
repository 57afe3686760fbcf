# SPDX-License-Identifier: BSD-2-Clause
"""Prove for all inputs that the boards' S-boxes for other authors' instruction sets match FIPS-197."""

import pytest

from lab.tests.isa.units import SBOXES
from tests.formal.prove_sbox import is_the_definition_and_undone


@pytest.mark.parametrize("implementation", SBOXES)
def test_combinational(implementation):
    assert is_the_definition_and_undone(implementation)
