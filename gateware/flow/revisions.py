# SPDX-License-Identifier: BSD-2-Clause
"""Finds the revision of the attached board by the USB identity of its cable, unless make's `REVISION=` names one."""

from collections.abc import Iterable

from ..description import Board, Cable


class RevisionError(ValueError):
    """The board does not have the named revision, or several revisions match; the message names the remedy."""


def cable_of(board: Board, attached: Iterable[str], revision: str = "") -> Cable:
    """Returns the kind of cable by which a board is loaded.

    Parameters
    ----------
    board : Board
        A hardware board.
    attached : iterable of str
        USB identities (`vendor:product`) of the attached devices. If none belongs to the board, its first cable is
        chosen.
    revision : str
        The revision that the user names, in upper or lower case; empty to find it by the attached devices.

    Raises
    ------
    RevisionError
        There is no such revision, or cables of several revisions are attached.
    """
    named = [cable.revision for cable in board.cables if cable.revision]
    if revision:
        if not named:
            raise RevisionError(f"{board.title} has one kind of cable: leave REVISION={revision} out")
        found = [cable for cable in board.cables if cable.revision.lower() == revision.lower()]
        if not found:
            raise RevisionError(f"{board.title} has no revision {revision}: choose REVISION={' or '.join(named)}")
        return found[0]
    there = set(attached)
    seen = [cable for cable in board.cables if cable.usb in there]
    if len(seen) > 1:
        raise RevisionError(
            f"cables of several revisions of {board.title} are attached "
            f"({', '.join(f'{cable.usb} of {cable.revisions}' for cable in seen)}): "
            f"attach only one, or choose REVISION={' or '.join(cable.revision for cable in seen)}"
        )
    return seen[0] if seen else board.cables[0]
