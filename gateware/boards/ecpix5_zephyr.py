"""The ECPIX-5 with memories that hold the firmware on Zephyr, all on chip.

Of the FPGA's 208 block RAMs of 2 KB, code takes 64, data 32 and the buffer memory 64; the rest of the SoC takes
19 (the report of `make bitstream BOARD=ecpix5` less its memories), 179 in all.
"""

from dataclasses import replace

from gateware.boards.ecpix5 import BOARD as ECPIX5

BOARD = replace(
    ECPIX5,
    name="ecpix5_zephyr",
    title="LambdaConcept ECPIX-5 (ECP5-85F), firmware on Zephyr",
    firmware="zephyr",
    console_name="jtag_uart",
    watchdog=True,
    rom_size=128 * 1024,
    sram_size=64 * 1024,
    buffer_size=128 * 1024,
)
