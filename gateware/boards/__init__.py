# SPDX-License-Identifier: BSD-2-Clause
"""The boards, including the simulated board. Each board has one file with its data.

A module here describes a board if it assigns `BOARD`. The other modules contain data and code that several boards use.
"""

import ast
import importlib
from dataclasses import replace
from functools import cache
from pathlib import Path

from ..description import Board
from ..extensions import extensions

_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Return the names of all boards."""
    return sorted(path.stem for path in _FOLDER.glob("*.py") if _declares_a_board(path))


@cache
def load(name: str) -> Board:
    """Return the board with this name. It includes the configurations that extensions add to the board."""
    board: Board = importlib.import_module(f"{__name__}.{name}").BOARD
    for extension in extensions():
        board = replace(board, fits={**board.fits, **extension.fits.get(name, {})})
    return replace(board, models=load(board.models.name)) if board.models else board


def _declares_a_board(path: Path) -> bool:
    """Return whether the module at `path` assigns `BOARD`. Parses the file, because an import would take long."""
    assigned = (node.targets[0] for node in ast.parse(path.read_text()).body if isinstance(node, ast.Assign))
    return any(isinstance(target, ast.Name) and target.id == "BOARD" for target in assigned)
