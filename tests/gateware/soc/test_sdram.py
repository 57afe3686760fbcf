# SPDX-License-Identifier: BSD-2-Clause
"""Tests the SDRAM on the bus: its address and size on each board, its cache, and who can access it. The simulated
SDRAM must have the same timing as the ECPIX-5's SDRAM.
"""

import itertools
import logging

import pytest
from litex.soc.integration.soc_core import SoCCore
from migen import Memory

from gateware import targets
from gateware.description import Sdram
from gateware.memory import DISTRIBUTED
from gateware.soc.sdram import add_sdram
from gateware.soc.soc import CipherlaneSoC

SIZES = {"ecpix5": 512 << 20, "sim": 32 << 20, "ulx3s": 32 << 20, "colorlight_i5": 8 << 20}


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.INFO)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def socs():
    logging.disable(logging.INFO)
    return {board: CipherlaneSoC(targets.load(board, "sdram"), firmware=[0]) for board in SIZES}


@pytest.mark.parametrize(("board", "size"), SIZES.items())
def test_memory_map(socs, board, size):
    region = socs[board].bus.regions["main_ram"]
    assert (region.origin, region.size, region.cached) == (0x6000_0000, size, True)
    places = sorted(
        (other.origin, other.origin + other.size) for other in socs[board].bus.regions.values() if not other.linker
    )
    assert all(end <= begin for (_, end), (begin, _) in itertools.pairwise(places))
    assert region.origin + region.size <= 0x8000_0000, "what follows is not cached"


def test_simulated_module_has_the_timing_of_the_boards(socs):
    model, hardware = (socs[board].sdram.controller.settings for board in ("sim", "ecpix5"))
    assert vars(model.timing) == vars(hardware.timing)
    for name in ("bankbits", "colbits"):
        assert getattr(model.geom, name) == getattr(hardware.geom, name)
    names = ("memtype", "databits", "dfi_databits", "nphases", "rdphase", "wrphase", "cl", "cwl")
    for name in (*names, "read_latency", "write_latency"):
        assert getattr(model.phy, name) == getattr(hardware.phy, name), name


@pytest.mark.parametrize(("board", "lines", "in_luts"), [("ecpix5", 512, False), ("colorlight_i5", 16, True)])
def test_cache_is_in_luts_where_its_lines_are_few(socs, board, lines, in_luts):
    memories = [special for special in socs[board].l2_cache._fragment.specials if isinstance(special, Memory)]
    assert [(memory.depth, DISTRIBUTED in getattr(memory, "attr", ())) for memory in memories] == [(lines, in_luts)] * 2
    assert all(len(memory.ports) == 1 for memory in memories), "which reads what it writes"


def test_neither_dma_nor_vector_unit_reaches_it(socs):
    """Only the CPU's two buses can access the SDRAM. The DMA and the vector unit can access only the buffer memory."""
    assert set(socs["sim"].bus.masters) == {"cpu_bus0", "cpu_bus1"}


@pytest.mark.parametrize("size", [0, 16, 3000])
def test_cache_that_cannot_be(size):
    with pytest.raises(ValueError, match=f"L2 cache of {size} bytes"):
        add_sdram(SoCCore.__new__(SoCCore), Sdram(None, "", None, None), size)
