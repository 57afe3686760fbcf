"""Ethernet of the SoC: LiteEth's MAC with a 32-bit datapath, its frames in slots that the CPU reads and writes.

The datapath is in the system's clock domain at 32 bits, which carries 1 Gb/s from 31.25 MHz on; only the
PHY and the change of width are in the PHY's 125 MHz domains. A received frame without an error waits in a slot
until the CPU acknowledges it; when all slots are taken, frames are dropped and counted (`ethmac_sram_writer_errors`).
"""

from litex.soc.integration.soc_core import SoCCore

from gateware.boards import Ethernet


def add_ethernet(soc: SoCCore, ethernet: Ethernet) -> None:
    """Adds the PHY and the MAC, with the constants `MACADDR1` to `6` and `LOCALIP1` to `4` for the firmware.

    The receive slots can be written, so that the firmware leaves no key in them.
    """
    soc.ethphy = ethernet.create_phy(soc.platform)
    soc.add_ethernet(
        phy=soc.ethphy,
        data_width=32,
        nrxslots=ethernet.rx_slots,
        rxslots_read_only=False,
        ntxslots=ethernet.tx_slots,
        mac_address=ethernet.mac_address,
        local_ip=ethernet.ip_address,
    )
