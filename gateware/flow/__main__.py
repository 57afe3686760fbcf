# SPDX-License-Identifier: BSD-2-Clause
"""Builds a board with a configuration: ``python -m gateware.flow sim`` or ``python -m gateware.flow ecpix5 eth``."""

import argparse
import gc
import json
import sys
from pathlib import Path

from cipherlane.errors import FlashError
from cipherlane.link.flashing import MEMORIES, confirm

from .. import boards, extensions, targets
from ..configurations import DEFAULT
from . import bitstream, build_id, patch, simulation
from .cache import Stamp, digest
from .firmware import REPOSITORY, FirmwareError, build_firmware, report_image
from .flash import built, flash, loaded_by
from .zephyr import ZephyrError

RESULTS = REPOSITORY / "build" / "results"
# A simulated board with bare-metal firmware is built from these files and folders. requirements.txt is one of them
# because it contains the versions of the Python packages.
SOURCES = ("gateware", "firmware", "constraints", "host/cipherlane_base", "requirements.txt")


def main() -> int:
    """Carries out the command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m gateware.flow", description=__doc__)
    parser.add_argument("board", help=f"one of {', '.join(boards.names())}")
    parser.add_argument("configuration", nargs="?", default=DEFAULT, help="features joined by +; see `make boards`")
    parser.add_argument("--output", type=Path, help="output folder (default build/<board>_<configuration>)")
    parser.add_argument("--flash", choices=MEMORIES, help="load the bitstream into the attached board instead")
    parser.add_argument("--port", help="with --flash: wait until the board answers there, and compare its build id")
    parser.add_argument("--revision", default="", help="with --flash: the board's (default: by the cable attached)")
    parser.add_argument("--dry-run", action="store_true", help="with --flash: print the command alone")
    parser.add_argument("--firmware", action="store_true", help="put new firmware into the bitstream that is there")
    parser.add_argument("--image", action="store_true", help="compile the firmware alone")
    parser.add_argument("--trace", action="store_true", help="of a simulated board: write waveforms, FST, at each run")
    arguments = parser.parse_args()
    # collect garbage rarely: Migen keeps its objects alive, and frequent collection would double the run time
    gc.set_threshold(100_000, 20, 100)
    try:
        target = targets.load(arguments.board, arguments.configuration)
        if arguments.trace and not target.board.simulated:
            raise targets.UnknownTargetError(f"board {target.board.name} has no waveforms: only simulated boards have")
        name = f"{target.name}_trace" if arguments.trace else target.name
        directory = (arguments.output or REPOSITORY / "build" / name).resolve()
        if arguments.flash:
            build = built(target, directory) if arguments.port and not arguments.dry_run else ""
            options = {"dry_run": arguments.dry_run, "revision": arguments.revision}
            print(flash(target, directory, arguments.flash, **options), flush=True)
            if build:
                print(confirm(build, arguments.port, again=loaded_by(target)))
        elif arguments.firmware:
            patch.build(target, directory, RESULTS)
        elif arguments.image:
            build_firmware(target, directory / "firmware")
            print(report_image(target, directory / "firmware", RESULTS))
        elif target.board.simulated:
            print(f"simulated board ready: {_simulated(target, directory, arguments.trace)}; {target.clock_note}")
            if arguments.trace:
                print(f"each run writes {directory / 'trace.fst'}; CIPHERLANE_TRACE=FIRST:BEHIND selects cycles")
        else:
            bitstream.build(target, directory, RESULTS)
    except (
        targets.UnknownTargetError,
        FirmwareError,
        ZephyrError,
        simulation.SimulationError,
        bitstream.BitstreamError,
        FlashError,
        build_id.BuildIdError,
    ) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _simulated(target: targets.Target, directory: Path, traced: bool) -> Path:
    """Builds a simulated board, unless it exists and its sources are unchanged. Returns the path of `board.json`."""
    description = directory / "board.json"
    stamp = Stamp(
        directory / "sources.digest",
        _sources_digest(f"{target.name} {traced}", extensions.sources(target.configuration)),
    )
    if not (stamp.is_current() and _is_whole(description) and target.configuration.firmware == "baremetal"):
        stamp.clear()
        description = simulation.build(target, directory, traced)
        print(report_image(target, directory / "firmware", RESULTS))
        stamp.set()
    return description


def _sources_digest(name: str, more: tuple[str, ...] = ()) -> str:
    tops = [REPOSITORY / source for source in (*SOURCES, *more)]
    files = sorted(path for top in tops for path in (top, *top.rglob("*")) if path.is_file())
    texts = [f"{path}:{path.read_bytes().hex()}" for path in files if path.suffix not in (".pyc", ".md")]
    return digest([], name, simulation.processor(), *texts)


def _is_whole(description: Path) -> bool:
    """Returns true if both files exist: the simulator that `board.json` names, and the size report of the firmware."""
    try:
        board = json.loads(description.read_text())
        program = description.parent / board["gateware"] / board["executable"]
    except (OSError, ValueError, KeyError):
        return False
    return program.is_file() and (RESULTS / f"image-{board['name']}.json").is_file()


if __name__ == "__main__":
    sys.exit(main())
