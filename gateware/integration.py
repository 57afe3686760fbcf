# SPDX-License-Identifier: BSD-2-Clause
"""Adds the AES-CTR accelerator (`gateware.dma.accelerator`) to a LiteX SoC of another project."""

from collections.abc import Sequence

from litex.soc.integration.soc import LiteXSoC

from .ctr.service import create_service
from .dma import accelerator


def add_accelerator(
    soc: LiteXSoC,
    regions: Sequence[str],
    *,
    name: str = "aes",
    slots: int = accelerator.SLOTS,
    gcm_cycles: int = 0,
    **core,
) -> accelerator.CTRAccelerator:
    """Add the accelerator with its AES core, its registers, its interrupt, and its DMA as a master of the SoC's bus.

    The DMA is a master of the bus that LiteX's own DMAs use: the CPU's coherent one if it has one, otherwise the main
    bus. A data bus of fewer than 128 bits carries a block in several accesses. LiteX's converter in between passes on
    no error of the bus, so a descriptor for memory that does not answer ends with other data, or with BUS_TIMEOUT.

    If the bus is not coherent with the CPU's data cache, software writes the cache back before `start`, and flushes it
    before it reads a result.

    Parameters
    ----------
    soc : LiteXSoC
        Has a Wishbone bus and the regions. Its memory map and interrupts choose the places of the new ones.
    regions : sequence of str
        Regions of the SoC's bus, such as ``main_ram``, to which the DMA has access.
    name : str
        Prefix of the registers (`gateware.dma.registers`), and name of the interrupt and of the bus master.
    slots : int
        Number of keys that it holds, 1 to 16; with GCM, 2 to 16.
    gcm_cycles : int
        Cycles of a product of GHASH, one of `gateware.gcm.ghash.CYCLES`, or 0 for an accelerator without GCM.
    **core
        Arguments of `gateware.ctr.service.create_service` for the AES core: ``datapath``, ``sbox``, ``engines`` and
        ``key_stages``.

    Raises
    ------
    ValueError
        The SoC has no such region, or a parameter of the accelerator or the core is wrong.
    """
    known = soc.bus.regions
    if isinstance(regions, str) or not regions or any(region not in known for region in regions):
        raise ValueError(f"regions is {regions!r}; give a list of some of {', '.join(known)}")
    if gcm_cycles and slots < 2:
        raise ValueError(f"slots is {slots}; with GCM, give 2 to {accelerator.MAX_SLOTS}")
    service = create_service([accelerator.client(slots)], **core)
    places = [(known[region].origin, known[region].size) for region in regions]
    unit = accelerator.CTRAccelerator(service=service.ports[0], regions=places, gcm_cycles=gcm_cycles)
    soc.add_module(f"{name}_service", service)
    soc.add_module(name, unit)
    getattr(soc, "dma_bus", soc.bus).add_master(name, master=unit.bus)
    if soc.irq.enabled:
        soc.irq.add(name)
    return unit
