# SPDX-License-Identifier: BSD-2-Clause
"""Calls to a board: one request, repeated until its reply arrives."""

import secrets
from typing import Any

from cipherlane_base.wire import layout
from cipherlane_base.wire.layout import HEADER, RecordType

from ..errors import NoReplyError
from ..protocol.records import Record
from ..protocol.refusal import raise_refusal
from .link import Link
from .replies import BoardInfo, fields_of


class Calls:
    """Sends requests one at a time over `link`. With `strict_version`, another record version raises an error."""

    def __init__(self, link: Link):
        """Send requests over `link`, and measure time with the clock of `link`."""
        self.link = link
        self.clock = link.clock
        self.strict_version = True

    def reset_window(self, info: BoardInfo) -> None:
        """From now on, allow as many bytes in flight as the board's buffer for control records can hold."""
        self.link.set_window(info.rx_window, HEADER.size + info.max_data)

    def request(
        self,
        kind: RecordType,
        *,
        timeout: float | None = None,
        attempts: int | None = None,
        resync: bool = False,
        **values: int | bytes,
    ) -> Any:
        """Send a request outside any session and return the fields of the reply. See `exchange`."""
        request = Record(kind, token=secrets.randbits(64), data=layout.REQUESTS[kind].pack(**values))
        return fields_of(self.exchange(request, timeout=timeout, attempts=attempts, resync=resync))

    def exchange(
        self, request: Record, *, timeout: float | None = None, attempts: int | None = None, resync: bool = False
    ) -> Record:
        """Send `request` repeatedly until the board answers it; return the reply.

        Args:
            request: the record.
            timeout: seconds to wait after each attempt; by default the time-out that the link derives from round trips.
            attempts: maximum number of attempts; by default the link's own maximum.
            resync: before each attempt, end any frame that was cut short.

        Raises:
            BoardError: the board refused.
            NoReplyError: no attempt was answered.
            VersionMismatchError: a record of another version arrived before the board was identified.
        """
        link = self.link
        attempts = attempts or link.pace.attempts
        for _ in range(attempts):
            link.await_room(request)
            if resync:
                link.transport.resync()
            key = link.send(request, timeout)
            deadline, left = self.clock.now() + (timeout or link.timeout), 1.0
            while left > 0:
                # If this process was paused, the remaining seconds (`left`) can be 0 or less. A reply might have
                # arrived during the pause, so receive once more.
                left = deadline - self.clock.now()
                arrival = link.receive(max(0.0, left), strict_version=self.strict_version)
                if arrival is None:
                    break
                if arrival.key == key:
                    raise_refusal(arrival.record)
                    return arrival.record
            link.expire()
        name = RecordType(request.type).name.lower()
        raise NoReplyError(f"no reply to {name} after {attempts} attempts: check the board and its cable")
