"""Serial ports of other machines by RFC 2217 (Telnet with settings of the port), as ser2net and labgrid serve them.

pyserial speaks the protocol; `rfc2217://host:port` names a port. Importing this needs pyserial.
"""

from typing import Any

import serial.rfc2217

SCHEME = "rfc2217"


class Rfc2217Port(serial.rfc2217.Serial):  # type: ignore[misc]
    """Such a port, which reads all that has arrived and is not set up again with each new time-out.

    pyserial asks the other end for each setting whenever a time-out changes, refuses a time-out of writing, and without
    waiting reads one byte at a time. A write ends after 5 s, by the time-out that pyserial gives its socket.
    """

    _as_set_up: dict[str, Any] | None = None

    def _reconfigure_port(self) -> None:
        wanted = {name: value for name, value in self.get_settings().items() if "timeout" not in name}
        if wanted != self._as_set_up:
            super()._reconfigure_port()
            self._as_set_up = wanted

    def read(self, size: int = 1) -> bytes:
        """Return up to `size` bytes, none if none arrived within the time-out.

        Raises:
            OSError: the connection has ended.
        """
        data: bytes = super().read(1)
        for _ in range(min(size - 1, self.in_waiting) if data else 0):
            data += super().read(1)
        return data


def open_port(url: str, baud: int) -> Rfc2217Port:
    """Return the port at `url`, rfc2217://host:port, set to `baud` bits a second.

    A server that leaves requests for control lines unanswered, as ser2net does, is taken too.

    Raises:
        OSError: nothing listens there, or it does not accept the settings.
        ValueError: it is no such URL, or what listens does not speak RFC 2217.
    """
    return Rfc2217Port(url if "?" in url else f"{url}?ign_set_control", baudrate=baud, timeout=0)
