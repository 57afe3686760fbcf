# SPDX-License-Identifier: BSD-2-Clause
"""Tests `cipherlane top`: the app on a null board, driven by Textual's pilot, and the whole command on a terminal."""

import asyncio
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from cipherlane.errors import PortError
from cipherlane.files import private
from cipherlane.link.device import Device
from cipherlane.live.hub import Hub
from cipherlane.live.streamer import Streamer
from cipherlane.live.top import Top
from cipherlane.measuring.nullboard import NullBoard
from cipherlane.protocol.records import decode
from cipherlane.transport import open_transport
from cipherlane.transport.base import Pace
from cipherlane_base.wire.layout import RecordType
from textual.widgets import DataTable, Footer, Static

from tests.waiting import HANG_S, until

from .commands import COMMAND, command, one_line_error
from .served import Served

LONG = ("--timeout", "1000")  # time-out in seconds for replies; the test must end earlier
EDGE = 32
SIZE = (80, 24)
BY_TEXTUAL = pytest.mark.skipif(sys.platform != "win32" and not private.fcntl, reason="Textual needs fcntl")


@pytest.fixture(autouse=True)
def short_stretches(monkeypatch):
    monkeypatch.setattr("cipherlane.live.streamer.STRETCHES", (0.2,))
    monkeypatch.setattr("cipherlane.live.streamer._RETRY", 0.05)


class Screen:
    """The app `top`, driven by Textual's test pilot: reads what the app shows, and presses keys."""

    def __init__(self, app, pilot, devices):
        self.app, self._pilot, self._devices, self.timeout = app, pilot, devices, None

    def board_is_gone(self):
        """Shorten all waits, because the board is gone."""
        self.timeout = 0.05
        self._devices[-1].link.set_pace(Pace.fixed(self.timeout))

    def text(self, name):
        return str(self.app.query_one(f"#{name}", Static).content)

    def rows(self):
        table = self.app.query_one(DataTable)
        return [[cell.plain for cell in table.get_row_at(at)] for at in range(table.row_count)]

    async def press(self, key):
        await self._pilot.press(key)

    async def until(self, condition):
        async with asyncio.timeout(HANG_S):
            while not condition(self):
                await self._pilot.pause(0.02)


def show(url, scenario, size=SIZE, timeout=None):
    """Run the app on the board at `url`; meanwhile, run the test `scenario(screen)`. Check that the app closes the
    board; return the devices that the app opened.
    """
    devices, screens = [], []

    def opened():
        devices.append(Device(open_transport(url), screens[-1].timeout if screens else timeout))
        return devices[-1]

    async def run():
        async with app.run_test(size=size) as pilot:
            screens.append(Screen(app, pilot, devices))
            screens[-1].timeout = timeout
            await scenario(screens[-1])

    hub = Hub()
    app = Top(hub, Streamer(hub, opened, EDGE))
    try:
        asyncio.run(run())
    finally:
        app.finish()
    assert not app._thread.is_alive() and hub.viewers == 0
    return devices


def measured(screen):
    return any(row[2] != "-" for row in screen.rows())


@BY_TEXTUAL
def test_figures_of_a_board(null_board):
    async def scenario(screen):
        await screen.until(
            lambda screen: measured(screen) and screen.text("wire") and "received" in screen.text("counters")
        )
        assert screen.text("board").startswith("null (null), ") and "a program on the host" in screen.text("board")
        (row,) = [row for row in screen.rows() if row[0].startswith("▸")]
        engine, key, mbps, kind, cycles, link, share, bar = row
        assert (engine, key, kind) == ("▸ table", "128", "null") and float(mbps) > 0 and float(cycles) > 0 < float(link)
        assert share.endswith(" %") and set(bar) == {"█"}
        entropy, chi_square, p = re.search(
            r"entropy ([\d.]+) bits a byte, chi-square (\d+) \(p ([\d.e-]+)\): like random bytes", screen.text("wire")
        ).groups()
        assert 7 < float(entropy) < 8 and int(chi_square) < 409 and 0 < float(p) <= 1
        assert re.search(r"equal to the source; \d+ pictures equal, 0 different", screen.text("wire"))
        assert re.search(r"Mbps in wall time .*pictures/s, host's CPU \d+ %, sent again \d+", screen.text("link"))
        assert re.fullmatch(r"from 0: [▁-█ ]+", screen.text("course"))

    show(null_board.url, scenario)


