# SPDX-License-Identifier: BSD-2-Clause
"""Streams a film through a board in sessions of a few seconds each (stretches), and passes the results to the hub.

If the board is lost, the streamer opens it again as often as needed. Nothing passed to the hub contains keys or counter
blocks.
"""

import contextlib
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from cipherlane_base.wire.layout import BLOCK, Engine

from ..errors import ArgumentError, CipherlaneError, TransferError
from ..link.counterblocks import MOST_STREAM, CounterBlocks, block_after
from ..link.device import KEY_BITS, Device
from ..link.replies import BoardInfo
from ..link.transfer import Counts, Watch
from ..measuring import oracle
from . import pictures
from .comparison import Compared, Side, compare, racers
from .figures import Point, cycles_of, point
from .frames import Frames, Sample
from .hub import Channel, Hub
from .peer import Peer, Stretch
from .pictures import BITS, Film
from .showing import NO, RACE, WIRETAPS, YES, Choice, Showing

# Durations in seconds of the first sessions after a user's choice. All later sessions have the last duration.
STRETCHES = (1.0, 2.0, 4.0, 8.0)
PICTURES_A_SECOND = 8.0  # maximum number of pictures shown per second
# The host spends at most this share of its time on preparing pictures for browsers. Sending the pictures takes about as
# much time.
_WORK_SHARE = 0.005
PATIENCE = 4.0  # seconds without a result after which the page reports that it waits
STOP_PATIENCE = 2.0  # after a stop: maximum seconds for closing a connected board
_STOP_SILENCE = 0.5  # after a stop: seconds without a result before the session is closed
_RETRY = 1.0  # seconds between searches for a lost board
_POINTS = 120  # number of sessions (stretches) that the chart shows
_PEER_RECORD = 1024  # default maximum bytes of a record if a second board decrypts
# Below this rate in pictures per second, the pictures get half the bits per pixel, unless the user chose the bits.
FEWEST_PICTURES = 2.0
# If the rate exceeds FEWEST_PICTURES times this factor, pictures with half the bits per pixel get all 8 bits again.
_ENOUGH = 2.5
_MOST_SIDES = 3  # maximum number of engines that take turns
_RECORD_BYTES = (0, 64, 256, 512, 1024)  # 0: the largest possible


