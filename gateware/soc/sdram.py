# SPDX-License-Identifier: BSD-2-Clause
"""SDRAM on the CPU's bus, with LiteDRAM: memory for data that does not fit on chip.

::

    CPU's bus, 32 bits ──► L2 cache, written back ──► LiteDRAM: a line an access ──► PHY ──► module

The CPU caches the region `main_ram` like the on-chip memories. Neither the accelerator's DMA nor the vector unit
reaches it; data for them must be copied to the buffer memory. A line has 16 bytes. LiteDRAM moves them in one clock
with 16 data lines of DDR3; SDR SDRAM takes a clock for each two or four bytes. The SDRAM does not work until the
firmware has set up module and PHY (`firmware/sdram/sdram.c`).
"""

from litex.soc.integration.soc_core import SoCCore
from migen import Memory

from ..description import Sdram
from ..memory import DISTRIBUTED

SDRAM_ORIGIN = 0x6000_0000  # 512 MB fit between this address and 0x8000_0000, where the uncached addresses begin
# Time limit of a bus access in cycles. A cache miss takes fewer cycles, even if a refresh delays each of its two
# accesses to the SDRAM.
BUS_TIMEOUT_CYCLES = 1023


def add_sdram(soc: SoCCore, sdram: Sdram, l2_bytes: int, distributed_words: int = 0) -> None:
    """Add controller, PHY and L2 cache, with the region `main_ram` and the registers `sdram` and `ddrphy`.

    A cache of at most `distributed_words` lines is put into LUTs. Its single port reads and writes, so LUTs and block
    RAM behave alike.

    Raises
    ------
    ValueError
        The cache is smaller than two lines or not a power of two.
    """
    if l2_bytes < 32 or l2_bytes & (l2_bytes - 1):
        raise ValueError(f"an L2 cache of {l2_bytes} bytes is not two lines or more, a power of two")
    soc.mem_map = {**soc.mem_map, "main_ram": SDRAM_ORIGIN}
    soc.ddrphy = sdram.create_phy(soc.platform, soc.crg, soc.sys_clk_freq)
    module = sdram.module(soc.sys_clk_freq, sdram.rate)
    soc.add_sdram("sdram", phy=soc.ddrphy, module=module, l2_cache_size=l2_bytes, l2_cache_full_memory_we=False)
    for special in soc.l2_cache._fragment.specials:
        if isinstance(special, Memory) and special.depth <= distributed_words:
            special.attr = {DISTRIBUTED}
