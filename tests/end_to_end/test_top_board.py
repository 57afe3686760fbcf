# SPDX-License-Identifier: BSD-2-Clause
"""Tests `cipherlane top` on the simulated board. The command must compare two engines. When the command ends, it must
stop the simulated board that it has started.
"""

import psutil
import pytest

from ..host.test_top import measured, show

pytestmark = pytest.mark.simboard


def children():
    return {process.pid for process in psutil.Process().children(recursive=True)}


def test_engines_of_the_simulated_board_side_by_side():
    before = children()

    async def scenario(screen):
        await screen.until(measured)
        assert screen.text("board").startswith("sim (sim), 100 MHz, firmware baremetal")
        assert "nothing was measured on hardware" in " ".join(screen.text("board").split())
        await screen.press("e")
        await screen.until(lambda screen: sum(row[2] != "-" for row in screen.rows()) > 1)
        figures = {row[0][2:]: row for row in screen.rows() if row[2] != "-"}
        assert set(figures) == {"accelerator", "ise_vmem"} and {row[3] for row in figures.values()} == {"sim"}
        for _, _, mbps, _, cycles, *_ in figures.values():
            assert float(mbps) == pytest.approx(12800 / float(cycles), rel=0.01), "128 bits a block at 100 MHz"
        assert float(figures["accelerator"][2]) > float(figures["ise_vmem"][2]) > 100
        assert [row[0] for row in screen.rows() if row[0].startswith("▸")] == ["▸ ise_vmem"]
        await screen.until(lambda screen: "like random bytes" in screen.text("wire"))

    show("sim", scenario)
    assert children() == before, "the simulated board has ended"
