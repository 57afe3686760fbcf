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
    lut4=16_100,
    fit=_FIT,
    fits={"default": replace(_FIT, product_cycles=8), "loader": _FIT},
    device="LFE5U-85F-8MG285C",
)
