# SPDX-License-Identifier: BSD-2-Clause
"""Targets of a build: a board with a configuration, as in `make bitstream BOARD=ecpix5 CONFIG=eth`."""

import contextlib
from dataclasses import dataclass, replace
from pathlib import Path

from . import boards
from .configurations import DEFAULT, Configuration, FeatureError, meant, with_room
from .description import Board, Fit
from .extensions import configuration as composed
from .extensions import features
from .platform.ecp5.block_rams import memories, scaled
from .platform.ecp5.parts import PARTS


@dataclass(frozen=True)
class Target:
    """A board, a configuration, and the settings that make the configuration fit into the board's FPGA."""

    board: Board
    configuration: Configuration
    fit: Fit

    @property
    def name(self) -> str:
        """The name in folders and results: the board's name, then the configuration's name unless it is the default."""
        return _name(self.board, self.configuration)

    @property
    def title(self) -> str:
        """The name of the target in messages to people."""
        return ", ".join(filter(None, (self.board.title, self.configuration.title)))

    @property
    def variables(self) -> str:
        """The variables that select the target on make's command line."""
        return _variables(self.board.name, self.configuration.name)

    @property
    def sys_clk_freq(self) -> int:
        """The system clock, in Hz."""
        return self.fit.sys_clk_freq or self.board.sys_clk_freq

    @property
    def clock_met_by(self) -> str:
        """The name of the hardware target that meets this simulated board's clock in place-and-route; empty if none."""
        hardware = self.board.models
        fit = hardware.fits.get(self.configuration.name) if hardware else None
        return _name(hardware, self.configuration) if hardware and fit and fit.clock_met else ""

    @property
    def clock_note(self) -> str:
        """A sentence that tells whether hardware with this configuration reaches the clock of this simulated board."""
        clock = f"{self.sys_clk_freq / 1e6:g} MHz"
        if self.clock_met_by:
            return f"its clock, {clock}, was met by place-and-route of {self.clock_met_by}"
        return (
            f"no place-and-route has met its clock, {clock}: figures in time are of a clock that hardware may not reach"
        )


class UnknownTargetError(ValueError):
    """There is no board of this name, or it cannot have this configuration."""


_ZEPHYR_BOARDS = Path(__file__).resolve().parents[1] / "firmware" / "zephyr" / "boards" / "cipherlane"
# What the multiplier of the vector unit adds: bytes of firmware, and about so many LUT4 (est).
_PRODUCTS_BYTES = 12_400
_PRODUCTS_LUT4 = 2_000
# The size of firmware that is compiled for size, as a fraction of its usual size.
_COMPACT_CODE = 0.8
# The share of a part's LUT4s that place-and-route can use.
_MOST_LUTS = 0.95


def load(board: str, configuration: str = DEFAULT) -> Target:
    """Return the target with this board and the configuration that `gateware.configurations.compose` makes of the name.

    Raises
    ------
    UnknownTargetError
        There is no file `gateware/boards/<board>.py`, or the board cannot have this configuration. The message tells
        why, and lists the choices.
    """
    known = boards.names()
    if board not in known:
        for name in known:
            rest = board.removeprefix(f"{name}_")
            if rest != board and rest in boards.load(name).fits:
                raise UnknownTargetError(f"unknown board {board!r}: say {_variables(name, rest)}")
        raise UnknownTargetError(f"unknown board {board!r}{meant(board, known)}: choose one of {', '.join(known)}")
    found = boards.load(board)
    try:
        target = of(found, composed(configuration))
        reason = None if target.configuration.name in found.fits else obstacle(target)
    except FeatureError as error:
        reason = str(error)
    if reason:
        raise UnknownTargetError(
            f"board {board} has no configuration {configuration!r} ({reason}): choose one of {', '.join(found.fits)}, "
            "or combine features as in eth+sdram (`make boards` lists them)"
        )
    return target


