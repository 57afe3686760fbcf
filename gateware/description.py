# SPDX-License-Identifier: BSD-2-Clause
"""Types that describe a board, its cables and SDRAM, and the settings that fit a configuration into the FPGA."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Fit:
    """Settings that make a configuration fit into a board's FPGA: S-boxes, memories, clock, options for nextpnr.

    ``cfu_sbox`` is the S-box of the unit on the CPU's CFU port, ``core_sbox`` the AES core's, ``part_sbox`` the one of
    parts that an extension adds. ``key_stages`` are the registers of the S-boxes in the core's key expansion
    (`gateware.aes.cores.create_core`). ``product_cycles`` are the cycles of a product in the vector unit
    (`gateware.isa.products`). With 0 it has no multiplier, and GHASH is software.

    Memories of at most ``lut_words`` words become LUTs, even if they are declared for block RAM. Memories of at most
    ``distributed_words`` words become distributed RAM, whatever synthesis would choose.

    ``path_ps`` is how long Yosys' ABC may make a path that need not be short, in picoseconds of cells and of wires of
    300 ps each. With 0, the limit is the longest path of all. ``padding_register`` is the MAC's
    (`gateware.net.link.mac`), for a part in which the MAC's transmit side is spread widely.

    ``pnr_seed`` and ``pnr_options`` are nextpnr's. nextpnr's default weight on timing, 10, makes the clock some percent
    slower. ``sys_clk_freq`` is the system clock in Hz if it differs from the board's. ``clock_met`` tells whether
    place-and-route met it.
    """

    cfu_sbox: str = "table"
    core_sbox: str = "table"
    key_stages: int = 1
    part_sbox: str = "table"
    product_cycles: int = 0
    pnr_seed: int = 1
    pnr_options: tuple[str, ...] = ("--placer-heap-timingweight", "100")
    lut_words: int = 0
    distributed_words: int = 0
    path_ps: int = 0
    padding_register: bool = False
    sys_clk_freq: int | None = None
    clock_met: bool = False


@dataclass(frozen=True)
class Sdram:
    """Describes a board's SDRAM for LiteDRAM, and how to create the clocks that the SDRAM needs.

    ``module`` is LiteDRAM's class of the memory. ``rate`` is the ratio of the system clock to the memory's clock, in
    LiteDRAM's notation. ``create_crg`` is called instead of the board's. ``create_phy`` is called with the platform,
    the result of ``create_crg`` and the clock frequency.
    """

    module: Callable[..., Any]
    rate: str
    create_phy: Callable[..., Any]
    create_crg: Callable[..., Any]


@dataclass(frozen=True)
class Cable:
    """Describes the USB connection of some revisions of a board: how to load the board, and how to find its UART.

    ``revision`` is the name for `REVISION=`, empty if the board has only one kind of cable. ``revisions`` lists, for
    people, all revisions with this cable. ``usb`` is the identity (`vendor:product`) of the JTAG cable, or of the
    board's bootloader; ``chip`` is the chip that answers there. ``loader`` holds openFPGALoader's options that choose
    it.

    ``uart_usb`` is the identity of the UART's adapter. If the adapter has several interfaces, a slash and the
    interface's number follow. It is empty if any adapter may be used. ``source`` names who states all this.
    """

    revisions: str
    usb: str
    chip: str
    loader: tuple[str, ...]
    source: str
    revision: str = ""
    uart_usb: str = ""


@dataclass(frozen=True)
class Board:
    """Describes a board, for the SoC and for the tools.

    Sizes are in bytes, frequencies in Hz. ``create_platform`` is called without arguments, ``create_crg`` with the
    platform and the clock frequency. ``create_phy``, for a board with Ethernet, is called with the platform and returns
    a LiteEth PHY. ``sdram`` describes the SDRAM, if there is any. ``console_name`` is LiteX's name of a second UART,
    for people; records have the first UART for themselves.

    ``fits`` holds settings for configurations, by name: the targets that this project builds and tests. ``fit`` is for
    all other configurations. ``lut4`` is about how many LUT4 the SoC without features takes (est). ``models``, for a
    simulated board, is the board that it models. ``clock_pin`` carries a clock of ``sys_clk_freq``, and ``reset_pin``
    is low while the board is reset.

    ``bootloader`` tells that the board is loaded over USB (DFU) by its own bootloader, which reports no part and writes
    only the SPI flash. ``cables`` holds each kind of cable that revisions have, most common first. ``other_revisions``
    tells, by a revision's name, how it differs from the revisions that configurations are built for, and who states
    this.
    """

    name: str
    title: str
    sys_clk_freq: int
    create_platform: Callable[[], Any]
    create_crg: Callable[..., Any]
    uart_name: str
    uart_baudrate: int
    uart_fifo_depth: int
    rx_window: int
    console_name: str
    fit: Fit
    fits: Mapping[str, Fit]
    lut4: int = 0
    create_phy: Callable[[Any], Any] | None = None
    sdram: Sdram | None = None
    models: "Board | None" = None
    device: str = ""
    speed_grade: str = ""
    bootloader: bool = False
    cables: tuple[Cable, ...] = ()
    other_revisions: Mapping[str, str] = field(default_factory=dict)
    constraints: str = ""
    clock_pin: str = ""
    reset_pin: str = ""

    @property
    def simulated(self) -> bool:
        """Whether the board is simulated."""
        return self.models is not None

    @property
    def has_uart(self) -> bool:
        """Whether the UART is connected to pins of the FPGA. LiteX's `crossover` UART is not connected to pins."""
        return self.uart_name != "crossover"

    @property
    def uart_usb(self) -> bool:
        """Whether the USB identity of the UART's adapter is known for every revision of the board."""
        return bool(self.cables) and all(cable.uart_usb for cable in self.cables)

    @property
    def part(self) -> str:
        """The name of the FPGA as openFPGALoader prints it, without the package."""
        return "-".join(self.device.split("-")[:2]).rstrip("F")

    @property
    def size(self) -> str:
        """The size in the FPGA's name, for example 85F: one of `gateware.platform.ecp5.parts.PARTS`."""
        return self.device.split("-")[1]
