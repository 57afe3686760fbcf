"""The simulated board with memories that hold the firmware on Zephyr; as much fits on the ECPIX-5, see there.

No place-and-route of `ecpix5_zephyr` has met its clock yet. Its console is the simulator's standard input and output.
"""

from dataclasses import replace

from litex.build.sim import SimPlatform

from gateware.boards.ecpix5_zephyr import BOARD as ECPIX5_ZEPHYR
from gateware.boards.sim import BOARD as SIM
from gateware.boards.sim import IO, SERIAL

CONSOLE_IO = [("serial", 1, *SERIAL)]

BOARD = replace(
    SIM,
    name="sim_zephyr",
    title="simulated board, firmware on Zephyr",
    create_platform=lambda: SimPlatform("SIM", [*IO, *CONSOLE_IO]),
    firmware="zephyr",
    console_name="sim",
    watchdog=True,
    rom_size=ECPIX5_ZEPHYR.rom_size,
    sram_size=ECPIX5_ZEPHYR.sram_size,
    buffer_size=ECPIX5_ZEPHYR.buffer_size,
    clock_met_by="",
)
