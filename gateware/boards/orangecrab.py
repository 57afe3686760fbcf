# SPDX-License-Identifier: BSD-2-Clause
"""The board OrangeCrab r0.2: ECP5-25 (LFE5U-25F-8MG285C), loaded over USB. UART on GPIO 0 (receive), 1 (transmit)."""

from litex_boards.platforms import gsd_orangecrab

from ..description import Board, Cable
from ..platform.ecp5.clocks import create_crg
from . import small


def create_platform(size: str):
    """Returns the LiteX platform with an FPGA of this size. litex-boards defines the pins of the UART."""
    platform = gsd_orangecrab.Platform(revision="0.2", device=size, toolchain="trellis")
    platform.add_extension(gsd_orangecrab.feather_serial)
    return platform


BOARD = Board(
    name="orangecrab",
    title="OrangeCrab r0.2 (ECP5-25F)",
    sys_clk_freq=48_000_000,
    create_platform=lambda: create_platform("25F"),
    create_crg=create_crg("clk48", 48e6, "usr_btn"),
    uart_name="serial",
    uart_baudrate=1_000_000,
    uart_fifo_depth=2048,
    rx_window=2048,
    console_name="jtag_uart",
    lut4=small.LUT4,
    fit=small.FIT,
    fits={"default": small.FIT},
    device="LFE5U-25F-8MG285C",
    speed_grade="8",
    bootloader=True,
    cables=(
        Cable(
            revisions="r0.2",
            usb="1209:5af0",
            chip="DFU bootloader",
            loader=("--board", "orangeCrab"),
            source="openFPGALoader's src/board.hpp, litex-boards' platform",
        ),
    ),
    other_revisions={
        "r0.1": "other pins of memory, reset and LEDs, and no button: this bitstream is not for it (litex-boards)"
    },
)
