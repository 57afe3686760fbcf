"""The simulated board with memories that hold the firmware on Zephyr; as much fits on the ECPIX-5, see there."""

from dataclasses import replace

from gateware.boards.ecpix5_zephyr import BOARD as ECPIX5_ZEPHYR
from gateware.boards.sim import BOARD as SIM

BOARD = replace(
    SIM,
    name="sim_zephyr",
    title="simulated board, firmware on Zephyr",
    firmware="zephyr",
    rom_size=ECPIX5_ZEPHYR.rom_size,
    sram_size=ECPIX5_ZEPHYR.sram_size,
    buffer_size=ECPIX5_ZEPHYR.buffer_size,
)
