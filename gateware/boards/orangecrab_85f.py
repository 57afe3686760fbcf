# SPDX-License-Identifier: BSD-2-Clause
"""The board OrangeCrab r0.2 with the larger FPGA, an ECP5-85 (LFE5U-85F-8MG285C); otherwise like `orangecrab`."""

from dataclasses import replace

from ..description import Fit
from .orangecrab import BOARD as ORANGECRAB
from .orangecrab import create_platform

_FIT = Fit(cfu_sbox="block_ram", core_sbox="block_ram")

BOARD = replace(
    ORANGECRAB,
    name="orangecrab_85f",
    title="OrangeCrab r0.2 (ECP5-85F)",
    create_platform=lambda: create_platform("85F"),
    uart_fifo_depth=8192,
    rx_window=8192,
    fits={"default": replace(_FIT, product_cycles=8, rom_size=80 * 1024), "loader": _FIT},
    left_out={name: why for name, why in ORANGECRAB.left_out.items() if name != "loader"}
    | dict.fromkeys(("zephyr", "sdram_zephyr"), "firmware/zephyr has no board for it")
    | {"pipelined": "not placed and routed for this part"},
    device="LFE5U-85F-8MG285C",
)
