"""Board descriptions: one data file a board, the simulated board among them."""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Ethernet:
    """Gigabit Ethernet of a board, and the addresses it has there.

    ``create_phy`` is called with the platform and gives a LiteEth PHY. MAC addresses are 48-bit numbers; ``rx_slots``
    and ``tx_slots`` count the frames that the MAC holds for the CPU, powers of two. The fast path has addresses of
    its own, and a core of ``core_datapath`` with ``core_engines``: at 75 MHz the wire gives 10 cycles a block, and two
    engines of 128 bits take 5, 6 or 7.
    """

    create_phy: Callable
    mac_address: int = 0x02_43_4C_4E_45_01  # locally administered
    ip_address: str = "192.168.1.50"
    rx_slots: int = 8
    tx_slots: int = 2
    fast_path_mac_address: int = 0x02_43_4C_4E_45_02
    fast_path_ip_address: str = "192.168.1.51"
    core_datapath: int | str = 128
    core_engines: int = 2


@dataclass(frozen=True)
class Board:
    """What the SoC needs to know of a board.

    Sizes are in bytes, frequencies in Hz. ``create_platform`` and ``create_crg`` are called with
    no argument, and with the platform and the clock frequency. ``firmware`` is what the boot ROM
    holds: ``baremetal`` or ``zephyr``. ``console_name``, where it is not empty, is what LiteX calls a
    second UART, for what a person reads and types; records have the first one for themselves.
    ``clock_met_by`` names, for a simulated board, the one of the same configuration whose place-and-route met this
    clock; where it is empty no place-and-route did, and figures in time say so. ``pnr_seed`` and ``pnr_options`` are
    nextpnr's; its own weight on timing, 10, gives some percent less clock.
    """

    name: str
    title: str
    simulated: bool
    sys_clk_freq: int
    create_platform: Callable
    create_crg: Callable
    uart_name: str
    uart_baudrate: int
    uart_fifo_depth: int
    rx_window: int
    max_data: int
    firmware: str = "baremetal"
    rom_size: int = 64 * 1024
    sram_size: int = 16 * 1024
    buffer_size: int = 64 * 1024
    sbox: str = "table"
    core_datapath: int | str = 128
    core_sbox: str = "table"
    scalar_unit: bool = False
    console_name: str = ""
    watchdog: bool = False
    ethernet: Ethernet | None = None
    clock_met_by: str = ""
    device: str = ""
    speed_grade: str = ""
    flash_cable: tuple[str, ...] = ()
    constraints: str = ""
    pnr_seed: int = 1
    pnr_options: tuple[str, ...] = ("--placer-heap-timingweight", "100")

    @property
    def clock_note(self) -> str:
        """Whether the clock of a simulated board is one that hardware of its configuration reaches, as one sentence."""
        clock = f"{self.sys_clk_freq / 1e6:g} MHz"
        if self.clock_met_by:
            return f"its clock, {clock}, was met by place-and-route of {self.clock_met_by}"
        return (
            f"no place-and-route has met its clock, {clock}: figures in time are of a clock that hardware may not reach"
        )


class UnknownBoardError(ValueError):
    """There is no description of a board of that name."""


def names() -> list[str]:
    """The names of all boards."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def load(name: str) -> Board:
    """The description of a board.

    Raises
    ------
    UnknownBoardError
        No file `gateware/boards/<name>.py`.
    """
    if name not in names():
        raise UnknownBoardError(f"unknown board {name!r}: choose one of {', '.join(names())}")
    return importlib.import_module(f"{__name__}.{name}").BOARD
