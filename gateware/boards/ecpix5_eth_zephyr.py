"""The ECPIX-5 with gigabit Ethernet and memories that hold the firmware on Zephyr with its net stack.

Not a bitstream yet: of block RAMs of 2 KB, code takes 80, data 24 and the buffer memory 64, and everything else in
`ecpix5_eth` 68, which is 236 where the FPGA has 208. Without the fast path, which Zephyr does not use, or with code in
the board's DDR3 it would fit.
"""

from dataclasses import replace

from gateware.boards.ecpix5_eth import BOARD as ECPIX5_ETH
from gateware.boards.ecpix5_zephyr import BOARD as ECPIX5_ZEPHYR

BOARD = replace(
    ECPIX5_ZEPHYR,
    name="ecpix5_eth_zephyr",
    title="LambdaConcept ECPIX-5 (ECP5-85F) with Ethernet, firmware on Zephyr",
    core_sbox=ECPIX5_ETH.core_sbox,
    ethernet=ECPIX5_ETH.ethernet,
    rom_size=160 * 1024,
    sram_size=48 * 1024,
)
