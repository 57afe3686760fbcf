# SPDX-License-Identifier: BSD-2-Clause
"""SDRAM for the simulated board: a model of a memory module together with LiteDRAM's PHY for the ECP5."""

from litedram.common import PhySettings, get_default_cl_cwl, get_sys_latency, get_sys_phase
from litedram.phy.model import SDRAMPHYModel


def create_model(module, sys_clk_freq: float) -> SDRAMPHYModel:
    """Return a simulation model of an SDRAM module and its PHY. The PHY is like LiteDRAM's ECP5DDRPHY with 16 data
    lines.

    The latencies equal the ECP5DDRPHY's, so accesses take as many cycles. The model has no registers and needs no
    adjustment.
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
