# SPDX-License-Identifier: BSD-2-Clause
"""Limits the connections of browsers that are not yet viewers. So nobody keeps viewers out by opening many connections.

A connection is a guest until its browser has asked for the messages, and has shown the token if one is needed. There
are at most `MOST_GUESTS` guests, and none stays longer than `PATIENCE`. If there is one too many, the oldest connection
of the address with most guests is closed, so whoever opens many connections loses their own.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass

MOST_GUESTS = 64  # connections
PATIENCE = 20.0  # time limit in seconds for a connection that does not belong to a viewer

Client = tuple[str, int]  # address and port


@dataclass
class _Guest:
    transport: asyncio.Transport
    timer: asyncio.TimerHandle


class WaitingRoom:
    """Connections of browsers that are not yet viewers, oldest first. Use only in the server's event loop."""

    def __init__(self) -> None:
        """Start with no connections."""
        self._guests: dict[Client, _Guest] = {}
        self._viewers: dict[Client, asyncio.Transport] = {}

    def came(self, transport: asyncio.Transport) -> None:
        """Add a connection. If there are too many, first close the oldest one of the address with most connections."""
        address, port = (transport.get_extra_info("peername") or ("", 0))[:2]
        client = str(address), int(port)
        for gone in [each for each, guest in self._guests.items() if guest.transport.is_closing()]:
            self._remove(gone)
        if len(self._guests) >= MOST_GUESTS:
            self._evict()
        timer = asyncio.get_running_loop().call_later(PATIENCE, self._expire, client, transport)
        self._guests[client] = _Guest(transport, timer)

    def became_viewer(self, client: Client) -> None:
        """Remove the time limit of the connection to `client`, because `client` has become a viewer."""
        if transport := self._remove(client):
            self._viewers[client] = transport

    def left(self, client: Client) -> None:
        """Set a time limit for the connection of a former viewer, because the browser may keep it open."""
        if (transport := self._viewers.pop(client, None)) and not transport.is_closing():
            self.came(transport)

    def _remove(self, client: Client) -> asyncio.Transport | None:
        guest = self._guests.pop(client, None)
        if guest is None:
            return None
        guest.timer.cancel()
        return guest.transport

    def _evict(self) -> None:
        (most, _), *_ = Counter(address for address, _ in self._guests).most_common(1)
        oldest = next(client for client in self._guests if client[0] == most)
        if transport := self._remove(oldest):
            transport.abort()

    def _expire(self, client: Client, transport: asyncio.Transport) -> None:
        guest = self._guests.get(client)
        if guest and guest.transport is transport:
            del self._guests[client]
            transport.abort()
