"""Host side of Cipherlane: talks records to a board, real or simulated.

`connect` gives a `Device`, `Device.open_session` a `Session`, which streams data through the board; all are context
managers, every wait is bounded, and what goes wrong is a `CipherlaneError`, whose message names the remedy.

Layers, lowest first: `transport` (moves records), `protocol` (layouts and framing, pure), `link` (window and
time-outs), `calls` and `transfer` (one request; many), `session` and `device` (typed API), `cli` and `views` (parse and
show).
"""

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
from .version import __version__ as __version__

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
