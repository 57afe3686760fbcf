# SPDX-License-Identifier: BSD-2-Clause
"""Test the SNOW 3G accelerator in the SoC: which S-boxes it uses on an FPGA and on the simulated board."""

import pytest
from migen import Instance

from gateware import targets
from gateware.soc.soc import CipherlaneSoC
from tests.gateware.soc.test_boards import quiet  # noqa: F401 (a fixture)


@pytest.mark.parametrize("board", ["ecpix5", "sim"])
def test_snow3g_s_s_boxes_are_cells_on_an_fpga_and_tables_on_the_simulated_board(board):
    generator = CipherlaneSoC(targets.load(board, "lte"), firmware=[0]).snow3g_service.core.generator
    for s_boxes in (generator.s1, generator.s2):
        cells = [part for part in s_boxes.get_fragment().specials if isinstance(part, Instance)]
        assert bool(cells) == (board == "ecpix5")
