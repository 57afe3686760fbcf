"""Lattice ECP5-5G Versa with an ECP5-45 (LFE5UM5G-45F-8BG381C): UART, gigabit Ethernet by an RGMII PHY, of two."""

from litex_boards.platforms import lattice_versa_ecp5

from gateware.boards import Board, Fit
from gateware.ecp5 import create_crg, create_rgmii

# There are LUTs to spare, and of block RAMs 108.
_FIT = Fit(cfu_sbox="block_ram", core_sbox="ecp5")

BOARD = Board(
    name="versa_ecp5",
    title="Lattice ECP5-5G Versa (ECP5-45F)",
    sys_clk_freq=75_000_000,
    create_platform=lambda: lattice_versa_ecp5.Platform(device="LFE5UM5G", toolchain="trellis"),
    create_crg=create_crg("clk100", 100e6, "rst_n"),
    create_phy=create_rgmii(tx_delay=0e-9, rx_delay=0e-9),
    uart_name="serial",
    uart_baudrate=1_000_000,
    uart_fifo_depth=4096,
    rx_window=4096,
    console_name="jtag_uart",
    fits={
        "default": _FIT,
        # The firmware with Ethernet wants the ROM and 32 KB of buffer: queues are LUTs in their place.
        "eth": Fit(
            cfu_sbox="ecp5",
            core_sbox="ecp5",
            lut_words=16,
            distributed_words=64,
            pnr_options=("--placer", "static"),
            path_ps=7000,
        ),
    },
    left_out={
        "zephyr": "firmware/zephyr has no board for it, and its memories take 128 of the part's 108 block RAMs",
        "eth_zephyr": "firmware/zephyr has no board for it, and its memories take 128 of the part's 108 block RAMs",
        "pipelined": "the pipelined core takes most of the part's LUTs",
        "external RAM": "nothing needs more than block RAM has",
    },
    device="LFE5UM5G-45F-8BG381C",
    speed_grade="8",
    flash_cable=("--cable", "ft2232"),
    cable_usb="0403:6010",
    uart_usb="0403:6010/01",
)
