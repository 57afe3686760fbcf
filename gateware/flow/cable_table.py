# SPDX-License-Identifier: BSD-2-Clause
"""Generates the host tool's table of USB cables from the boards' data: ``python -m gateware.flow.cable_table``."""

import json
import sys

from .. import boards
from ..codegen.__main__ import write_if_changed
from ..description import Board, Cable
from .firmware import REPOSITORY

PATH = REPOSITORY / "host" / "cipherlane" / "link" / "known_cables.py"
_HEAD = '''# SPDX-License-Identifier: BSD-2-Clause
"""The boards' cables on USB. Written by `make pages` from gateware/boards: do not edit."""

# Each row describes a cable: USB vendor and product id, chip, the boards that have it, and the USB id and interface of
# its UART (empty if the cable has no UART).
ROWS = (
'''


def rows() -> list[tuple[str, str, str, str]]:
    """Returns a row for each kind of cable of each board. Boards that differ only in their FPGA share a row."""
    found = [
        (cable.usb, cable.chip, _name(board, cable), cable.uart_usb)
        for board in map(boards.load, boards.names())
        for cable in board.cables
    ]
    return sorted(set(found))


def _name(board: Board, cable: Cable) -> str:
    title = board.title.partition(" (")[0]
    return f"{title} {cable.revisions}" if cable.revision else title


def render() -> str:
    """Returns the text of the generated module."""
    lines = [f"    ({', '.join(map(json.dumps, row))}),\n" for row in rows()]
    return _HEAD + "".join(lines) + ")\n"


def main() -> int:
    """Writes the table if it has changed; returns the exit status."""
    write_if_changed(PATH, render())
    return 0


if __name__ == "__main__":
    sys.exit(main())
