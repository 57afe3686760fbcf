"""Ethernet of the SoC: one PHY for the CPU, whose frames wait in slots, and for the UDP fast path beside it.

The datapath of both is in the system's clock domain at 32 bits, which carries 1 Gb/s from 31.25 MHz on; the PHY, the
frame check sequence and the change of width are in the PHY's 125 MHz domains. A received frame for the CPU without an
error waits in a slot until the CPU acknowledges it; when all slots are taken, frames are dropped and counted
(`ethmac_sram_writer_errors`). The slots are one memory for MAC, CPU and DMA (`gateware.net.link.slots`), so that a
record's data go from one slot to another without the CPU. The PHY's clock is constrained at its pin, with the board's
pins. `fastpath` is the fast path's peripheral (`gateware.net.records.peripheral`).
"""

import ipaddress
from collections.abc import Callable

from cipherlane.protocol.layout import UDP_PORT
from litex.soc.integration.soc import SoCRegion, add_ip_address_constants, add_mac_address_constants
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect import wishbone

from gateware.configurations import Ethernet
from gateware.ctr.client import Port
from gateware.net.ethernet import FastPathEthernet
from gateware.net.link.mac import SharedMAC
from gateware.net.link.slots import SLOT_BYTES
from gateware.net.records.peripheral import FastPathPeripheral
from gateware.soc.buffer import BufferMemory

SLOTS_ORIGIN = 0x8000_0000  # not cached
# The wire gives 31.25 million words a second and takes as many; a tenth is for the CPU.
SYS_HZ_MIN = 70_000_000


def slots_region(ethernet: Ethernet) -> tuple[int, int]:
    """Where the slots are on the buses of CPU and DMA, and their bytes: receive slots before transmit slots."""
    return SLOTS_ORIGIN, (ethernet.rx_slots + ethernet.tx_slots) * SLOT_BYTES


def add_ethernet(
    soc: SoCCore,
    create_phy: Callable,
    ethernet: Ethernet,
    *,
    service: Port,
    dma_bus: wishbone.Interface,
    padding_register: bool = False,
) -> None:
    """Adds PHY, MAC and fast path, with the constants `MACADDR1` to `6` and `LOCALIP1` to `4` for the firmware.

    `create_phy` is the board's, `service` the fast path's port of the CTR service, `dma_bus` what the DMA reaches the
    slots by; `padding_register` is the MAC's. The receive slots can be written, so that the firmware leaves no key in
    them.

    Raises
    ------
    ValueError
        The system's clock is too slow for a wire of 1 Gb/s in both directions into and out of one memory.
    """
    if soc.sys_clk_freq < SYS_HZ_MIN:
        raise ValueError(f"Ethernet at a system clock of {soc.sys_clk_freq} Hz: give {SYS_HZ_MIN} or more")
    soc.ethphy = create_phy(soc.platform)
    soc.ethmac = SharedMAC(
        phy=soc.ethphy,
        mac_address=ethernet.fast_path_mac_address,
        rx_slots=ethernet.rx_slots,
        tx_slots=ethernet.tx_slots,
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
    """The slots' memory: region `ethmac`, with `ethmac_rx` and `ethmac_tx` in it."""
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
