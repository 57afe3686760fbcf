# SPDX-License-Identifier: BSD-2-Clause
"""The board Radiona ULX3S v2.0: ECP5-85 (LFE5U-85F-6BG381C), UART, SDR SDRAM; no Ethernet."""

from litedram.modules import MT48LC16M16
from litex_boards.platforms import radiona_ulx3s

from ..description import Board, Cable, Fit
from ..platform.ecp5.clocks import create_crg
from ..platform.ecp5.sdr import create_sdr

# The FPGA drives the pad `wifi_gpio0` high. If this pad were low, the board's ESP32 would load another bitstream into
# the FPGA.
_CRG = create_crg("clk25", 25e6, "rst", active_low=False, high_names=("wifi_gpio0",))
_FIT = Fit(cfu_sbox="block_ram", core_sbox="block_ram")

BOARD = Board(
    name="ulx3s",
    title="Radiona ULX3S (ECP5-85F)",
    sys_clk_freq=40_000_000,
    create_platform=lambda: radiona_ulx3s.Platform(device="LFE5U-85F", revision="2.0", toolchain="trellis"),
    create_crg=_CRG,
    # Phase of the SDRAM's clock. With 90 degrees at 40 MHz, commands have 6 ns to reach the memory, and data have 19 ns
    # to come back. LiteX's own target also uses 90 degrees, but at 50 MHz.
    sdram=create_sdr(MT48LC16M16, _CRG, phase=90),
    uart_name="serial",
    uart_baudrate=1_000_000,
    uart_fifo_depth=8192,
    rx_window=8192,
    console_name="jtag_uart",
    lut4=16_100,
    fit=_FIT,
    fits={"default": _FIT, "sdram": _FIT, "loader": _FIT},
    device="LFE5U-85F-6BG381C",
    speed_grade="6",
    # The revision in the USB descriptor can be wrong: a board v3.1.8 reported v3.0.8.
    cables=(
        Cable(
            revisions="v1.7 to v3.1",
            usb="0403:6015",
            chip="FT231X",
            loader=("--board", "ulx3s"),
            uart_usb="0403:6015",
            source="openFPGALoader's src/board.hpp, emard/ulx3s doc/MANUAL.md",
        ),
    ),
    other_revisions={
        "v1.7": "other pins of SD card and video, which no configuration uses (litex-boards)",
        "v3.1": "the ESP32's GPIO0 is at F1; the bitstream drives L2, which is its GPIO22 there "
        "(emard/ulx3s doc/constraints/prototype/ulx3s_v316.lpf)",
    },
)
