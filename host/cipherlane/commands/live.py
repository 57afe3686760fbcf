# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane live`: streams a picture through the board and shows it in a browser."""

import argparse
import contextlib
import functools
import secrets
import sys
from typing import Any
from urllib.parse import urlsplit

from .. import views
from ..errors import ArgumentError
from ..files.claims import ReadName
from ..link.device import Device
from ..signals import Interrupted
from ..transport import open_transport
from . import common

DEFAULT_LISTEN = "127.0.0.1:8765"
_EDGES = (32, 48, 64, 96, 128, 192, 256)
SIMULATED_EDGE, EDGE = 96, 192


def add_to(commands: Any) -> None:
    """Add the command `live` to the command-line parser."""
    parser = common.add_command(
        commands,
        "live",
        help="show in a browser a picture that passes through the board",
        description="Stream a picture through the board until interrupted, and serve a page that shows it: plaintext, "
        "the bytes on the wire, the decrypted picture, and the figures of each engine. The page can switch the "
        "engine. Keys are random, kept nowhere, and never sent to the page. Needs pip install "
        "'cipherlane[live]', and for --video and --camera 'cipherlane[live,video]'.",
    )
    parser.add_argument("--engine", choices=common.ENGINE_NAMES, help="engine to start with (default: the fastest)")
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--image", type=ReadName, metavar="FILE", help="image to send; an animated GIF plays (default: a pattern)"
    )
    source.add_argument("--video", type=ReadName, metavar="FILE", help="video to send, repeated without end")
    source.add_argument(
        "--camera",
        nargs="?",
        const="",
        metavar="DEVICE",
        help="send the picture of a camera (default: the first, as FFmpeg names it)",
    )
    parser.add_argument(
        "--peer-port",
        metavar="PORT",
        help="second board, which decrypts; the first waits for it (default: a library on the host decrypts)",
    )
    parser.add_argument(
        "--edge",
        type=int,
        choices=_EDGES,
        help=f"pixels of each side of the picture (default: {SIMULATED_EDGE} with a simulated board, otherwise {EDGE})",
    )
    parser.add_argument(
        "--listen",
        default=DEFAULT_LISTEN,
        metavar="ADDRESS[:PORT]",
        help="address of the page; beyond loopback, browsers need the token in the printed address, and anyone who "
        "sees the network's traffic sees the picture and can change what is streamed (default: %(default)s)",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME[:PORT]",
        help="another name by which browsers reach the page, for example through an SSH tunnel or a container's port; "
        "the default PORT is the port of --listen; repeatable. For a name beyond loopback, the page needs the token",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Stream a picture through the board, and serve the page that shows it, until interrupted."""
    try:
        from ..live import server
        from ..live.hub import Hub
        from ..live.streamer import Streamer
    except ImportError as error:
        raise ArgumentError(f"no package {error.name}: pip install 'cipherlane[live]'") from None
    edge = args.edge or (SIMULATED_EDGE if (args.port or "").startswith("sim") else EDGE)
    with contextlib.ExitStack() as stack:
        hub = Hub()
        streamer = Streamer(
            hub,
            functools.partial(common.open_device, args),
            edge,
            films=_films(args, edge, stack),
            engine=args.engine,
            open_peer=functools.partial(_open_peer, args) if args.peer_port else None,
        )
        listener, hosts, loopback = server.listen(*_parse(args.listen), args.allow_host)
        token = None if loopback else secrets.token_urlsafe(16)
        host, port = listener.getsockname()[:2]
        shown = server.named(args.allow_host[0] if args.allow_host else f"[{host}]" if ":" in host else host, port)
        url = f"http://{shown}/" + (f"#{token}" if token else "")
        stack.enter_context(server.serving(server.application(hub, streamer.choose, hosts, token), listener))
        try:
            if args.json:
                views.show_json({"url": url})
                sys.stdout.flush()
            else:
                views.show(f"live: open {url} in a browser; Ctrl-C ends it")
            streamer.run()
        except Interrupted as interrupt:  # TERM or HUP
            interrupt.add_note("the stream has ended")
            raise
        except KeyboardInterrupt:
            views.show("live: ended", stderr=True)
    return 0


def _films(args: argparse.Namespace, edge: int, stack: contextlib.ExitStack) -> dict[str, Any]:
    """Return a dictionary with the picture source that the options choose, under the name of its kind, such as `video`.
    If the options choose none, return an empty dictionary. `stack` closes a video or camera.
    """
    from ..live import pictures, video

    if args.image:
        return {"image": pictures.image(args.image, edge)}
    if args.video:
        return {"video": stack.enter_context(contextlib.closing(video.Player(args.video, edge)))}
    if args.camera is not None:
        return {"camera": stack.enter_context(contextlib.closing(video.camera(args.camera, edge)))}
    return {}


def _open_peer(args: argparse.Namespace) -> Device:
    return Device(open_transport(args.peer_port, args.baud), args.timeout)


def _parse(where: str) -> tuple[str, int]:
    """Return the address and the TCP port from a text such as the value of --listen."""
    try:
        parts = urlsplit(f"//{where}")
        address, port = parts.hostname, parts.port
    except ValueError:
        address = port = None
    if not address or parts.path or parts.query or parts.username:
        raise ArgumentError(f"--listen {where}: give an address as {DEFAULT_LISTEN}, or [::1]:8765")
    return address, int(DEFAULT_LISTEN.partition(":")[2]) if port is None else port
