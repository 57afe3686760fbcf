"""The ECPIX-5 with gigabit Ethernet and memories that hold the firmware on Zephyr with its net stack.

Of the FPGA's 208 block RAMs of 2 KB, code takes 80, data 24, the buffer memory 64 and the MAC's slots 10; the rest
takes 19 as in `ecpix5_zephyr`, 197 in all, and the fast path's come on top: whether it fits has not been tried.
"""

from dataclasses import replace

from gateware.boards.ecpix5_eth import BOARD as ECPIX5_ETH
from gateware.boards.ecpix5_zephyr import BOARD as ECPIX5_ZEPHYR

BOARD = replace(
    ECPIX5_ZEPHYR,
    name="ecpix5_eth_zephyr",
    title="LambdaConcept ECPIX-5 (ECP5-85F) with Ethernet, firmware on Zephyr",
    ethernet=ECPIX5_ETH.ethernet,
    rom_size=160 * 1024,
    sram_size=48 * 1024,
)
