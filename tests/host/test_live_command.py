# SPDX-License-Identifier: BSD-2-Clause
"""Tests `cipherlane live` as a program: where it listens, how it ends, and that it can serve many browsers."""

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import psutil
import pytest
from cipherlane.commands.live import _parse
from cipherlane.errors import ArgumentError
from cipherlane.live import server
from cipherlane.measuring.nullboard import NullBoard
from websockets.asyncio.client import connect as connect_async
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.waiting import HANG_S

from .commands import COMMAND, ON_POSIX, command, one_line_error
from .served import Served

GROWTH = 16 << 20  # maximum number of bytes by which the tool's memory is allowed to grow while it runs


@pytest.mark.parametrize(
    "where", ["", "a b", "\xfc" * 70, "127.0.0.1:x", "127.0.0.1:70000", "host/path", "a@b", "1:2:3"]
)
def test_addresses_that_cannot_be(where):
    with pytest.raises(ArgumentError, match="--listen"):
        server.listen(*_parse(where))


@pytest.mark.parametrize("where", ["0.0.0.0", "[::]:0"])
def test_all_addresses_are_none(where):
    with pytest.raises(ArgumentError, match=r"name one|cannot listen"):
        server.listen(*_parse(where))


def test_a_port_that_is_taken(null_board):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        status, _, stderr = command("live", "--port", null_board.url, "--listen", f"127.0.0.1:{port}")
    assert status == 2 and "name another with --listen" in one_line_error(stderr)


def test_a_board_that_is_not_there_or_lacks_the_engine(null_board):
    words = ("live", "--listen", "127.0.0.1:0", "--port")
    assert command(*words, "udp://127.0.0.1:9", "--timeout", "0.1")[0] == 3
    status, _, stderr = command(*words, null_board.url, "--engine", "ise")
    assert status == 2 and "the board has no engine ise: choose one of table" in one_line_error(stderr)


@pytest.mark.parametrize(
    ("allowed", "url"),
    [
        ((), r"http://127\.0\.0\.1:\d+/"),
        (("localhost:9000", "a.example"), r"http://localhost:9000/#.{22}"),
        (("a.example",), r"http://a\.example:\d+/#.{22}"),
    ],
)
def test_the_address_as_json(null_board, allowed, url):
    words = [COMMAND, "--json", "live", "--port", null_board.url, "--listen", "127.0.0.1:0"]
    words += [word for each in allowed for word in ("--allow-host", each)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        said = "".join(process.stdout.readline() for _ in range(3))
        process.kill()
    assert re.fullmatch(url, json.loads(said)["url"])


@ON_POSIX
def test_make_screenshots_ends_it_as_its_user_does(null_board, capfd):
    """The live view that `make screenshots` starts must end without an error, with "live: ended" as its last line."""
    pytest.importorskip("playwright")
    from tests.screenshots.__main__ import live_view

    with live_view(null_board.url) as url, urllib.request.urlopen(url, timeout=60) as page:
        assert b"<html" in page.read()
    said = "".join(capfd.readouterr())
    assert "error" not in said and said.endswith("live: ended\n")
    with pytest.raises(SystemExit, match="has no address: see above"), live_view("--none"):
        pytest.fail("an option is no port")


def test_without_its_packages_it_says_what_to_install(null_board, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "cipherlane.live.server")
    monkeypatch.delattr("cipherlane.live.server")
    status, _, stderr = command("live", "--port", null_board.url)
    assert status == 2 and "no package uvicorn: pip install 'cipherlane[live]'" in one_line_error(stderr)


# The command


@pytest.fixture
def running():
    """Start `cipherlane live` as a child process. Its board is a null board in the process of this test. Yield the
    child process and its address, then end it.
    """
    board = NullBoard(port=0)
    words = [COMMAND, "live", "--port", board.url, "--listen", "127.0.0.1:0"]
    with Served(lambda: board.serve_once(0.05)), subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process, re.search(r"http://(\S+)/", process.stdout.readline())[1]
        finally:
            process.kill()
    board.close()


@ON_POSIX
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_an_interrupt_ends_it_though_a_page_is_open(running, number, status):
    process, host = running
    with connect(f"ws://{host}/messages", origin=f"http://{host}", open_timeout=HANG_S, proxy=None) as viewer:
        viewer.send("ready")
        assert json.loads(viewer.recv(HANG_S))["board"]["name"] == "null"
        process.send_signal(number)
        assert process.wait(HANG_S) == status
        with pytest.raises(ConnectionClosed):
            viewer.send("ready")
            viewer.recv(HANG_S)


# The test measures the tool's memory twice: after each viewer has received `FIRST` pictures, and after each viewer has
# received `PICTURES` more pictures.
PICTURES = int(os.environ.get("CIPHERLANE_LIVE_LOAD", "10"))
FIRST = 3


def test_ten_viewers_and_some_that_never_read(running):
    """Viewers that never read must not make the tool's memory grow, and must not stop pictures for other viewers."""
    process, host = running
    before, after = asyncio.run(asyncio.wait_for(load(process, host), HANG_S * max(1, PICTURES / 50)))
    print(f"{before >> 10} kB, after {PICTURES} pictures to each {after >> 10} kB")
    assert after - before < GROWTH


async def load(process, host):
    """Return the tool's memory after each viewer's first pictures, and again after `PICTURES` more for each.

    Meanwhile, each viewer that never reads has asked for as many pictures.
    """
    address, options = f"ws://{host}/messages", {"origin": f"http://{host}", "proxy": None, "open_timeout": HANG_S}
    counts, asked, done = [0] * 10, [0] * 3, asyncio.Event()

    async def view(number):
        async with connect_async(address, **options) as viewer:
            while not done.is_set():
                await viewer.send("ready")
                counts[number] += isinstance(await viewer.recv(), bytes)

    async def stuff(number):
        """Send "ready" repeatedly without reading; messages for such a viewer must not pile up in the server.

        Reconnect if the connection is closed.
        """
        while not done.is_set():
            with contextlib.suppress(ConnectionClosed, ConnectionError):
                async with connect_async(address, **options, max_queue=1, ping_interval=None) as viewer:
                    viewer.transport.pause_reading()
                    while not done.is_set():
                        await viewer.send("ready")
                        asked[number] += 1
                        await asyncio.sleep(0.02)
                    viewer.transport.abort()

    async def reached(count):
        while min(counts) < count or min(asked) < count:
            await asyncio.sleep(0.02)
        return psutil.Process(process.pid).memory_info().rss

    async def measure():
        before = await reached(FIRST)
        after = await reached(FIRST + PICTURES)
        done.set()
        return before, after

    *_, found = await asyncio.gather(*map(view, range(10)), *map(stuff, range(3)), measure())
    return found
