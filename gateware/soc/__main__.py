"""Builds a board: ``python -m gateware.soc sim`` or ``python -m gateware.soc ecpix5``."""

import argparse
import sys
from pathlib import Path

from gateware import boards
from gateware.soc import bitstream, simulation
from gateware.soc.firmware import REPOSITORY, FirmwareError, build_firmware, report_image
from gateware.soc.zephyr import ZephyrError

RESULTS = REPOSITORY / "build" / "results"


def main() -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m gateware.soc", description=__doc__)
    parser.add_argument("board", help=f"one of {', '.join(boards.names())}")
    parser.add_argument("--output", type=Path, help="output folder (default build/<board>)")
    parser.add_argument("--flash", action="store_true", help="write the bitstream to the attached board instead")
    parser.add_argument("--image", action="store_true", help="compile the firmware alone")
    arguments = parser.parse_args()
    try:
        board = boards.load(arguments.board)
        directory = (arguments.output or REPOSITORY / "build" / board.name).resolve()
        if arguments.flash:
            bitstream.flash(board, directory)
        elif arguments.image:
            build_firmware(board, directory / "firmware")
            print(report_image(board, directory / "firmware", RESULTS))
        elif board.simulated:
            description = simulation.build(board, directory)
            print(report_image(board, directory / "firmware", RESULTS))
            print(f"simulated board ready: {description}; {board.clock_note}")
        else:
            bitstream.build(board, directory, RESULTS)
    except (
        boards.UnknownBoardError,
        FirmwareError,
        ZephyrError,
        simulation.SimulationError,
        bitstream.BitstreamError,
    ) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
