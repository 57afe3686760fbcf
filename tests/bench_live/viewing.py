# SPDX-License-Identifier: BSD-2-Clause
"""Watch the live view without a browser. This program requests each picture as a browser does."""

import argparse
import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator

from cipherlane.live import server
from cipherlane.live.hub import Channel, Hub
from cipherlane.live.streamer import Streamer
from websockets.asyncio.client import connect


class Enough(BaseException):
    """Raised when all measurements are done, to end the streaming."""


async def view(address: str, on: float, off: float) -> None:
    """Watch for `on` seconds, then pause for `off` seconds, until ended."""
    while True:
        async with connect(f"ws://{address}/messages", origin=f"http://{address}", proxy=None) as viewer:
            end = time.monotonic() + on
            while time.monotonic() < end:
                await viewer.send("ready")
                await viewer.recv()
        await asyncio.sleep(off)


@contextlib.contextmanager
def viewed(hub: Hub, streaming: Streamer, on: float, off: float) -> Iterator[None]:
    """Serve the pictures in `hub` to one viewer, a separate process that connects and disconnects again and again."""
    listener, hosts, _ = server.listen("127.0.0.1", 0)
    address = f"127.0.0.1:{listener.getsockname()[1]}"
    words = [sys.executable, "-m", "tests.bench_live.viewing", address, str(on), str(off)]
    serving = server.serving(server.application(hub, streaming.choose, hosts, None), listener)
    with serving, subprocess.Popen(words) as watching:
        try:
            yield
        finally:
            watching.terminate()


def points_of(channel: Channel, message: bytes) -> list[dict]:
    """If a message of the live view is a status message, return its measurements. Otherwise return an empty list."""
    return json.loads(message)["points"] if channel == Channel.STATE else []


def load() -> str:
    """Return text that tells how busy the machine is: its load average and its number of cores."""
    return f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("on", type=float)
    parser.add_argument("off", type=float)
    asyncio.run(view(**vars(parser.parse_args())))
