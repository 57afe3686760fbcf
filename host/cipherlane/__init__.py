"""Host side of Cipherlane: talks records to a board, real or simulated.

`connect` gives a `Device`, `Device.open_session` a `Session`, which streams data through the board; all are context
managers, every wait is bounded, and what goes wrong is a `CipherlaneError`, whose message names the remedy.

Layers, lowest first: `transport` (moves records), `protocol` (layouts and framing, pure), `link` (window and
time-outs), `calls` and `transfer` (one request; many), `session` and `device` (typed API), `cli` and `views` (parse and
show).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import __version__ as __version__

if TYPE_CHECKING:
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
    from .protocol.layout import Engine
    from .replies import BoardInfo
    from .results import Measurement
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
    "Device": "device",
    "SelfTest": "device",
    "connect": "device",
    "ArgumentError": "errors",
    "BoardError": "errors",
    "CipherlaneError": "errors",
    "FileError": "errors",
    "NoReplyError": "errors",
    "PortError": "errors",
    "ReplyError": "errors",
    "ReusedError": "errors",
    "SimulatedBoardError": "errors",
    "TransferError": "errors",
    "VerifyError": "errors",
    "VersionMismatchError": "errors",
    "Engine": "protocol.layout",
    "BoardInfo": "replies",
    "Measurement": "results",
    "Session": "session",
    "TransferReport": "transfer",
    "Transport": "transport",
    "open_transport": "transport",
}


def __getattr__(name: str) -> Any:
    """Load a name when it is first used, so that the command's first step comes before its modules are loaded."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
