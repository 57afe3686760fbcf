# SPDX-License-Identifier: BSD-2-Clause
"""The board LambdaConcept ECPIX-5: ECP5-85 (LFE5UM5G-85F-8BG554), UART, DDR3, gigabit Ethernet by an RGMII PHY."""

from dataclasses import replace

from litedram.modules import MT41K256M16
from litex_boards.platforms import lambdaconcept_ecpix5

from ..description import Board, Cable, Fit
from ..platform.ecp5.clocks import create_crg
from ..platform.ecp5.ddr3 import create_ddr3
from ..platform.ecp5.rgmii import create_rgmii

# All S-boxes are in block RAMs. The FPGA has 208 block RAMs. The S-boxes of the vector unit take 8, and the S-boxes of
# an AES core take 10, or 18 if the core has two engines.
_FIT = Fit(cfu_sbox="block_ram", core_sbox="block_ram", pnr_seed=4)
# A lower clock, for configurations that have not met the board's clock in any place-and-route run.
_SLOWER = replace(_FIT, sys_clk_freq=75_000_000)
# The AES core of the MACsec configurations has six engines with many S-boxes, so it uses the smallest S-boxes. Queues
# of at most 32 words consist of LUTs. In the key expansion, each S-box has two registers (`key_stages`), because with
# one register the S-boxes would contain the longest path of the core. Only nextpnr's placer `static` finds a placement
# that can be routed.
_MACSEC = replace(
    _SLOWER,
    core_sbox="tower_cut_ecp5",
    key_stages=2,
    lut_words=32,
    distributed_words=32,
    pnr_seed=1,
    pnr_options=("--placer", "static"),
)
# The memories of Zephyr and Ethernet need the block RAMs. So LUTs implement the S-boxes, and also the queues of at most
# 16 words.
_LUTS = replace(_SLOWER, cfu_sbox="ecp5", core_sbox="ecp5", lut_words=16)

BOARD = Board(
    name="ecpix5",
    title="LambdaConcept ECPIX-5 (ECP5-85F)",
    sys_clk_freq=100_000_000,
    create_platform=lambda: lambdaconcept_ecpix5.Platform(device="85F", toolchain="trellis"),
    create_crg=create_crg("clk100", 100e6, "rst_n"),
    # The PHY chip delays the receive clock, and the FPGA delays the transmit clock.
    create_phy=create_rgmii(rx_delay=0e-9),
    sdram=create_ddr3(MT41K256M16, "clk100", 100e6, "rst_n"),
    uart_name="serial",
    uart_baudrate=1_000_000,
    uart_fifo_depth=8192,
    rx_window=8192,
    console_name="jtag_uart",
    lut4=16_300,
    fit=_SLOWER,
    fits={
        "default": replace(_FIT, product_cycles=8, clock_met=True),
        # `eth` uses nearly all block RAMs. For `eth`, nextpnr's default placer makes the wires a quarter longer than
        # the placer `static` does. With `path_ps`, synthesis may make some paths slower, which saves about 5 % of LUTs.
        "eth": replace(
            _FIT,
            pnr_seed=2,
            pnr_options=("--placer", "static"),
            path_ps=7000,
            sys_clk_freq=80_000_000,
            clock_met=True,
        ),
        "macsec": replace(_MACSEC, clock_met=True),
        "macsec_required": _MACSEC,
        "gcm": replace(_SLOWER, clock_met=True),
        "pipelined": replace(_SLOWER, core_sbox="tower_cut"),
        "zephyr": _SLOWER,
        "sdram": _SLOWER,
        "loader": _SLOWER,
        "sdram_zephyr": _SLOWER,
        "eth_zephyr": replace(_LUTS, pnr_seed=5, pnr_options=("--placer", "static"), path_ps=7000, clock_met=True),
    },
    device="LFE5UM5G-85F-8BG554",
    speed_grade="8",
    cables=(
        Cable(
            revision="R02",
            revisions="R01, R02",
            usb="0403:6010",
            chip="FT2232H",
            loader=("--board", "ecpix5"),
            uart_usb="0403:6010/01",
            source="litex-boards' target, openFPGALoader's src/board.hpp",
        ),
        # openFPGALoader 0.12 and later select this cable by the board name ecpix5_r03. Version 0.10 does not know this
        # board name, so the option --cable gives the name of the cable instead.
        Cable(
            revision="R03",
            revisions="R03",
            usb="0403:6011",
            chip="FT4232H",
            loader=("--cable", "ft4232"),
            uart_usb="0403:6011/02",
            source="openFPGALoader's issue 377 and src/board.hpp; UART: lambdaconcept/lambdaeth, ecpix5_udp_echo.py",
        ),
    ),
    constraints="ecpix5.lpf",
    clock_pin="clk100",
    reset_pin="rst_n",
)
