# SPDX-License-Identifier: BSD-2-Clause
"""The board Colorlight i5 v7.0 with its extension board: ECP5-25 (LFE5U-25F-6BG381C), UART, SDR SDRAM; no Ethernet."""

from litedram.modules import M12L64322A
from litex_boards.platforms import colorlight_i5

from ..description import Board, Cable
from ..platform.ecp5.clocks import create_crg
from ..platform.ecp5.sdr import create_sdr
from . import small

_CRG = create_crg("clk25", 25e6, "cpu_reset_n")

BOARD = Board(
    name="colorlight_i5",
    title="Colorlight i5 v7.0 (ECP5-25F)",
    sys_clk_freq=40_000_000,
    create_platform=lambda: colorlight_i5.Platform(board="i5", revision="7.0", toolchain="trellis"),
    create_crg=_CRG,
    # Phase of the SDRAM's clock. At 40 MHz, 120 degrees delay the clock by 8.3 ns. LiteX's own target for this board
    # also uses a delay of 8.3 ns, at 60 MHz. According to LiteX, 4.2 ns (90 degrees at 60 MHz) would be too short.
    sdram=create_sdr(M12L64322A, _CRG, phase=120),
    uart_name="serial",
    uart_baudrate=1_000_000,
    uart_fifo_depth=2048,
    rx_window=2048,
    console_name="jtag_uart",
    lut4=small.LUT4,
    fit=small.FIT,
    fits={"default": small.FIT, "sdram": small.FIT},
    device="LFE5U-25F-6BG381C",
    speed_grade="6",
    cables=(
        Cable(
            revisions="i5 v7.0 on its extension board",
            usb="0d28:0204",
            chip="CMSIS-DAP",
            loader=("--board", "colorlight-i5"),
            uart_usb="0d28:0204",
            source="openFPGALoader's src/board.hpp, litex-boards' platform",
        ),
    ),
    other_revisions={"i9 v7.2": "an LFE5U-45F with other pins: this bitstream is not for it (litex-boards)"},
)