def of(board: Board, configuration: Configuration) -> Target:
    """Return the target with this board and configuration, whether the board can have the configuration or not."""
    fit = board.fits.get(configuration.name) or _nearest_fit(board, configuration)
    return Target(board, scaled(board, fitted(configuration, fit), fit), fit)


def _nearest_fit(board: Board, configuration: Configuration) -> Fit:
    """Return settings for a configuration that has none: those of the largest configuration that it contains, or the
    board's general settings. Then change what the other features need.
    """
    features_of = {name: set(composed(name).features) for name in board.fits if name != DEFAULT}
    contained = [name for name, used in features_of.items() if used <= set(configuration.features)]
    nearest = max(contained, key=lambda name: composed(name).lut4, default="")
    others = set(configuration.features) - features_of.get(nearest, set())
    needs = {name: value for feature in others for name, value in features()[feature].fit.items()}
    return replace(board.fits.get(nearest, board.fit), clock_met=False, **needs)


def fitted(configuration: Configuration, fit: Fit) -> Configuration:
    """Return the configuration with room for the firmware that uses the multiplier, if `fit` has a multiplier."""
    return with_room(configuration, _PRODUCTS_BYTES) if fit.product_cycles else configuration


def obstacle(target: Target) -> str:
    """Return the reason why a board cannot have a configuration; empty if nothing speaks against it."""
    board, configuration = target.board, target.configuration
    if not board.simulated and (names := [name for name in configuration.features if features()[name].simulated]):
        return f"only the simulated board has `{names[0]}`"
    if not board.simulated and not board.has_uart:
        if configuration.code_size or (configuration.ethernet and configuration.ethernet.macsec):
            return "litex-boards names no UART pins, and keys or firmware come over the UART"
        if not configuration.ethernet:
            return "litex-boards names no UART pins, so the configuration needs Ethernet"
    if configuration.ethernet and not board.create_phy:
        return "Cipherlane sets up no Ethernet on this board"
    if configuration.sdram_cache and not board.sdram:
        return "Cipherlane sets up no SDRAM on this board"
    if configuration.firmware == "zephyr":
        name = "_".join(("cipherlane", board.name, *(each for each in configuration.features if each != "zephyr")))
        if not (_ZEPHYR_BOARDS / f"{name}.dts").is_file():
            return f"firmware/zephyr has no board {name}"
    return "" if board.simulated else _shortage(target)


def estimated_lut4(target: Target) -> int:
    """Return about how many LUT4 a target takes, if its S-boxes are those of the board's general settings."""
    return target.board.lut4 + target.configuration.lut4 + (_PRODUCTS_LUT4 if target.fit.product_cycles else 0)


def _shortage(target: Target) -> str:
    """Return which resource of the part the configuration exceeds; empty if it fits by arithmetic."""
    part, configuration = PARTS[target.board.size], target.configuration
    needed = estimated_lut4(target)
    if needed > part.lut4 * _MOST_LUTS:
        return f"it takes about {needed} LUT4, and the part has {part.lut4}"
    with contextlib.suppress(ValueError):  # a pipelined core is not counted; its S-boxes are LUTs
        rams = sum(memories(target.board, configuration, target.fit).values())
        if rams > part.block_rams:
            return f"it takes {rams} block RAMs, and the part has {part.block_rams}"
    code = int(configuration.code_bytes * _COMPACT_CODE)
    if configuration.compact and code > configuration.firmware_size:
        return f"its firmware takes about {code} bytes, and the part has room for {configuration.firmware_size}"
    return ""


def load_all() -> list[Target]:
    """Return the targets for which boards have settings of their own (`Board.fits`)."""
    return [load(board, configuration) for board in boards.names() for configuration in boards.load(board).fits]


def _name(board: Board, configuration: Configuration) -> str:
    return board.name if configuration.name == DEFAULT else f"{board.name}_{configuration.name}"


def _variables(board: str, configuration: str) -> str:
    return f"BOARD={board}" + ("" if configuration == DEFAULT else f" CONFIG={configuration}")
