# SPDX-License-Identifier: BSD-2-Clause
"""Adds an accelerator for 128-EEA1 to the SoC. The accelerator consists of two modules. `CTRService` contains a SNOW 3G
core and produces keystream. `CTRAccelerator` is the service's client, and processes data by DMA.
"""

from litex.soc.interconnect import wishbone

from gateware.ctr.service import CTRService
from gateware.dma import accelerator
from gateware.dma.accelerator import CTRAccelerator
from gateware.soc.soc import BUFFER_ORIGIN, CipherlaneSoC
from gateware.targets import Target
from lab.snow3g.core import Snow3GCore


def add_snow3g(self: CipherlaneSoC, target: Target) -> list[wishbone.Interface]:
    """Add the CTR service and the accelerator to the SoC, which is the argument `self`. Return the bus master of the
    accelerator's DMA.

    The SoC has the name `self`, so that Migen names signals as in a method of the SoC.
    """
    client = accelerator.client()
    sbox = target.fit.part_sbox
    self.snow3g_service = CTRService(core=Snow3GCore(slots=client.slots, s_r=sbox, s_q=sbox), clients=[client])
    regions = [(BUFFER_ORIGIN, target.configuration.buffer_size)]
    self.snow3g = CTRAccelerator(service=self.snow3g_service.ports[0], regions=regions)
    self.irq.add("snow3g", use_loc_if_exists=True)
    return [self.snow3g.bus]