@BY_TEXTUAL
def test_everything_has_its_place_on_80_by_24(null_board):
    async def scenario(screen):
        await screen.until(
            lambda screen: measured(screen) and screen.text("wire") and "received" in screen.text("counters")
        )
        for part in (*screen.app.query(Static), screen.app.query_one(DataTable), screen.app.query_one(Footer)):
            region = part.region
            assert region.bottom <= SIZE[1] and region.right <= SIZE[0], part
            assert region.height or part.id == "state", part
        table = screen.app.query_one(DataTable)
        assert table.virtual_size.width <= SIZE[0] and table.virtual_size.height <= table.region.height
        counters = screen.app.query_one("#counters")
        assert counters.virtual_size.height <= counters.region.height

    show(null_board.url, scenario)


@BY_TEXTUAL
@pytest.mark.parametrize("size", [(20, 5), (1, 1), (300, 100)])
def test_other_sizes_break_nothing(null_board, size):
    async def scenario(screen):
        await screen.until(measured)

    show(null_board.url, scenario, size=size)


@BY_TEXTUAL
def test_keys_switch_while_it_runs(null_board):
    """While the stream runs, key presses change the AES key length and the record size. The next session uses these
    values, with new counter blocks.
    """

    def last(screen):
        return screen.app._state["points"][-1] if screen.app._state.get("points") else {}

    async def scenario(screen):
        await screen.press("k")  # pressing "k" has no effect yet, because there is nothing to choose
        await screen.until(measured)
        before = screen.app._state["choice"]["key_bits"]
        await screen.press("k")
        bits = {128: 192, 192: 256, 256: 128}[before]
        await screen.until(lambda screen: f"AES-{bits}" in screen.text("choice"))
        await screen.until(lambda screen: last(screen)["key_bits"] == bits)
        await screen.press("r")
        await screen.until(lambda screen: "records: 64 bytes" in screen.text("choice"))
        await screen.until(lambda screen: last(screen)["record_bytes"] == 64)
        await screen.press("R")
        await screen.until(lambda screen: "records: the largest" in screen.text("choice"))
        await screen.until(lambda screen: last(screen)["record_bytes"] > 64)
        await screen.press("e")
        assert screen.rows()[0][0] == "▸ table", "a null board has one engine"
        assert screen.text("state") == "", "as it would not be if a counter block were asked for twice"

    show(null_board.url, scenario)


@BY_TEXTUAL
def test_a_choice_that_is_gone_is_said(null_board):
    async def scenario(screen):
        await screen.until(measured)
        screen.app._state["options"]["engine"] = ["table", "ise"]
        # the next line follows without await, so no message can arrive in between
        screen.app.action_switch("engine", 1)
        assert "no such choice" in screen.text("state")
        await screen.until(lambda screen: screen.text("state") == "")

    show(null_board.url, scenario)


@BY_TEXTUAL
def test_a_board_that_goes_and_comes_back_is_said():
    board = NullBoard(port=0)
    port = int(board.url.rpartition(":")[2])
    serving = Served(lambda: board.serve_once(0.05))
    serving.__enter__()

    async def scenario(screen):
        nonlocal board, serving
        await screen.until(measured)
        serving.__exit__()
        board.close()
        screen.board_is_gone()
        await screen.until(lambda screen: screen.text("state").startswith("The board is not there: "))
        screen.timeout = None
        board = NullBoard(port=port)
        serving = Served(lambda: board.serve_once(0.05))
        serving.__enter__()
        await screen.until(lambda screen: screen.text("state") == "")
        points = len(screen.app._state["points"])
        await screen.until(lambda screen: len(screen.app._state["points"]) > points)

    try:
        assert len(show(board.url, scenario)) > 1
    finally:
        serving.__exit__()
        board.close()


@BY_TEXTUAL
def test_it_ends_while_the_board_is_away():
    board = NullBoard(port=0)

    async def scenario(screen):
        with Served(lambda: board.serve_once(0.05)):
            await screen.until(measured)
        board.close()
        screen.board_is_gone()
        await screen.until(lambda screen: screen.text("state"))
        await screen.press("q")

    show(board.url, scenario)


