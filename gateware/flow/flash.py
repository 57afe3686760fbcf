# SPDX-License-Identifier: BSD-2-Clause
"""Loads the bitstream of a build into the attached board (`cipherlane.link.flashing`)."""

from pathlib import Path

from cipherlane.errors import FlashError
from cipherlane.link import flashing

from ..targets import Target
from . import build_id

# The `make` variable that selects a board's revision. Error messages print this text.
REVISION = "REVISION="


def flash(target: Target, directory: Path, memory: str, *, dry_run: bool = False, revision: str = "") -> str:
    """Loads the bitstream in a build's folder into the board; returns a sentence that tells what was loaded where.

    Parameters
    ----------
    target : Target
        Board and configuration.
    directory : Path
        Folder of the build.
    memory, dry_run, revision
        See `cipherlane.link.flashing.load`.

    Raises
    ------
    FlashError
        The board is simulated, or its bootloader does not load the FPGA itself. Or there is no bitstream. Or loading
        failed.
    """
    board = target.board
    if board.simulated:
        raise FlashError(f"board {board.name} is simulated: there is nothing to flash")
    if board.bootloader and memory == "sram":
        raise FlashError(f"{board.title} is loaded by its bootloader, only into its SPI flash: run `make flash-spi`")
    bitstream = directory / "gateware" / f"{target.name}.bit"
    if not bitstream.exists():
        raise FlashError(f"no bitstream for {target.name}: run `make bitstream {target.variables}` first")
    return flashing.load(board, bitstream, memory, dry_run=dry_run, revision=revision, option=REVISION)


def loaded_by(target: Target) -> str:
    """Returns the `make` command that loads a target's bitstream into a board."""
    boot = target.board.bootloader
    return f"make {'flash-spi' if boot else 'flash'} {target.variables}" + (", from its bootloader" if boot else "")


def built(target: Target, directory: Path) -> str:
    """Returns the id of the build in a folder.

    Raises
    ------
    FlashError
        The folder contains no build id.
    """
    try:
        return build_id.read(directory / "gateware", target.name)
    except build_id.BuildIdError as error:
        raise FlashError(str(error)) from error
