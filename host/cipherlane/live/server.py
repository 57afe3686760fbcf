# SPDX-License-Identifier: BSD-2-Clause
"""Serves the live page and the messages of a hub to browsers, and checks which browsers are allowed to receive them.

Requests must name this server's own address as Host, or a name that its owner allowed. Requests for messages must also
come from a page of such a host (Origin). So pages of other sites cannot reach the server through a browser. If the
server listens beyond loopback, a browser's first message must be the token. The server sends a message only when the
browser reports that it is ready, so messages do not pile up for a slow browser. `waiting` limits connections that are
not yet viewers.
"""

import asyncio
import contextlib
import ipaddress
import json
import re
import secrets
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import ArgumentError
from .hub import Channel, Hub
from .waiting import WaitingRoom

Choose = Callable[[Mapping[str, Any]], None]

PAGE = Path(__file__).parent / "page"
TOKEN_PATIENCE = 10.0  # seconds
THREAD = "live view"  # that serves
_STOP_TIMEOUT = 5.0
_MOST_MESSAGE = 4096  # maximum bytes of a message from a browser
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; img-src 'self'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

_UNKNOWN = (
    "This server does not know the address that you opened. Open the address that it printed, or start it with "
    "--allow-host NAME:PORT, as your browser shows them.\n"
)
_NAME = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[\w.-]+))(?::(?P<port>\d{1,5}))?", re.ASCII)
_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class Guard:
    """Refuses requests whose Host header is not in `hosts`, and WebSockets whose Origin header names another host."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]):
        """Check requests before they reach `app`."""
        self._app, self._hosts = app, hosts
        self._origins = {f"http://{host}" for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (the ASGI interface)."""
        headers = Headers(scope=scope)
        good = headers.get("host", "").lower() in self._hosts
        if scope["type"] == "websocket":
            if good and headers.get("origin", "").lower() in self._origins:
                await self._app(scope, receive, send)
            else:
                # closing a WebSocket before accepting it gives status 403
                await WebSocket(scope, receive, send).close()
            return

        async def hardened(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        refused = PlainTextResponse(_UNKNOWN, 421)
        await (self._app if good else refused)(scope, receive, hardened)


def application(hub: Hub, choose: Choose, hosts: frozenset[str], token: str | None) -> Starlette:
    """Return the web application: it serves the page and the messages of `hub`, and passes users' input to `choose`."""
    room = WaitingRoom()

    async def messages(websocket: WebSocket) -> None:
        await websocket.accept()
        if token and not await _knows(websocket, token):
            await websocket.close(4401, "open the address that was printed, with its token")
            return
        if not hub.enter():
            await websocket.close(1013, "too many browsers")
            return
        client = (websocket.client.host, websocket.client.port) if websocket.client else ("", 0)
        room.became_viewer(client)
        ready = asyncio.Event()
        sender = asyncio.create_task(_send(websocket, hub, ready))
        try:
            while True:
                await _take(websocket, await websocket.receive_text(), ready, choose)
        # the browser disconnected, or sent binary data, which our page never sends
        except (WebSocketDisconnect, KeyError):
            pass
        finally:
            sender.cancel()
            hub.leave()
            room.left(client)
            with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                await sender

    app = Starlette(routes=[WebSocketRoute("/messages", messages), Mount("/", StaticFiles(directory=PAGE, html=True))])
    app.add_middleware(Guard, hosts=hosts)
    app.state.room = room
    return app


async def _knows(websocket: WebSocket, token: str) -> bool:
    try:
        said = await asyncio.wait_for(websocket.receive_text(), TOKEN_PATIENCE)
    except (TimeoutError, WebSocketDisconnect, KeyError):
        return False
    return secrets.compare_digest(said.encode(), token.encode())


async def _send(websocket: WebSocket, hub: Hub, ready: asyncio.Event) -> None:
    """Send the newest message each time the browser is ready."""
    seen: dict[Channel, int] = {}
    while True:
        await ready.wait()
        ready.clear()
        channel, message = await hub.next(seen)
        if channel == Channel.STATE:
            await websocket.send_text(message.decode())
        else:
            await websocket.send_bytes(message)


async def _take(websocket: WebSocket, text: str, ready: asyncio.Event, choose: Choose) -> None:
    """Handle a browser's message: either that it is ready, or a choice."""
    if text == "ready":
        ready.set()
        return
    try:
        wanted = json.loads(text)
        if not isinstance(wanted, dict):
            raise ArgumentError("a choice is a JSON object")
        choose(wanted)
    except (ValueError, RecursionError):
        refusal = "a choice is a JSON object"
    except ArgumentError as error:
        refusal = str(error)
    else:
        return
    await websocket.send_text(json.dumps({"refused": refusal}))


def listen(address: str, port: int, allowed: Sequence[str] = ()) -> tuple[socket.socket, frozenset[str], bool]:
    """Return a listening socket, the allowed Host headers, and whether the address and all further names are loopback.

    `allowed` lists further names as NAME or NAME:PORT; without a port they get the port of the socket.

    Raises:
        ArgumentError: the address cannot be used, stands for all addresses while no name is allowed, or a name is
        invalid.
    """
    try:
        family, _, _, _, where = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        ip = ipaddress.ip_address(str(where[0]).partition("%")[0])
        if ip.is_unspecified and not allowed:
            raise ArgumentError(
                f"{address} stands for all addresses of this machine: name one, or give the names by which "
                "browsers reach it with --allow-host"
            )
        extra = [_named(each) for each in allowed]
        listener = socket.create_server(where[:2], family=family)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "no such address"
        raise ArgumentError(f"cannot listen at {address}, port {port}: {reason}; name another with --listen") from error
    own = {address.lower(), str(ip)} | (_LOOPBACK_NAMES if ip.is_loopback else set())
    at = listener.getsockname()[1]
    hosts = [_host(name, number or at) for name, number in extra]
    hosts += [_host(name, at) for name in own if not ip.is_unspecified]
    hosts += [each.removesuffix(":80") for each in hosts if each.endswith(":80")]
    loopback = ip.is_loopback and all(name in _LOOPBACK_NAMES for name, _ in extra)
    return listener, frozenset(hosts), loopback


def named(text: str, port: int) -> str:
    """Return the Host header for `text` (NAME or NAME:PORT). The default of PORT is `port`, the port of the socket."""
    name, own = _named(text)
    return _host(name, own or port)


def _named(text: str) -> tuple[str, int | None]:
    found = _NAME.fullmatch(text)
    if not found or int(found["port"] or 1) not in range(1, 1 << 16):
        raise ArgumentError(
            f"--allow-host {text}: give a name such as lab.example, or with a port such as localhost:9000"
        )
    return (found["six"] or found["name"]).lower(), int(found["port"]) if found["port"] else None


def _host(name: str, port: int) -> str:
    return f"[{name}]:{port}" if ":" in name else f"{name}:{port}"


@contextmanager
def serving(app: Starlette, listener: socket.socket) -> Iterator[None]:
    """Serve `app` in a separate thread until the context ends."""
    room: WaitingRoom = app.state.room

    class Guest(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            room.came(transport)

    config = uvicorn.Config(
        app,
        lifespan="off",
        http=Guest,
        log_config=None,
        access_log=False,
        server_header=False,
        ws_max_size=_MOST_MESSAGE,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), name=THREAD, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(_STOP_TIMEOUT)
        listener.close()
