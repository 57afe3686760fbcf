"""Whether a UDP port of a board is closed: its machine then says so (ICMP port unreachable).

The kernel passes that on to a connected socket only, and records go to several addresses by one that is not. So a
socket of its own asks, once nothing has answered for a while.
"""

import contextlib
import secrets
import socket

from ..protocol.layout import Record, RecordType
from .base import Address


class Probe:
    """Asks at one address; its answers are not read, a refusal is."""

    def __init__(self, address: Address):
        """Ask at `address` from the first call on."""
        self._address = address
        self._socket: socket.socket | None = None
        self._calls = 0

    def refused(self) -> bool:
        """Return whether the port is closed, as far as that is known by now; wait for nothing.

        Asks at the first, the second, the fourth call and so on: who is silent for long is not asked ever more.
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
        except OSError:  # nothing has come yet; or nothing can be sent, which the sender of records is told
            pass
        return False

    def close(self) -> None:
        """Release the socket; closing twice is allowed."""
        with contextlib.suppress(OSError):
            if self._socket is not None:
                self._socket.close()