@BY_TEXTUAL
def test_a_board_that_was_never_there_ends_it():
    async def scenario(screen):
        await screen.until(lambda screen: screen.app._exit)

    with pytest.raises(PortError):
        show("udp://127.0.0.1:9", scenario, timeout=0.05)


@BY_TEXTUAL
def test_who_ends_it_before_there_is_a_board_gets_no_error():
    async def scenario(screen):
        assert screen.text("board") == "Looking for the board."
        await screen.press("q")

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        show(f"udp://127.0.0.1:{silent.getsockname()[1]}", scenario, timeout=1000)


@BY_TEXTUAL
def test_no_key_is_on_the_screen(null_board):
    async def scenario(screen):
        await screen.until(lambda screen: measured(screen) and screen.text("wire"))
        shown = screen.app.export_screenshot() + json.dumps(screen.app._state)
        for blocks in screen.app._streamer._blocks.values():
            assert blocks.key.hex()[:16] not in shown

    show(null_board.url, scenario)


# The command


def test_without_a_terminal_it_says_so(null_board):
    status, stdout, stderr = command("top", "--port", null_board.url)
    assert (status, stdout) == (2, b"") and "top needs a terminal" in one_line_error(stderr)
    assert "no JSON" in one_line_error(command("--json", "top", "--port", null_board.url)[2])


class Terminal:
    """Runs `cipherlane top` on its own pseudo-terminal."""

    def __init__(self, *words, program=(COMMAND,), controlling=True, **environment):
        import fcntl
        import struct
        import termios

        self.master, terminal = os.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", SIZE[1], SIZE[0], 0, 0))
        self.process = subprocess.Popen(
            [*program, "top", *words],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            start_new_session=True,
            preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if controlling else None,
            env={**os.environ, "TERM": "xterm-256color", **environment},
        )
        os.close(terminal)
        self.hung_up, self.ended, self.said = False, False, b""
        self._killer = threading.Timer(3 * HANG_S, self.process.kill)  # this timer ends the process if the test fails
        self._killer.daemon = True
        self._killer.start()

    def until(self, pattern):
        def there():
            return re.search(pattern, re.sub(rb"\x1b\[[0-9;?<>]*[A-Za-z]", b"", self.said)) or self.ended

        until(there, lambda: self.said[-2000:], self._take)
        assert not self.ended, self.said[-2000:]

    def _take(self):
        try:
            if select.select([self.master], [], [], 1)[0]:
                self.said += os.read(self.master, 1 << 16)
        except OSError:
            self.ended = True

    def hang_up(self):
        os.close(self.master)
        self.hung_up = True

    def end(self):
        """Read output until the command has ended; return its exit status."""
        step = {} if self.hung_up else {"step": self._take}
        until(lambda: self.process.poll() is not None or self.ended, lambda: self.said[-2000:], **step)
        self.process.wait(HANG_S)
        if not self.hung_up:
            while not self.ended and select.select([self.master], [], [], 0)[0]:
                self._take()
            os.close(self.master)
        self._killer.cancel()
        return self.process.returncode


ON_TERMINALS = pytest.mark.skipif(not private.fcntl or os.name != "posix", reason="there are no such terminals here")


@ON_TERMINALS
@pytest.mark.parametrize(("how", "status"), [(b"q", 0), (b"\x03", 0), ("TERM", 143), ("STOP TERM CONT", 143)])
def test_the_command_shows_figures_and_ends_and_leaves_the_terminal_as_it_was(null_board, how, status):
    terminal = Terminal("--port", null_board.url)
    terminal.until(rb"table +128 +[\d.]+ +null +[\d.]+")
    terminal.until(rb"chi-square")
    if isinstance(how, str):
        for number in how.split():
            terminal.process.send_signal(getattr(signal, f"SIG{number}"))
    else:
        os.write(terminal.master, how)
    assert terminal.end() == status
    assert terminal.said.rfind(b"\x1b[?1049l") > terminal.said.rfind(b"\x1b[?1049h") >= 0, "the other screen is back"
    assert terminal.said.rfind(b"\x1b[?25h") > terminal.said.rfind(b"\x1b[?25l"), "and the cursor"
    assert b"Traceback" not in terminal.said


