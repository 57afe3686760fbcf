# SPDX-License-Identifier: BSD-2-Clause
"""Starts another program on a simulated board: ``python -m gateware.flow.emulator cipherlane_sim zephyr.bin``.

Zephyr's `west build -t run` and its test runner twister call it for the module's simulated boards
(`firmware/zephyr/boards/cipherlane/board.cmake`). It prints the board's console output and sends typed input to the
console. Ctrl-C ends it.
"""

import argparse
import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cipherlane.errors import SimulatedBoardError
from cipherlane.transport.simboard import SimulatedBoard

from .. import targets
from . import build_id, zephyr
from .devicetrees import zephyr_targets
from .firmware import REPOSITORY
from .simulation import NAME

_POLL_S = 0.1
_BUILD_TIMEOUT_S = 1800


def build(configuration: str = "zephyr") -> Path:
    """Builds the simulated board of a configuration, with the normal firmware in its ROM; returns the board's folder.

    The build runs in a process of its own, because LiteX's signal names, and so the model, depend on earlier builds in
    the process.

    Raises
    ------
    subprocess.CalledProcessError
        The build failed, and has printed the reason.
    """
    command = [sys.executable, "-m", "gateware.flow", "sim", configuration]
    subprocess.run(command, cwd=REPOSITORY, check=True, timeout=_BUILD_TIMEOUT_S)
    return REPOSITORY / "build" / targets.load("sim", configuration).name


def lay_out(output: Path, board: Path, image: Path) -> Path:
    """Makes a simulated board with `image` in its ROM. The board uses the compiled model of an existing board.

    Parameters
    ----------
    output : Path
        Folder; the board is its subfolder `board`.
    board : Path
        Folder of the simulated board that provides the model.
    image : Path
        Contents of the ROM.

    Returns
    -------
    Path
        The board's folder, for `SimulatedBoard`.
    """
    folder = output / "board"
    gateware = folder / "gateware"
    gateware.mkdir(parents=True, exist_ok=True)
    for old in gateware.iterdir():
        old.unlink()
    for entry in (board / "gateware").iterdir():
        if entry not in (build_id.rom_file(board / "gateware", NAME), build_id.id_file(board / "gateware", NAME)):
            os.symlink(entry, gateware / entry.name)
    build_id.write_rom(build_id.rom_file(gateware, NAME), image.read_bytes())
    build_id.complete(gateware, NAME, board / "gateware")
    (folder / "board.json").write_bytes((board / "board.json").read_bytes())
    return folder


def run(board: SimulatedBoard) -> int:
    """Prints the board's console output and sends standard input to the console, until the simulator exits."""
    shown = 0
    with selectors.DefaultSelector() as inputs:
        with suppress(PermissionError):  # standard input can be a file or /dev/null: epoll cannot watch these
            inputs.register(sys.stdin, selectors.EVENT_READ)
        while True:
            ended = board.ended()
            text = board.output()
            print(text[shown:], end="", flush=True)
            shown = len(text)
            if ended:
                return 1
            for key, _ in inputs.select(_POLL_S):
                typed = os.read(key.fd, 4096)
                if not typed:
                    inputs.unregister(key.fileobj)
                board.enter(typed.decode(errors="replace"))


@contextmanager
def _until_ended() -> Iterator[None]:
    """Inside the context, SIGTERM or a closed standard output stops the program and the board, as Ctrl-C does."""

    def end(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    except (KeyboardInterrupt, BrokenPipeError):
        sys.stdout = None  # at exit, Python would flush standard output, which fails if it is closed
    finally:
        signal.signal(signal.SIGTERM, before)


def main() -> int:
    """Entry point; returns the exit status."""
    known = {zephyr.board_of(target.name): target for target in zephyr_targets() if target.board.simulated}
    parser = argparse.ArgumentParser(prog="python -m gateware.flow.emulator", description=__doc__.splitlines()[0])
    parser.add_argument("board", choices=known, help="one of Zephyr's boards")
    parser.add_argument("image", type=Path, help="zephyr.bin; the board is laid out beside it")
    arguments = parser.parse_args()
    target = known[arguments.board]
    model = REPOSITORY / "build" / target.name
    try:
        if not (model / "board.json").is_file():
            raise SimulatedBoardError(f"no simulated board in {model}: run `make zephyr {target.variables}`")
        if not arguments.image.is_file():
            raise SimulatedBoardError(f"no image {arguments.image}: build the application")
        if arguments.image.stat().st_size > target.configuration.rom_size:
            raise SimulatedBoardError(
                f"{arguments.image} is larger than the ROM, {target.configuration.rom_size} bytes"
            )
        folder = lay_out(arguments.image.resolve().parent / "simulated", model, arguments.image)
        with _until_ended(), SimulatedBoard(folder) as board:
            print(f"simulated board, its UART at {board.url}", flush=True)
            return run(board)
    except SimulatedBoardError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
