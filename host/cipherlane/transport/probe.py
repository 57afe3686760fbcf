# SPDX-License-Identifier: BSD-2-Clause
"""Detects that a board's UDP port is closed. The machine at the address reports this by ICMP (port unreachable).

The kernel passes this report only to a connected socket. The socket for records is unconnected, because it serves
several addresses. So a separate socket sends a request once nothing has answered for a while.
"""

import contextlib
import secrets
import socket

from cipherlane_base.wire.layout import RecordType

from ..protocol.records import Record
from .base import Address


class Probe:
    """Sends requests to one UDP port to detect that the port is closed. Discards all answers."""

    def __init__(self, address: Address):
        """Prepare to send to `address`; the first call of `refused` sends the first request."""
        self._address = address
        self._socket: socket.socket | None = None
        self._calls = 0

    def refused(self) -> bool:
        """Return whether the port is known to be closed, without waiting.

        The 1st, 2nd, 4th, 8th call and so on send a request, so that a silent board is asked ever less often.
        """
        if self._socket is None:
            self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self._socket.setblocking(False)
        try:
            self._calls += 1
            if self._calls & self._calls - 1 == 0:
                self._socket.connect(self._address)
                self._socket.send(Record(RecordType.INFO, token=secrets.randbits(64)).encode())
            while self._socket.recv(1):
                pass
        except ConnectionRefusedError:
            return True
        except OSError:  # nothing has arrived yet, or sending failed; `UdpTransport` reports failures to send
            pass
        return False

    def close(self) -> None:
        """Release the socket; closing twice is allowed."""
        with contextlib.suppress(OSError):
            if self._socket is not None:
                self._socket.close()
