# SPDX-License-Identifier: BSD-2-Clause
"""The live view's figures on a terminal: a Textual app that shows the contents of a `Hub` and controls the streamer.

The streamer (`live.streamer`) runs in a thread of its own; the app is one more viewer of its hub. It needs the extra
`top`, and no other command imports this module.
"""

import contextlib
import json
import threading
from typing import Any, ClassVar

from cipherlane_base.figures import KINDS
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.css.query import NoMatches
from textual.widgets import DataTable, Footer, Static

from .. import tables
from ..errors import ArgumentError
from .hub import Channel, Hub
from .streamer import Streamer

STOP_PATIENCE = 30.0  # seconds allowed for closing the board at the end
_BAR, _COURSE = 10, 60  # columns
_LEVELS = " ▁▂▃▄▅▆▇█"
_COLUMNS = ("engine", "key", "Mbps", "kind", "cycles/block", "link Mbps", "of link", "")
_SWITCHED = {"engine": "e", "key_bits": "k", "record_bytes": "r"}


class Top(App[None]):
    """Shows speeds and counters until the user quits. If the stream fails first, `error` holds the exception."""

    CSS = """
    Screen { layout: vertical; }
    Static { height: auto; }
    #state { text-style: bold; }
    #engines { height: auto; max-height: 9; }
    DataTable > .datatable--header { background: ansi_default; color: ansi_default; text-style: bold underline; }
    #counters { height: 1fr; overflow-y: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "switch('engine', 1)", "engine"),
        Binding("k", "switch('key_bits', 1)", "key"),
        Binding("r", "switch('record_bytes', 1)", "record"),
        Binding("E", "switch('engine', -1)", show=False),
        Binding("K", "switch('key_bits', -1)", show=False),
        Binding("R", "switch('record_bytes', -1)", show=False),
        Binding("q", "quit", "quit"),
        Binding("ctrl+c", "quit", show=False, priority=True),
    ]
    ENABLE_COMMAND_PALETTE = False
    TITLE = "cipherlane top"

    def __init__(self, hub: Hub, streamer: Streamer):
        """Show the messages that `streamer` sends to `hub`."""
        super().__init__(ansi_color=True)  # use the terminal's own colours, light or dark
        self.theme = "ansi-dark"
        self.error: BaseException | None = None
        self._hub, self._streamer = hub, streamer
        self._state: dict[str, Any] = {}
        self._refused = ""
        self._ended = False  # true after the user has quit: from then on, failures of the stream are ignored
        self._thread = threading.Thread(target=self._stream, daemon=True)

    def compose(self) -> ComposeResult:
        """Yield the elements of the screen from top to bottom."""
        yield Static("Looking for the board.", id="board", markup=False)
        yield Static(id="state", markup=False)
        yield Static(id="choice", markup=False)
        table: DataTable[Text] = DataTable(id="engines", cursor_type="none", zebra_stripes=False)
        table.can_focus = False
        yield table
        yield Static(id="link", markup=False)
        yield Static(id="course", markup=False)
        yield Static(id="wire", markup=False)
        yield Static(id="counters", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Start the stream and the display."""
        self.query_one(DataTable).add_columns(*_COLUMNS)
        self._thread.start()
        self.run_worker(self._follow())

    def finish(self) -> None:
        """Stop the stream, and wait until the streamer has closed the board.

        Raises:
            CipherlaneError: the error of the stream, if it had failed before.
        """
        self._ended = True
        self._streamer.stop()
        if self._thread.ident is not None:
            self._thread.join(STOP_PATIENCE)
        if self.error:
            raise self.error

    def _stream(self) -> None:
        try:
            self._streamer.run()
        except BaseException as error:
            if self._ended:
                return
            self.error = error
            with contextlib.suppress(RuntimeError):  # raised if the app is already ending
                self.call_from_thread(self.exit)

    async def _follow(self) -> None:
        """Show each message of the hub in turn; skip outdated ones, as a browser does."""
        seen: dict[Channel, int] = {}
        self._hub.enter()
        try:
            while True:
                channel, message = await self._hub.next(seen)
                if channel == Channel.STATE:
                    self._state, self._refused = json.loads(message), ""
                    self._show()
                elif channel == Channel.PICTURE:
                    size = int.from_bytes(message[:4], "little")
                    self._show_wire(json.loads(message[4 : 4 + size]))
        except NoMatches:  # the app is ending and has removed parts of its screen
            pass
        finally:
            self._hub.leave()

    def action_switch(self, name: str, step: int) -> None:
        """Choose the next or the previous option of the setting `name`; `step` is 1 or -1."""
        if not self._state:
            return
        options = self._state["options"][name]
        chosen = options[(options.index(self._state["choice"][name]) + step) % len(options)]
        try:
            self._streamer.choose({name: chosen})
            self._state["choice"][name] = chosen
            self._refused = ""
        except ArgumentError as error:  # after a reconnection, another board with fewer engines can answer
            self._refused = str(error)
        self._show()

    def _show(self) -> None:
        state = self._state
        board, choice, points = state["board"], state["choice"], state["points"]
        meaning = KINDS.get(board["kind"], "")
        said = f"{board['name']} ({board['kind']}), {board['clock_mhz']:g} MHz, firmware {board['firmware']}"
        self._say("board", f"{said}\n{board['kind']}: {meaning}" if meaning else said)
        self._say("state", self._refused or state["message"])
        record = f"{choice['record_bytes']} bytes" if choice["record_bytes"] else "the largest"
        self._say("choice", f"now: {choice['engine']}, AES-{choice['key_bits']}, records: {record}")
        self._show_engines(
            state["options"]["engine"], choice["engine"], {row["engine"]: row for row in state["latest"]}
        )
        if points:
            self._show_link(points)
        counters = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in state["counters"].items())
        self._say("counters", f"counters: {counters or 'none yet'}")

    def _show_engines(self, names: list[str], now: str, latest: dict[str, dict[str, Any]]) -> None:
        table = self.query_one(DataTable)
        table.clear()
        most = max((row["mbps"] or 0 for row in latest.values()), default=0) or 1
        for name in names:
            row = latest.get(name, {})
            mbps = row.get("mbps")
            cells = (
                ("▸ " if name == now else "  ") + name,
                _figure(row.get("key_bits"), 0),
                _figure(mbps, 1),
                row.get("kind") or "-",
                _figure(row.get("cycles_per_block"), 1),
                _rate(row.get("link_mbps")),
                _percent(row.get("engine_share")),
                "█" * max(1, round(_BAR * mbps / most)) if mbps else "",
            )
            justify = ["left", *["right"] * 2, "left", *["right"] * 3, "left"]
            table.add_row(*(tables.cell(text, justify=side) for text, side in zip(cells, justify, strict=True)))  # type: ignore[arg-type]

    def _show_link(self, points: list[dict[str, Any]]) -> None:
        last = points[-1]
        most = max(point["link_mbps"] for point in points)
        parts = [point["link_mbps"] / (most or 1) for point in points[-_COURSE:]]
        self._say("course", "from 0: " + "".join(_LEVELS[round(part * (len(_LEVELS) - 1))] for part in parts))
        self._say(
            "link",
            f"link: {_rate(last['link_mbps'])} Mbps in {last['link_time']} time (most {_rate(most)}; wall "
            f"{_rate(last['wall_mbps'])}), {_figure(last['pictures_a_second'], 1)} pictures/s, host's CPU "
            f"{_percent(last['host_share'])}, sent again {last['retransmissions']}",
        )

    def _show_wire(self, head: dict[str, Any]) -> None:
        wire, checked = head["wire"], head["checked"]
        verdict = "like random bytes" if wire["even"] else "NOT RANDOM"
        equal = "equal to the source" if head["equal"] else "DIFFERENT from the source"
        self._say(
            "wire",
            f"ciphertext: entropy {wire['entropy']:.3f} bits a byte, chi-square {wire['chi_square']:.0f} "
            f"(p {wire['probability']:.2g}): {verdict}\n"
            f"decrypted: {equal}; {checked['equal']} pictures equal, {checked['different']} different",
        )

    def _say(self, name: str, text: str) -> None:
        self.query_one(f"#{name}", Static).update(tables.cell(text, keep="\n"))


def _figure(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _rate(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}" if value < 100 else f"{value:.1f}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share * 100:.0f} %"
