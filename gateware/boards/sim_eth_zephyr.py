"""The simulated board with Ethernet and memories that hold the firmware on Zephyr with its net stack."""

from dataclasses import replace

from litex.build.sim import SimPlatform

from gateware.boards.ecpix5_eth_zephyr import BOARD as ECPIX5_ETH_ZEPHYR
from gateware.boards.sim import IO
from gateware.boards.sim_eth import BOARD as SIM_ETH
from gateware.boards.sim_eth import ETHERNET_IO
from gateware.boards.sim_zephyr import BOARD as SIM_ZEPHYR
from gateware.boards.sim_zephyr import CONSOLE_IO

BOARD = replace(
    SIM_ZEPHYR,
    name="sim_eth_zephyr",
    title="simulated board with Ethernet, firmware on Zephyr",
    create_platform=lambda: SimPlatform("SIM", [*IO, *CONSOLE_IO, *ETHERNET_IO]),
    ethernet=SIM_ETH.ethernet,
    rom_size=ECPIX5_ETH_ZEPHYR.rom_size,
    sram_size=ECPIX5_ETH_ZEPHYR.sram_size,
    buffer_size=ECPIX5_ETH_ZEPHYR.buffer_size,
)
