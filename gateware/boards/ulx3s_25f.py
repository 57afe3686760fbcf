# SPDX-License-Identifier: BSD-2-Clause
"""The board Radiona ULX3S v2.0 with the smaller FPGA, an ECP5-25 (LFE5U-25F-6BG381C); otherwise like `ulx3s`."""

from dataclasses import replace

from litex_boards.platforms import radiona_ulx3s

from . import small
from .ulx3s import BOARD as ULX3S

BOARD = replace(
    ULX3S,
    name="ulx3s_25f",
    title="Radiona ULX3S (ECP5-25F)",
    create_platform=lambda: radiona_ulx3s.Platform(device="LFE5U-25F", revision="2.0", toolchain="trellis"),
    uart_fifo_depth=2048,
    rx_window=2048,
    lut4=small.LUT4,
    fit=small.FIT,
    fits={"default": small.FIT, "sdram": small.FIT},
    device="LFE5U-25F-6BG381C",
)
