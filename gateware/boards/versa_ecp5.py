# SPDX-License-Identifier: BSD-2-Clause
"""The board Lattice ECP5-5G Versa: ECP5-45 (LFE5UM5G-45F-8BG381C) and UART. Its Ethernet PHYs are not used."""

from litex_boards.platforms import lattice_versa_ecp5

from ..description import Board, Cable, Fit
from ..platform.ecp5.clocks import create_crg

_FIT = Fit(cfu_sbox="block_ram", core_sbox="ecp5")

BOARD = Board(
    name="versa_ecp5",
    title="Lattice ECP5-5G Versa (ECP5-45F)",
    sys_clk_freq=75_000_000,
    create_platform=lambda: lattice_versa_ecp5.Platform(device="LFE5UM5G", toolchain="trellis"),
    create_crg=create_crg("clk100", 100e6, "rst_n"),
    uart_name="serial",
    uart_baudrate=1_000_000,
    uart_fifo_depth=4096,
    rx_window=4096,
    console_name="jtag_uart",
    # The FPGA has only 108 block RAMs, and the configuration `default` leaves LUTs unused. So the AES core's S-boxes
    # consist of LUTs.
    lut4=19_100,
    fit=_FIT,
    fits={"default": _FIT},
    device="LFE5UM5G-45F-8BG381C",
    speed_grade="8",
    cables=(
        Cable(
            revisions="ECP5-5G Versa",
            usb="0403:6010",
            chip="FT2232H",
            loader=("--cable", "ft2232"),
            uart_usb="0403:6010/01",
            source="litex-boards' prog/openocd_versa_ecp5.cfg",
        ),
    ),
    other_revisions={
        "ECP5 Versa": "an LFE5UM-45F, on USB as the 5G: this bitstream is not for it (litex-boards, amaranth-boards)"
    },
)
