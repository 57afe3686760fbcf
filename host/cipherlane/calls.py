"""Calls to a board: one request, repeated until its reply comes."""

import secrets
from typing import Any

from .errors import NoReplyError
from .link import Link
from .protocol import layout
from .protocol.layout import HEADER, Record, RecordType
from .protocol.refusal import raise_refusal
from .replies import BoardInfo, fields_of


class Calls:
    """Makes requests over `link`, one at a time; with `strict_version` a reply of another version is an error."""

    def __init__(self, link: Link):
        """Use `link` and its clock."""
        self.link = link
        self.clock = link.clock
        self.strict_version = True

    def reset_window(self, info: BoardInfo) -> None:
        """Keep no more in flight from now on than the board holds where control records go."""
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
        """Send a request outside any session; return the fields of the reply. See `exchange`."""
        request = Record(kind, token=secrets.randbits(64), data=layout.REQUESTS[kind].pack(**values))
        return fields_of(self.exchange(request, timeout=timeout, attempts=attempts, resync=resync))

    def exchange(
        self, request: Record, *, timeout: float | None = None, attempts: int | None = None, resync: bool = False
    ) -> Record:
        """Send `request` until it is answered; return the reply.

        Args:
            request: the record.
            timeout: seconds to wait each time; by default what the link has learnt.
            attempts: times to send it; by default the link's.
            resync: end half a frame before each time.

        Raises:
            BoardError: the board refused.
            NoReplyError: no answer to any attempt.
            VersionMismatchError: before the board is known, a record of another version came.
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
                left = deadline - self.clock.now()  # not above 0 after a pause of this process: the reply may be there
                arrival = link.receive(max(0.0, left), strict_version=self.strict_version)
                if arrival is None:
                    break
                if arrival.key == key:
                    raise_refusal(arrival.record)
                    return arrival.record
            link.expire()
        name = RecordType(request.type).name.lower()
        raise NoReplyError(f"no reply to {name} after {attempts} attempts: check the board and its cable")
