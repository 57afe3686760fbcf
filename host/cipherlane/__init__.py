# SPDX-License-Identifier: BSD-2-Clause
"""Host side of Cipherlane: exchanges records with a board, real or simulated.

`connect` returns a `Device`, and `Device.open_session` returns a `Session`, which streams data through the board. Both
are context managers. Every wait is bounded. Failures raise a `CipherlaneError`; its message names the remedy.

The names in `__all__` are the public interface. The rooms, lowest first:

- `files`: files that the tool reads and writes, with keys and firmware images
- `protocol`: records and framing, without input or output
- `transport`: moves records over a serial port, UDP, or to a simulated board
- `link`: window and time-outs (`link`), one request (`calls`), many (`transfer`), then `session` and `device`
- `measuring`: benchmarks of the link, the check by `cryptography`, and the null board
- `live`: the live view
- `report`, `commands`: the HTML report; the commands, which parse arguments and print by `views`
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cipherlane_base.version import __version__ as __version__

if TYPE_CHECKING:
    from cipherlane_base.figures import Measurement
    from cipherlane_base.wire.layout import Engine

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
        TamperedError,
        TransferError,
        VerifyError,
        VersionMismatchError,
    )
    from .link.device import Device, SelfTest, connect
    from .link.replies import BoardInfo
    from .link.session import Session
    from .link.transfer import TransferReport
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
    "TamperedError",
    "TransferError",
    "TransferReport",
    "Transport",
    "VerifyError",
    "VersionMismatchError",
    "connect",
    "open_transport",
]

_MODULES = {
    "Device": ".link.device",
    "SelfTest": ".link.device",
    "connect": ".link.device",
    "ArgumentError": ".errors",
    "BoardError": ".errors",
    "CipherlaneError": ".errors",
    "FileError": ".errors",
    "NoReplyError": ".errors",
    "PortError": ".errors",
    "ReplyError": ".errors",
    "ReusedError": ".errors",
    "SimulatedBoardError": ".errors",
    "TamperedError": ".errors",
    "TransferError": ".errors",
    "VerifyError": ".errors",
    "VersionMismatchError": ".errors",
    "Engine": "cipherlane_base.wire.layout",
    "BoardInfo": ".link.replies",
    "Measurement": "cipherlane_base.figures",
    "Session": ".link.session",
    "TransferReport": ".link.transfer",
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
