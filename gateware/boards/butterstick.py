# SPDX-License-Identifier: BSD-2-Clause
"""The board ButterStick r1.0, with an ECP5-85 (LFE5UM5G-85F-8BG381C) and gigabit Ethernet by an RGMII PHY.

litex-boards defines no UART pins, so records come only over Ethernet. The UART is LiteX's crossover, without pins.
"""

from litex_boards.platforms import gsd_butterstick

from ..description import Board, Cable, Fit
from ..platform.ecp5.clocks import create_crg
from ..platform.ecp5.rgmii import create_rgmii

_FIT = Fit(
    cfu_sbox="block_ram",
    core_sbox="block_ram",
    pnr_options=("--placer", "static"),
    path_ps=7000,
    padding_register=True,
)

BOARD = Board(
    name="butterstick",
    title="ButterStick (ECP5-85F)",
    sys_clk_freq=75_000_000,
    create_platform=lambda: gsd_butterstick.Platform(revision="1.0", device="85F", toolchain="trellis"),
    create_crg=create_crg("clk30", 30e6, "user_btn"),
    # The PHY chip, a KSZ9031, already delays the receive clock, so the FPGA adds no delay.
    create_phy=create_rgmii(rx_delay=0e-9),
    uart_name="crossover",
    uart_baudrate=1_000_000,
    uart_fifo_depth=16,
    rx_window=2048,
    console_name="jtag_uart",
    lut4=16_300,
    fit=_FIT,
    fits={"eth": _FIT},
    device="LFE5UM5G-85F-8BG381C",
    speed_grade="8",
    bootloader=True,
    cables=(
        Cable(
            revisions="r1.0",
            usb="1209:5af1",
            chip="DFU bootloader",
            loader=("--dfu", "--vid", "0x1209", "--pid", "0x5af1", "--altsetting", "0"),
            source="litex-boards' platform; its JTAG takes an adapter of its own, an FT232H there",
        ),
    ),
    constraints="butterstick.lpf",
)
