"""What can be built: a board with a configuration, as `make bitstream BOARD=ecpix5 CONFIG=eth` names them."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from gateware import boards
from gateware.configurations import CONFIGURATIONS, DEFAULT, Configuration
from gateware.description import Board, Fit
from gateware.platform.ecp5.block_rams import scaled


@dataclass(frozen=True)
class Target:
    """A board with a configuration on it, and how that goes into the board's part."""

    board: Board
    configuration: Configuration
    fit: Fit

    @property
    def name(self) -> str:
        """The name that folders and results have: the board's, with the configuration's unless that is the default."""
        return _name(self.board, self.configuration)

    @property
    def title(self) -> str:
        """What a person is told."""
        return ", ".join(filter(None, (self.board.title, self.configuration.title)))

    @property
    def variables(self) -> str:
        """How it is named to make."""
        return _variables(self.board.name, self.configuration.name)

    @property
    def sys_clk_freq(self) -> int:
        """The system clock, in Hz."""
        return self.fit.sys_clk_freq or self.board.sys_clk_freq

    @property
    def clock_met_by(self) -> str:
        """Of a simulated board, the target of the same configuration whose place-and-route met this clock, or none."""
        hardware = self.board.models
        fit = hardware.fits.get(self.configuration.name) if hardware else None
        return _name(hardware, self.configuration) if hardware and fit and fit.clock_met else ""

    @property
    def clock_note(self) -> str:
        """Whether the clock of a simulated board is one that hardware of its configuration reaches, as one sentence."""
        clock = f"{self.sys_clk_freq / 1e6:g} MHz"
        if self.clock_met_by:
            return f"its clock, {clock}, was met by place-and-route of {self.clock_met_by}"
        return (
            f"no place-and-route has met its clock, {clock}: figures in time are of a clock that hardware may not reach"
        )


class UnknownTargetError(ValueError):
    """There is no board of that name, or that configuration is not for it."""


def load(board: str, configuration: str = DEFAULT) -> Target:
    """The target of these names.

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
    return Target(found, scaled(found, CONFIGURATIONS[configuration], fit), fit)


def load_all() -> list[Target]:
    """Every target."""
    return [load(board, configuration) for board in boards.names() for configuration in boards.load(board).fits]


def _meant(word: str, known: Iterable[str]) -> str:
    """What may be meant by a word that is none of those known; empty if nothing is near."""
    near = difflib.get_close_matches(word.lower(), known, 1)
    return f" (did you mean {near[0]}?)" if near else ""


def _name(board: Board, configuration: Configuration) -> str:
    return board.name if configuration.name == DEFAULT else f"{board.name}_{configuration.name}"


def _variables(board: str, configuration: str) -> str:
    return f"BOARD={board}" + ("" if configuration == DEFAULT else f" CONFIG={configuration}")