class Streamer:
    """Streams a film through a board. Only `run` uses the board; other threads can call `choose` and `stop`."""

    def __init__(
        self,
        hub: Hub,
        open_device: Callable[[], Device],
        edge: int,
        *,
        films: Mapping[str, Film] | None = None,
        engine: str | None = None,
        open_peer: Callable[[], Device] | None = None,
    ):
        """Stream pictures of `edge` x `edge` pixels, starting with `engine`, by default the fastest.

        The stream starts with the first of `films`, by default the built-in pattern; the pattern and a text can always
        be chosen. The pictures shown are decrypted by the host's library, or by the second board if `open_peer` is
        given.

        Raises:
            VerifyError: the package `cryptography` is not installed.
        """
        self._stopped, self._stopped_at = threading.Event(), 0.0
        self._hub, self._open, self._edge = hub, self._bounded(open_device), edge
        self._films = {**(films or {}), "pattern": pictures.pattern(edge)}
        self._showing = Showing(hub, edge)
        self._peer = open_peer and Peer(self._bounded(open_peer))
        self._choice = Choice(engine or "", source=next(iter(self._films)))
        # `_streamed` is the choice for the current session, `_running` the choice that produced the latest results
        self._streamed = self._running = self._choice
        self._racers: tuple[Engine, ...] = ()
        self._options: dict[str, tuple[Any, ...]] = {}
        self._lock = threading.Lock()
        self._blocks = {bits: CounterBlocks(bits) for bits in KEY_BITS}
        self._of_sides = {bits: tuple(CounterBlocks(bits) for _ in range(_MOST_SIDES)) for bits in KEY_BITS}
        self._bits: dict[str, int] = {}  # maps an engine to its bits per pixel, used unless the user chose a number
        self._info: BoardInfo | None = None
        self._state = ""
        self._message = ""
        self._points: deque[Point] = deque(maxlen=_POINTS)
        self._latest: dict[str, Point] = {}  # by engine
        self._compared: list[Point] = []
        self._counters: dict[str, int] = {}
        self._next_picture = self._pause = self._heard = 0.0
        self.picture_seconds = 0.0  # CPU time in seconds spent on preparing pictures, but not on sending them
        self._received = 0

    def choose(self, wanted: Mapping[str, Any]) -> None:
        """Change the user's choice of film, engine and other settings. A new session with this choice soon begins.

        Raises:
            ArgumentError: the choice is not offered.
        """
        names = {field.name for field in fields(Choice)}
        for name, value in wanted.items():
            if name == "text":
                good = isinstance(value, str) and value.isprintable() and 0 < len(value.strip()) <= pictures.MOST_TEXT
            else:  # compare types too, because true equals 1 in Python
                good = any(value == each and type(value) is type(each) for each in self._options.get(name, ()))
            if name not in names or not good:
                raise ArgumentError("there is no such choice: take one that the page offers")
        with self._lock:
            choice = replace(self._choice, **wanted)
            if choice.source == "text" and not choice.text:
                raise ArgumentError("no text: type one")
            self._choice = choice

    def stop(self) -> None:
        """Make `run` end; other threads call this. `run` first waits for records in flight, unless the board is silent.

        The wait for a connected board is at most STOP_PATIENCE; if no board is connected, there is no wait.
        """
        if not self._stopped.is_set():
            self._stopped_at = time.monotonic()
            self._stopped.set()
        with self._lock:
            self._choice = replace(self._choice)  # a new object ends the current session, even with unchanged values

    def run(self) -> None:
        """Stream until interrupted or stopped.

        Raises:
            CipherlaneError: no board can be opened at the start.
        """
        with contextlib.closing(self._peer) if self._peer else contextlib.nullcontext():
            try:
                self._run()
            finally:
                self.stop()  # `stop` also limits the time for closing the second board

    def _bounded(self, open_device: Callable[[], Device]) -> Callable[[], Device]:
        """Return a function that opens a device with `open_device`. After `stop`, each wait for a reply ends soon."""

        def opened() -> Device:
            device = open_device()
            device.link.given_up = self._gives_up
            return device

        return opened

    def _gives_up(self) -> bool:
        # Seconds that a wait may last after a stop: 0 if no board is connected.
        left = STOP_PATIENCE if self._state in ("streaming", "waiting") else 0.0
        return self._stopped.is_set() and time.monotonic() - self._stopped_at >= left

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                with self._open() as device:
                    self._serve(device)
            except CipherlaneError as error:
                if self._info is None:
                    raise
                reason = error.reason if isinstance(error, TransferError) else str(error)
                self._say("away", f"The board is not there: {reason}. The search repeats every second.")
            self._stopped.wait(_RETRY)

    def _serve(self, device: Device) -> None:
        info = device.info()
        engines = sorted(info.engines_of("aes"), key=lambda each: each.traits.rank)
        names = [engine.name.lower() for engine in engines]
        if not names:
            raise ArgumentError("the board has no engine: flash current firmware")
        with self._lock:
            if self._choice.engine not in names:
                if self._info is None and self._choice.engine:
                    raise ArgumentError(
                        f"the board has no engine {self._choice.engine}: choose one of {', '.join(names)}"
                    )
                self._choice = replace(self._choice, engine=names[0])
            most = device.record_bytes
            self._racers = racers(engines) if info.max_sessions >= _MOST_SIDES else ()
            self._options = {
                "engine": tuple(names),
                "key_bits": KEY_BITS,
                "record_bytes": tuple(size for size in _RECORD_BYTES if size <= most),
                "source": (*self._films, "text"),
                "wiretap": WIRETAPS,
                "tamper": (NO, YES),
                "bits": (0, *BITS),
                "beside": (NO, *names, *([RACE] if len(self._racers) > 1 else ())),
            }
        self._info = info
        self._first_lap(device)
        choice, number = self._choice, -1
        while True:
            self._say("streaming", self._trouble())
            number = number + 1 if choice is self._choice else 0
            choice = self._choice
            if self._stopped.is_set():
                return
            self._stretch(device, choice, STRETCHES[min(number, len(STRETCHES) - 1)])
            self._counters = device.counters()
            if Engine[choice.engine.upper()].traits.serves:
                self._counters |= device.fast_path().counters

    def _first_lap(self, device: Device) -> None:
        """Send one picture through an engine of each kind, so that the page starts with figures to compare.

        Do this only over Ethernet: over UART, a board passes just a few pictures a second with any engine.
        """
        if self._latest or len(self._racers) < 2 or not device.link.counts_network:
            return
        self._say("streaming", self._trouble())
        self._stretch(device, self._choice, 0.0, RACE)
        self._compared = []

    def _trouble(self) -> str:
        """Return a description of a fault that does not stop the stream; empty if there is none."""
        if self._peer and self._peer.trouble:
            return f"The second board does not decrypt: {self._peer.trouble}. The host decrypts instead."
        trouble = getattr(self._films.get(self._choice.source), "trouble", "")
        return f"The picture stands still: {trouble}." if trouble else ""

    def _stretch(self, device: Device, chosen: Choice, seconds: float, beside: str = "") -> None:
        """Stream with the settings `chosen` in new sessions for about `seconds`, and store the measurements.

        `beside`, if given, replaces the chosen comparison.
        """
        self._streamed = chosen
        choice = replace(chosen, beside=beside or chosen.beside)
        usual = BITS[1] if choice.beside == RACE else self._bits.get(choice.engine, BITS[0])
        choice = replace(choice, bits=choice.bits or usual)
        film = self._films[choice.source] if choice.source != "text" else pictures.text(choice.text, self._edge)
        if choice.bits != BITS[0]:
            film = pictures.Packed(film)

        def stopped() -> bool:
            return self._choice is not chosen

        if choice.beside != NO:
            self._compare(device, choice, film, seconds, stopped)
            return
        self._compared = []
        figures = self._stream(device, choice, film, seconds, stopped)
        if figures:
            self._points.append(figures)
            self._latest[choice.engine] = figures
            if figures["pictures_a_second"] < FEWEST_PICTURES:
                self._bits[choice.engine] = BITS[1]
            elif choice.bits == BITS[0] or figures["pictures_a_second"] > _ENOUGH * FEWEST_PICTURES:
                self._bits[choice.engine] = BITS[0]

    def _stream(
        self, device: Device, choice: Choice, film: Film, seconds: float, stopped: Callable[[], bool]
    ) -> Point | None:
        engine, blocks, clock = Engine[choice.engine.upper()], self._blocks[choice.key_bits], device.clock
        # Reserve counter blocks for a stream of maximum length. So no block is used twice, even if this session fails.
        iv = blocks.take(MOST_STREAM)
        record_bytes = choice.record_bytes or None
        if self._peer:  # the second board decrypts whole pictures, so each record must lie within one picture
            record_bytes = _dividing(len(film[0]), min(choice.record_bytes or _PEER_RECORD, device.record_bytes))

        def wanted() -> bool:
            return bool(second and not second.error) or self._due(clock.now())

        opened = oracle.stream(blocks.key, iv)

        def whole(sample: Sample) -> None:
            self._showing.check(sample.plaintext, opened(sample.ciphertext))

        def sampled(sample: Sample) -> None:
            begun = time.thread_time()
            if choice.tamper == YES:
                sample = self._showing.tampered(sample)
            if not (second and second.offer(sample)):
                self._decrypt(choice, sample, blocks.key, iv)
            self._showed(time.thread_time() - begun)

        def show(sample: Sample, decrypted: bytes, by: str) -> None:
            if self._due(clock.now()):
                self._showing.show(choice, sample, decrypted, by)

        frames = Frames(film, clock, seconds, stopped, wanted, sampled, whole)
        figures = None
        with (
            device.open_session(blocks.key, iv, engine, record_bytes=record_bytes) as session,
            self._decrypting(engine, blocks.key, iv, session.record_bytes, show) as second,
        ):
            before, busy = cycles_of(session), clock.busy()
            report = session.transfer(frames, frames, watch=self._watcher(clock.now))
            busy = clock.busy() - busy
            if report.bytes:
                after = None if before is None else cycles_of(session)
                cycles = None if before is None or after is None else after - before
                figures = point(session, engine, blocks.key, report, cycles, frames.pictures)
                figures |= {"host_share": busy / report.seconds, "bits": choice.bits}
        # A short record uses as many counter blocks as a full record, so count every record as full.
        blocks.give_back(report.records * session.record_bytes)
        return figures

    def _compare(self, device: Device, choice: Choice, film: Film, seconds: float, stopped: Callable[[], bool]) -> None:
        """Stream with engines that take turns. The package `cryptography` on the host decrypts the results."""
        size = len(film[0])
        most = min(device.record_bytes, choice.record_bytes or device.record_bytes)
        race = choice.beside == RACE
        engines = self._racers if race else (Engine[choice.engine.upper()], Engine[choice.beside.upper()])
        channels = (Channel.PICTURE,) if race else (Channel.PICTURE, Channel.BESIDE)
        what = Compared(engines, self._of_sides[choice.key_bits], _dividing(size, most), seconds)
        clock = device.clock

        shown = False

        def show(number: int, side: Side, sample: Sample) -> None:
            nonlocal shown
            shown = self._due(clock.now()) if number == 0 else shown
            if not shown or number >= len(channels):
                return
            begun = time.thread_time()
            if choice.tamper == YES:
                sample = self._showing.tampered(sample)
            of = replace(choice, engine=side.engine.name.lower())
            self._decrypt(of, sample, side.key, side.iv, channels[number])
            self._showed(time.thread_time() - begun)

        found = compare(device, what, film, stopped, lambda: self._watcher(clock.now), self._showing.check, show)
        if len(found) == len(engines):
            self._compared = found
            self._latest |= {each["engine"]: each for each in found}

    def _showed(self, seconds: float) -> None:
        self.picture_seconds += seconds
        self._pause = max(1 / PICTURES_A_SECOND, seconds / _WORK_SHARE)

    def _due(self, now: float) -> bool:
        """Return whether to show a picture at time `now`; if so, set the time for the next picture."""
        if not self._hub.viewers or now < self._next_picture:
            return False
        self._next_picture = now + self._pause
        return True

    def _decrypt(
        self, choice: Choice, sample: Sample, key: bytes, iv: bytes, channel: Channel = Channel.PICTURE
    ) -> None:
        """Decrypt a `sample` with `cryptography` on the host, and show it. The stream began at counter block `iv`."""
        decrypted = oracle.encrypted(key, block_after(iv, sample.offset // BLOCK), sample.ciphertext)
        self._showing.show(choice, sample, decrypted, f"the host with {oracle.name()}", channel)

    def _decrypting(self, *words: Any) -> contextlib.AbstractContextManager[Stretch | None]:
        return self._peer.decrypting(*words) if self._peer else contextlib.nullcontext()

    def _watcher(self, now: Callable[[], float]) -> Watch:
        """Start to observe a transfer. Return a function that the transfer calls with its counters."""
        self._heard, self._received = now(), 0
        return lambda counts: self._watch(counts, now())

    def _watch(self, counts: Counts, now: float) -> float:
        """Report when results stop and when they arrive again. Raise an error if no results arrive after `stop`."""
        if counts.received != self._received:
            self._received, self._heard = counts.received, now
            if self._state == "waiting" or self._running is not self._streamed:
                self._running = self._streamed
                self._say("streaming", self._trouble())
        elif now - self._heard > _STOP_SILENCE and self._stopped.is_set():
            raise CipherlaneError("the stream was stopped")
        elif now - self._heard > PATIENCE and self._state != "waiting":
            self._say("waiting", f"No result for {PATIENCE:.0f} s: the engine is slow, or the board does not answer.")
        return min(PATIENCE, _STOP_SILENCE)

    def _say(self, state: str, message: str) -> None:
        """Send the hub a status message: `state`, the text `message`, settings and figures, but no pictures."""
        self._state, info = state, self._info
        assert info
        said = {
            "state": state,
            "message": message,
            "board": {
                "name": info.board,
                "kind": info.kind,
                "clock_mhz": info.clock_hz / 1e6,
                "firmware": f"{info.firmware} {info.firmware_version}",
            },
            "choice": asdict(self._choice),
            "running": asdict(self._running),
            "racers": [engine.name.lower() for engine in self._racers],
            "options": self._options,
            "titles": {name: Engine[name.upper()].traits.title for name in self._options["engine"]},
            "edge": self._edge,
            "fewest_pictures": FEWEST_PICTURES,
            "latest": [self._latest[name] for name in self._options["engine"] if name in self._latest],
            "points": list(self._points),
            "compared": self._compared,
            "counters": self._counters,
        }
        self._hub.put(Channel.STATE, json.dumps(said).encode())


def _dividing(size: int, most: int) -> int:
    """Return the largest multiple of 16 bytes up to `most` that divides the `size` of a picture."""
    return max(each for each in range(BLOCK, most + 1, BLOCK) if not size % each)
