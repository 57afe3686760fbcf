"""Turns error records into exceptions."""

import contextlib

from ..errors import BoardError
from .layout import ERROR, ERROR_DOCS, ERROR_TYPE, ErrorCode, Record, RecordType

_REMEDIES = {
    ErrorCode.REUSED: "; use another IV, or --resume if this continues an interrupted transfer of the same data",
    ErrorCode.SESSIONS_FULL: "; close one, or try again later: a board gives away the place of an idle one",
    ErrorCode.ENGINE: "; `cipherlane info` lists the engines present",
    ErrorCode.SESSION: "; the board was reset or another program took it: run the command again",
}


def raise_refusal(reply: Record) -> None:
    """Raise BoardError if `reply` is an error record."""
    if reply.type != ERROR_TYPE:
        return
    error = ERROR.unpack(reply.data)
    name, text, request = str(error.code), "unknown error", f"request 0x{error.request:02X}"
    with contextlib.suppress(ValueError):
        name, text = ErrorCode(error.code).name.lower(), ERROR_DOCS[error.code].rstrip(".")
    with contextlib.suppress(ValueError):
        request = RecordType(error.request).name.lower()
    raise BoardError(error.code, name, text, error.detail, request, _REMEDIES.get(error.code, ""))
