# SPDX-License-Identifier: BSD-2-Clause
"""Converts an error record, which a board sends to refuse a request, into an exception."""

import contextlib

from cipherlane_base.wire.layout import ERROR, ERROR_DOCS, ERROR_TYPE, ErrorCode, RecordType

from .. import errors
from .records import Record

# Maps an error code to its exception and to the advice for the user. Any other code raises BoardError without advice.
_REFUSALS: dict[int, tuple[type[errors.BoardError], str]] = {
    ErrorCode.REUSED: (
        errors.ReusedError,
        "use another IV or none (the board draws one), or another board; a power cycle clears this board's "
        "table: after it, decrypt, but never encrypt other data under these blocks",
    ),
    ErrorCode.RANGES_FULL: (
        errors.RangesFullError,
        "cycle the board's power, which clears its table, and use new keys from then on; or use another board",
    ),
    ErrorCode.RANDOM: (errors.RandomSourceError, "give --raw and an --iv that was never used under this key"),
    ErrorCode.TICKET: (
        errors.TicketError,
        "start the transfer anew under another IV or none: the board's power was cycled, it is another board, "
        "or other sessions took the place",
    ),
    ErrorCode.WINDOW: (errors.WindowError, "start the transfer anew, and report this as a defect"),
    ErrorCode.OTHER_DATA: (
        errors.OtherDataError,
        "the input has changed, or another program uses the session: start anew under another IV or none",
    ),
    ErrorCode.BUSY: (errors.BusyError, "try again when the other session has ended"),
    ErrorCode.SESSIONS_FULL: (
        errors.BoardError,
        "close one, or try again later: the board closes idle sessions",
    ),
    ErrorCode.TYPE: (errors.BoardError, "flash current firmware, or use a board that has it"),
    ErrorCode.ENGINE: (errors.BoardError, "`cipherlane info` lists the engines present"),
    ErrorCode.LOADING: (errors.BoardError, "`cipherlane load` starts the firmware in its memory, or takes another"),
    ErrorCode.SESSION: (
        errors.BoardError,
        "the board was reset, or closed an idle session: run the command again",
    ),
}


def raise_refusal(reply: Record) -> None:
    """If `reply` is an error record, raise BoardError or the matching subclass."""
    if reply.type != ERROR_TYPE:
        return
    error = ERROR.unpack(reply.data)
    name, text, request = str(error.code), "unknown error", f"request 0x{error.request:02X}"
    with contextlib.suppress(ValueError):
        name, text = ErrorCode(error.code).name.lower(), ERROR_DOCS[error.code].rstrip(".")
    with contextlib.suppress(ValueError):
        request = RecordType(error.request).name.lower()
    kind, remedy = _REFUSALS.get(error.code, (errors.BoardError, ""))
    raise kind(error.code, name, text, error.detail, request, f"; {remedy}" if remedy else "")
