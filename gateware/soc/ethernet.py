"""Ethernet of the SoC: one PHY for the CPU, whose frames wait in slots, and for the UDP fast path beside it.

The datapath of both is in the system's clock domain at 32 bits, which carries 1 Gb/s from 31.25 MHz on; the PHY, the
frame check sequence and the change of width are in the PHY's 125 MHz domains. A received frame for the CPU without an
error waits in a slot until the CPU acknowledges it; when all slots are taken, frames are dropped and counted
(`ethmac_sram_writer_errors`). The PHY's clock is constrained at its pin, with the board's pins. `fastpath` is the fast
path's peripheral (`gateware.net.records.peripheral`).
"""

import ipaddress
from collections.abc import Callable

from cipherlane.protocol.layout import UDP_PORT
from litex.soc.integration.soc import SoCRegion, add_ip_address_constants, add_mac_address_constants
from litex.soc.integration.soc_core import SoCCore

from gateware.configurations import Ethernet
from gateware.ctr.client import Port
from gateware.net.ethernet import FastPathEthernet
from gateware.net.link.mac import SharedMAC
from gateware.net.records.peripheral import FastPathPeripheral


def add_ethernet(soc: SoCCore, create_phy: Callable, ethernet: Ethernet, *, service: Port) -> None:
    """Adds PHY, MAC and fast path, with the constants `MACADDR1` to `6` and `LOCALIP1` to `4` for the firmware.

    `create_phy` is the board's, `service` the fast path's port of the CTR service. The receive slots can be written,
    so that the firmware leaves no key in them.
    """
    soc.ethphy = create_phy(soc.platform)
    soc.ethmac = SharedMAC(
        phy=soc.ethphy,
        mac_address=ethernet.fast_path_mac_address,
        rx_slots=ethernet.rx_slots,
        tx_slots=ethernet.tx_slots,
    )
    soc.fastpath = FastPathPeripheral(
        service=service,
        port=UDP_PORT,
        ip_address=int(ipaddress.IPv4Address(ethernet.fast_path_ip_address)),
    )
    soc.ethernet_stack = FastPathEthernet(mac=soc.ethmac, peripheral=soc.fastpath, clk_freq=soc.sys_clk_freq)
    _add_slots(soc, soc.ethmac)
    soc.irq.add("ethmac", use_loc_if_exists=True)
    add_ip_address_constants(soc, "LOCALIP", ethernet.ip_address)
    add_mac_address_constants(soc, "MACADDR", ethernet.mac_address)


def _add_slots(soc: SoCCore, mac: SharedMAC) -> None:
    """The slots' memories: region `ethmac`, the receive slots before the transmit slots."""
    rx_size, tx_size = (slots.constant * mac.slot_size.constant for slots in (mac.rx_slots, mac.tx_slots))
    soc.bus.add_region("ethmac", SoCRegion(size=rx_size + tx_size, linker=True, cached=False))
    origin = soc.bus.regions["ethmac"].origin
    for name, bus, offset, size in (("rx", mac.bus_rx, 0, rx_size), ("tx", mac.bus_tx, rx_size, tx_size)):
        region = SoCRegion(origin=origin + offset, size=size, linker=True, cached=False)
        soc.bus.add_slave(f"ethmac_{name}", slave=bus, region=region)
