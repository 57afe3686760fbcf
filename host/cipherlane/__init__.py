"""Host side of Cipherlane: exchanges records with a board, real or simulated.

`connect` returns a `Device`, and `Device.open_session` returns a `Session`, which streams data through the board. Both
are context managers. Every wait is bounded. Failures raise a `CipherlaneError`; its message names the remedy.

Layers, lowest first: `transport` (moves records), `protocol` (layouts and framing, no input or output), `link` (limits
the bytes in flight, sets time-outs), `calls` (one request) and `transfer` (many requests), `session` and `device`
(typed API), `cli` and `views` (parse arguments and print).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cipherlane_base.version import __version__ as __version__

if TYPE_CHECKING:
    from cipherlane_base.figures import Measurement
    from cipherlane_base.wire.layout import Engine

    from .device import Device, SelfTest, connect
    from .errors import (
        ArgumentError,
        BoardError,
        CipherlaneError,
        FileError,
        NoReplyError,
        PortError,
        ReplyError,
        ReusedError,
        SimulatedBoardError,
        TransferError,
        VerifyError,
        VersionMismatchError,
    )
    from .replies import BoardInfo
    from .session import Session
    from .transfer import TransferReport
    from .transport import Transport, open_transport

__all__ = [
    "ArgumentError",
    "BoardError",
    "BoardInfo",
    "CipherlaneError",
    "Device",
    "Engine",
    "FileError",
    "Measurement",
    "NoReplyError",
    "PortError",
    "ReplyError",
    "ReusedError",
    "SelfTest",
    "Session",
    "SimulatedBoardError",
    "TransferError",
    "TransferReport",
    "Transport",
    "VerifyError",
    "VersionMismatchError",
    "connect",
    "open_transport",
]

_MODULES = {
    "Device": ".device",
    "SelfTest": ".device",
    "connect": ".device",
    "ArgumentError": ".errors",
    "BoardError": ".errors",
    "CipherlaneError": ".errors",
    "FileError": ".errors",
    "NoReplyError": ".errors",
    "PortError": ".errors",
    "ReplyError": ".errors",
    "ReusedError": ".errors",
    "SimulatedBoardError": ".errors",
    "TransferError": ".errors",
    "VerifyError": ".errors",
    "VersionMismatchError": ".errors",
    "Engine": "cipherlane_base.wire.layout",
    "BoardInfo": ".replies",
    "Measurement": "cipherlane_base.figures",
    "Session": ".session",
    "TransferReport": ".transfer",
    "Transport": ".transport",
    "open_transport": ".transport",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that the command's `main` starts before the other modules load."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name], __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