@ON_TERMINALS
@pytest.mark.parametrize("controlling", [True, False], ids=["HUP", "no signal"])
def test_the_command_ends_with_its_terminal_and_leaves_the_board(null_board, controlling):
    """The command ends when its terminal is closed. A controlling terminal then also sends the signals HUP and CONT."""
    terminal = Terminal("--port", null_board.url, controlling=controlling)
    terminal.until(rb"chi-square")
    terminal.hang_up()
    assert terminal.end() == 128 + signal.SIGHUP
    assert not null_board._sessions


@ON_TERMINALS
def test_q_ends_it_soon_and_leaves_the_board(null_board):
    terminal = Terminal("--port", null_board.url)
    terminal.until(rb"chi-square")
    os.write(terminal.master, b"q")
    assert terminal.end() == 0
    assert not null_board._sessions


@ON_TERMINALS
def test_q_ends_it_soon_though_the_board_is_silent(null_board, monkeypatch):
    terminal = Terminal("--port", null_board.url, *LONG)
    terminal.until(rb"chi-square")
    monkeypatch.setattr(null_board, "answer", lambda *_: None)
    os.write(terminal.master, b"q")
    assert terminal.end() == 0


@ON_TERMINALS
def test_q_ends_it_soon_before_there_is_a_board():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as nobody:
        nobody.bind(("127.0.0.1", 0))
        terminal = Terminal("--port", "udp://{}:{}".format(*nobody.getsockname()), *LONG)
        terminal.until(rb"Looking for the board")
        os.write(terminal.master, b"q")
        assert terminal.end() == 0


@ON_TERMINALS
@pytest.mark.parametrize(("numbers", "status"), [(["INT", "INT"], 130), (["CONT"], 0), (["TERM", "HUP"], 143)])
def test_signals_while_it_leaves_the_board_do_not_keep_it_from_that(null_board, monkeypatch, numbers, status):
    """Signals can arrive while the app closes its session with the board. The app must still close the session.

    They arrive after the terminal was restored and before the board answers the close request.
    """
    program = (
        "import sys; from cipherlane import cli; from cipherlane.live import streamer, top; finish = top.Top.finish;"
        "top.Top.finish = lambda self: (print('It leaves the board.', flush=True), finish(self));"
        f"streamer.STOP_PATIENCE = top.STOP_PATIENCE = {2 * HANG_S}; sys.exit(cli.main(sys.argv[1:]))"
    )
    closing, answering, answer = threading.Event(), threading.Event(), null_board.answer

    def answer_close_late(raw, address):
        if decode(raw).type == RecordType.CLOSE:
            closing.set()
            answering.wait(HANG_S)
        return answer(raw, address)

    monkeypatch.setattr(null_board, "answer", answer_close_late)
    terminal = Terminal("--port", null_board.url, program=(sys.executable, "-c", program))
    until(closing.is_set, step=terminal._take)
    os.write(terminal.master, b"q")
    terminal.until(rb"It leaves the board.")
    for number in numbers:
        terminal.process.send_signal(getattr(signal, f"SIG{number}"))
        time.sleep(0.1)  # this pause lets each signal arrive separately
    answering.set()
    assert terminal.end() == status
    assert not null_board._sessions and b"Traceback" not in terminal.said


@ON_TERMINALS
def test_the_command_ends_with_the_error_of_a_board_that_is_not_there():
    terminal = Terminal("--port", "udp://127.0.0.1:9", "--timeout", "0.1")
    assert terminal.end() == 3
    assert (
        b"cipherlane: error: nothing listens at UDP port 9 of 127.0.0.1" in terminal.said.rpartition(b"\x1b[?1049l")[2]
    )


@ON_TERMINALS
def test_without_its_package_or_a_terminal_that_can_draw_it_says_so(null_board):
    program = "import sys; sys.modules['textual'] = None; from cipherlane.cli import main; sys.exit(main(sys.argv[1:]))"
    terminal = Terminal("--port", null_board.url, program=(sys.executable, "-c", program))
    assert terminal.end() == 2
    assert b"cipherlane: error: no package textual: pip install 'cipherlane[top]'" in b" ".join(terminal.said.split())
    terminal = Terminal("--port", null_board.url, TERM="dumb")
    assert terminal.end() == 2 and b"top needs a terminal" in terminal.said
