"""Boards: what there is, one data file each, the simulated board among them. What is put on it: `configurations`."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Fit:
    """How a configuration goes into a board's part.

    ``cfu_sbox`` is the S-box of the vector or scalar unit, ``core_sbox`` that of the AES core, ``snow3g_sbox`` that of
    both of SNOW 3G's (`gateware.snow3g.sboxes`). Memories of at most ``lut_words`` words are LUTs, even those that are
    declared for block RAM; those of at most ``distributed_words`` are, whatever synthesis would take. ``path_ps`` is
    how long Yosys' ABC may make a path that need not be short, in picoseconds of cells and of wires of 300 ps each;
    with 0 it takes the longest of all for that. ``padding_register`` is that of the MAC (`gateware.net.link.mac`), for
    a part in which its transmit side lies far apart. ``pnr_seed`` and ``pnr_options`` are nextpnr's; its own weight on
    timing, 10, gives some percent less clock. ``sys_clk_freq`` is the system clock in Hz where it is not the board's,
    and ``clock_met`` says whether place-and-route met it.
    """

    cfu_sbox: str = "table"
    core_sbox: str = "table"
    snow3g_sbox: str = "table"
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
    """A board's SDRAM: what LiteDRAM needs to know of it, and the clocks that it needs.

    ``module`` is LiteDRAM's class of the memory, ``rate`` the ratio of the system clock to the memory's as LiteDRAM
    writes it. ``create_crg`` is called in place of the board's, and ``create_phy`` with the platform, what that gave
    and the clock frequency.
    """

    module: Callable[..., Any]
    rate: str
    create_phy: Callable[..., Any]
    create_crg: Callable[..., Any]


@dataclass(frozen=True)
class Cable:
    """How some revisions of a board are loaded over USB, and which serial port of it is their UART.

    ``revision`` is the name that `REVISION=` takes, empty where a board has one kind of cable; ``revisions`` lists all
    that have this cable, for people. ``usb`` is the identity (`vendor:product`) of the JTAG cable, or of the board's
    bootloader, ``chip`` what answers there. ``loader`` has openFPGALoader's options that choose it. ``uart_usb`` is the
    identity of the UART's adapter, followed by a slash and the number of its interface where the adapter has several.
    It is empty where the adapter may be any. ``source`` says who states this.
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
    """What the SoC needs to know of a board.

    Sizes are in bytes, frequencies in Hz. ``create_platform`` and ``create_crg`` are called with no argument, and with
    the platform and the clock frequency; ``create_phy``, where there is Ethernet, is called with the platform and gives
    a LiteEth PHY; ``sdram`` is what SDRAM there is. ``console_name`` is what LiteX calls a second UART, for what a
    person reads and types; records have the first one for themselves. ``fits`` has the configurations that can be put
    on it, by name; ``left_out`` says of what else somebody may look for why it is not there. ``models`` is, of a
    simulated board, the one that it stands for. ``clock_pin`` has a clock of the board's ``sys_clk_freq``, and
    ``reset_pin`` is low while the board is reset. ``bootloader`` says that it is loaded by a bootloader of its own over
    USB (DFU), which tells no part and writes nothing but the SPI flash. ``cables`` has each kind of cable that
    revisions have, the commonest first. ``other_revisions`` tells, by the name of a revision, how it differs from the
    ones that configurations are built for, and who says so.
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
    fits: Mapping[str, Fit]
    left_out: Mapping[str, str] = field(default_factory=dict)
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
        """Whether it is simulated."""
        return self.models is not None

    @property
    def has_uart(self) -> bool:
        """Whether pins have its UART; LiteX's `crossover` is one that none has."""
        return self.uart_name != "crossover"

    @property
    def uart_usb(self) -> bool:
        """Whether an adapter of its own has its UART, in each revision."""
        return bool(self.cables) and all(cable.uart_usb for cable in self.cables)

    @property
    def part(self) -> str:
        """The part as openFPGALoader calls it, which tells no packages."""
        return "-".join(self.device.split("-")[:2]).rstrip("F")

    @property
    def size(self) -> str:
        """The part's size, as its name has it: one of `gateware.parts.PARTS`."""
        return self.device.split("-")[1]


def names() -> list[str]:
    """The names of all boards."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def load(name: str) -> Board:
    """The board of one of these names."""
    board: Board = importlib.import_module(f"{__name__}.{name}").BOARD
    return board
