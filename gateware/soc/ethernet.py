# SPDX-License-Identifier: BSD-2-Clause
"""Ethernet of the SoC. One PHY serves both the UDP fast path and the CPU. A memory holds the CPU's frames in slots.

The datapath of both is in the system's clock domain at 32 bits, which carries 1 Gb/s at 31.25 MHz and more. The PHY,
the frame check sequence and the width converter are in the PHY's 125 MHz domains. A received frame for the CPU without
an error waits in a slot until the CPU acknowledges it. When all slots are taken, frames are dropped and counted
(`ethmac_sram_writer_errors`). The slots are one memory for MAC, CPU and DMA (`gateware.net.link.slots`), so the DMA can
move a record's data from one slot to another without the CPU. The PHY's clock is constrained where the board defines
its pins. `fastpath` is the peripheral of the fast path (`gateware.net.records.peripheral`), and `macsec` that of the
SecY (`gateware.net.macsec.peripheral`), if the configuration has one.
"""

import ipaddress
from collections.abc import Callable, Sequence

from cipherlane_base.wire.layout import UDP_PORT
from litex.soc.integration.soc import SoCRegion, add_ip_address_constants, add_mac_address_constants
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect import wishbone

from ..configurations import Ethernet
from ..ctr.client import Port
from ..net.ethernet import FastPathEthernet
from ..net.link.mac import SharedMAC
from ..net.link.slots import SLOT_BYTES
from ..net.macsec.peripheral import MACsecPeripheral
from ..net.records.peripheral import FastPathPeripheral
from .buffer import BufferMemory

SLOTS_ORIGIN = 0x8000_0000  # address of the memory for Ethernet frames; the CPU does not cache this memory
# Minimum system clock in Hz. Gigabit Ethernet moves 31.25 million words a second in each direction. At 70 MHz, a tenth
# of the cycles remains for the CPU.
SYS_HZ_MIN = 70_000_000


def slots_region(ethernet: Ethernet) -> tuple[int, int]:
    """Return the address and the size in bytes of the memory for Ethernet frames. CPU and DMA use the same address.

    The receive slots come before the transmit slots.
    """
    return SLOTS_ORIGIN, (ethernet.rx_slots + ethernet.tx_slots) * SLOT_BYTES


def add_ethernet(
    soc: SoCCore,
    create_phy: Callable,
    ethernet: Ethernet,
    *,
    service: Port,
    macsec_service: Sequence[Port] = (),
    dma_bus: wishbone.Interface,
    padding_register: bool = False,
) -> None:
    """Add PHY, Ethernet MAC and fast path, and the C constants `MACADDR1` to `MACADDR6`, `LOCALIP1` to `LOCALIP4`.

    `create_phy` comes from the board. `service` is the fast path's port of the CTR service. `macsec_service` are the
    ports for the SecY, to transmit and to receive, if there is one. `dma_bus` is the bus on which the DMA reaches the
    slots. `padding_register` is passed to the MAC. The CPU can write the receive slots too, so that the firmware can
    remove keys from them.

    Raises
    ------
    ValueError
        The system's clock is too slow for one memory to carry 1 Gb/s in both directions.
    """
    if soc.sys_clk_freq < SYS_HZ_MIN:
        raise ValueError(f"Ethernet at a system clock of {soc.sys_clk_freq} Hz: give {SYS_HZ_MIN} or more")
    soc.ethphy = create_phy(soc.platform)
    secy = None
    if macsec_service:
        transmit_port, receive_port = macsec_service
        soc.macsec = MACsecPeripheral(
            transmit_port=transmit_port, receive_port=receive_port, required=ethernet.macsec_required
        )
        secy = soc.macsec.secy
    soc.ethmac = SharedMAC(
        phy=soc.ethphy,
        mac_address=ethernet.fast_path_mac_address,
        rx_slots=ethernet.rx_slots,
        tx_slots=ethernet.tx_slots,
        secy=secy,
        padding_register=padding_register,
    )
    soc.fastpath = FastPathPeripheral(
        service=service,
        port=UDP_PORT,
        ip_address=int(ipaddress.IPv4Address(ethernet.fast_path_ip_address)),
    )
    soc.ethernet_stack = FastPathEthernet(mac=soc.ethmac, peripheral=soc.fastpath, clk_freq=soc.sys_clk_freq)
    _add_slots(soc, soc.ethmac, dma_bus, slots_region(ethernet))
    soc.irq.add("ethmac", use_loc_if_exists=True)
    add_ip_address_constants(soc, "LOCALIP", ethernet.ip_address)
    add_mac_address_constants(soc, "MACADDR", ethernet.mac_address)


def _add_slots(soc: SoCCore, mac: SharedMAC, dma_bus: wishbone.Interface, where: tuple[int, int]) -> None:
    """Add the memory for Ethernet frames: a region `ethmac`, which contains `ethmac_rx` and `ethmac_tx`."""
    origin, size = where
    soc.ethmac_memory = memory = BufferMemory(size=size, urgent=True)
    port, urgent = mac.interface.port, memory.urgent
    soc.comb += [
        *[getattr(urgent, name).eq(getattr(port, name)) for name in ("valid", "write", "address", "data")],
        mac.interface.word.eq(urgent.word),
        dma_bus.connect(memory.wide),
    ]
    soc.bus.add_slave("ethmac", slave=memory.narrow, region=SoCRegion(origin=origin, size=size, cached=False))
    rx_size = mac.rx_slots.constant * SLOT_BYTES
    for name, offset, part in (("rx", 0, rx_size), ("tx", rx_size, size - rx_size)):
        region = SoCRegion(origin=origin + offset, size=part, linker=True, cached=False)
        soc.bus.add_region(f"ethmac_{name}", region)
