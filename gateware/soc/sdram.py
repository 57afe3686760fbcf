"""SDRAM on the CPU's bus, by LiteDRAM: room for what does not fit on chip.

::

    CPU's bus, 32 bits ──► L2 cache, written back ──► LiteDRAM: a line an access ──► PHY ──► module

The region `main_ram` is cached by the CPU as on-chip memories are. Neither the accelerator's DMA nor the vector unit
reaches it: what they are to work on is copied through the buffer memory. A line has 16 bytes, what LiteDRAM moves at
once with 16 data lines of DDR3; SDR SDRAM takes a clock for each two or four of them. Nothing of it answers rightly
before the firmware has set module and PHY up (`firmware/sdram/sdram.c`).
"""

from litedram.common import PhySettings, get_default_cl_cwl, get_sys_latency, get_sys_phase
from litedram.phy.model import SDRAMPHYModel
from litex.soc.integration.soc_core import SoCCore
from migen import Memory

from gateware.boards import Sdram
from gateware.memory import DISTRIBUTED

SDRAM_ORIGIN = 0x6000_0000  # 512 MB behind the on-chip memories, below what is not cached
# A miss writes a line back and reads another, each perhaps behind a refresh.
BUS_TIMEOUT_CYCLES = 1023


def add_sdram(soc: SoCCore, sdram: Sdram, l2_bytes: int, distributed_words: int = 0) -> None:
    """Adds controller, PHY and L2 cache, with the region `main_ram` and the registers `sdram` and `ddrphy`.

    A cache of at most `distributed_words` lines is in LUTs: its one port writes and reads, so that both give the same.

    Raises
    ------
    ValueError
        The cache is smaller than two lines or no power of two.
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


def create_model(module, sys_clk_freq: float) -> SDRAMPHYModel:
    """A PHY with its module, for simulation: as LiteDRAM's ECP5DDRPHY on 16 data lines, with nothing to adjust.

    Its latencies are that PHY's, so that accesses take the cycles that they take there; its registers are none.
    """
    phases, lines = 2, 16
    cl, cwl = get_default_cl_cwl(module.memtype, 1 / (phases * sys_clk_freq))
    read, write = get_sys_latency(phases, cl), get_sys_latency(phases, cwl)
    settings = PhySettings(
        phytype="SDRAMPHYModel",
        memtype=module.memtype,
        databits=lines,
        dfi_databits=4 * lines,
        nphases=phases,
        rdphase=get_sys_phase(phases, read, cl),
        wrphase=get_sys_phase(phases, write, cwl),
        cl=cl,
        cwl=cwl,
        read_latency=read + 10,
        write_latency=write,
    )
    return SDRAMPHYModel(module, settings, clk_freq=sys_clk_freq)
