# SPDX-License-Identifier: BSD-2-Clause
"""Opens serial ports of other machines by RFC 2217 (Telnet with port settings). ser2net and labgrid serve such ports.

pyserial implements the protocol; `rfc2217://host:port` names a port. Importing this module needs pyserial.
"""

from typing import Any

import serial.rfc2217

SCHEME = "rfc2217"


class Rfc2217Port(serial.rfc2217.Serial):  # type: ignore[misc]
    """A serial port of pyserial that reads all available bytes, and sends its settings only when they change.

    pyserial's class sends all settings again whenever a time-out changes, refuses a write time-out, and reads one byte
    at a time without waiting. A write ends after 5 s, the time-out that pyserial sets for its socket.
    """

    _as_set_up: dict[str, Any] | None = None

    def _reconfigure_port(self) -> None:
        wanted = {name: value for name, value in self.get_settings().items() if "timeout" not in name}
        if wanted != self._as_set_up:
            super()._reconfigure_port()
            self._as_set_up = wanted

    def read(self, size: int = 1) -> bytes:
        """Return up to `size` bytes; return no bytes if nothing arrived within the time-out.

        Raises:
            OSError: the connection has ended.
        """
        data: bytes = super().read(1)
        for _ in range(min(size - 1, self.in_waiting) if data else 0):
            data += super().read(1)
        return data


def open_port(url: str, baud: int) -> Rfc2217Port:
    """Return the port at `url`, rfc2217://host:port, set to `baud` bits a second.

    A server that does not answer requests for control lines, such as ser2net, is accepted too.

    Raises:
        OSError: nothing listens there, or the server rejects the settings.
        ValueError: the URL is invalid, or the server does not speak RFC 2217.
    """
    return Rfc2217Port(url if "?" in url else f"{url}?ign_set_control", baudrate=baud, timeout=0)
