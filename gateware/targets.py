# SPDX-License-Identifier: BSD-2-Clause
"""Targets of a build: a board with a configuration, as in `make bitstream BOARD=ecpix5 CONFIG=eth`."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, replace

from . import boards
from .configurations import DEFAULT, Configuration
from .description import Board, Fit
from .extensions import configurations
from .platform.ecp5.block_rams import scaled


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
    """There is no board of this name, or it does not support this configuration."""


def load(board: str, configuration: str = DEFAULT) -> Target:
    """Return the target with these names of board and configuration.

    Raises
    ------
    UnknownTargetError
        No file `gateware/boards/<board>.py`, or that board has no fit for the configuration; names what there is.
    """
    known = boards.names()
    if board not in known:
        for name in known:
            rest = board.removeprefix(f"{name}_")
            if rest != board and rest in boards.load(name).fits:
                raise UnknownTargetError(f"unknown board {board!r}: say {_variables(name, rest)}")
        raise UnknownTargetError(f"unknown board {board!r}{_meant(board, known)}: choose one of {', '.join(known)}")
    found = boards.load(board)
    if configuration not in found.fits:
        choices = ", ".join(found.fits)
        why = found.left_out.get(configuration)
        reason = f" ({why})" if why else _meant(configuration, found.fits)
        raise UnknownTargetError(
            f"board {board} has no configuration {configuration!r}{reason}: choose one of {choices}"
        )
    fit = found.fits[configuration]
    return Target(found, scaled(found, fitted(configuration, fit), fit), fit)


def fitted(configuration: str, fit: Fit) -> Configuration:
    """Return the configuration of this name. If `fit` gives a ROM size, this size replaces the configuration's own."""
    found = configurations()[configuration]
    return replace(found, rom_size=fit.rom_size or found.rom_size)


def load_all() -> list[Target]:
    """Return all targets."""
    return [load(board, configuration) for board in boards.names() for configuration in boards.load(board).fits]


def _meant(word: str, known: Iterable[str]) -> str:
    """Return " (did you mean ...?)" with the known word nearest to an unknown word; empty if no word is near."""
    near = difflib.get_close_matches(word.lower(), known, 1)
    return f" (did you mean {near[0]}?)" if near else ""


def _name(board: Board, configuration: Configuration) -> str:
    return board.name if configuration.name == DEFAULT else f"{board.name}_{configuration.name}"


def _variables(board: str, configuration: str) -> str:
    return f"BOARD={board}" + ("" if configuration == DEFAULT else f" CONFIG={configuration}")
