"""Streams a film through a board, stretch by stretch, each in a session of its own; tells the hub what is to be seen.

It opens the board again and again when it is lost. Whatever leaves for the hub is without keys and counter blocks.
"""

import contextlib
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from .. import oracle
from ..counterblocks import MOST_STREAM, CounterBlocks, block_after
from ..device import KEY_BITS, Device
from ..errors import ArgumentError, CipherlaneError, TransferError
from ..linkbench import network_of
from ..protocol.layout import BLOCK, Engine
from ..replies import BoardInfo
from ..session import Session
from ..transfer import Counts
from . import pictures
from .frames import Frames, Sample
from .hub import Channel, Hub
from .peer import Peer, Stretch
from .showing import NO, WIRETAPS, YES, Choice, Showing

STRETCHES = (1.0, 2.0, 4.0, 8.0)  # seconds of the sessions after a choice; all others are as the last
PICTURES_A_SECOND = 8.0  # that are shown at most
_WORK_SHARE = 0.005  # of the time, for what showing them takes here; sending them takes about as much again
PATIENCE = 4.0  # seconds without a result until the page says so
_RETRY = 1.0  # seconds until a board that was lost is looked for again
_POINTS = 120  # stretches that the chart keeps
_PEER_RECORD = 1024  # bytes at most
_RECORD_BYTES = (0, 64, 256, 512, 1024)  # 0: the most


class Streamer:
    """Owns the board while `run` runs; `choose` may be called from another thread."""

    def __init__(
        self,
        hub: Hub,
        open_device: Callable[[], Device],
        edge: int,
        *,
        image: str | None = None,
        engine: str | None = None,
        open_peer: Callable[[], Device] | None = None,
    ):
        """Stream pictures of `edge` x `edge` pixels, with `engine` to begin with, by default the fastest.

        The host's library decrypts what is shown, or the board that `open_peer` opens.

        Raises:
            FileError: the file `image` cannot be read.
            VerifyError: the package `cryptography` is not installed.
        """
        self._hub, self._open, self._edge = hub, open_device, edge
        self._films = {"pattern": pictures.pattern(edge)}
        if image:
            self._films["image"] = pictures.image(image, edge)
        self._showing = Showing(hub, edge)
        self._peer = open_peer and Peer(open_peer)
        self._choice = Choice(engine or "", source="image" if image else "pattern")
        self._options: dict[str, tuple[Any, ...]] = {}
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._blocks = {bits: CounterBlocks(bits) for bits in KEY_BITS}
        self._info: BoardInfo | None = None
        self._state = ""
        self._message = ""
        self._points: deque[dict[str, Any]] = deque(maxlen=_POINTS)
        self._latest: dict[str, dict[str, Any]] = {}  # by engine
        self._counters: dict[str, int] = {}
        self._next_picture = self._pause = self._heard = 0.0
        self._received = 0

    def choose(self, wanted: Mapping[str, Any]) -> None:
        """Change what is streamed, from the next record on.

        Raises:
            ArgumentError: there is no such choice.
        """
        names = {field.name for field in fields(Choice)}
        for name, value in wanted.items():
            if name == "text":
                good = isinstance(value, str) and value.isprintable() and 0 < len(value.strip()) <= pictures.MOST_TEXT
            else:  # by type too: true is 1 elsewhere
                good = any(value == each and type(value) is type(each) for each in self._options.get(name, ()))
            if name not in names or not good:
                raise ArgumentError("there is no such choice: take one that the page offers")
        with self._lock:
            choice = replace(self._choice, **wanted)
            if choice.source == "text" and not choice.text:
                raise ArgumentError("no text: type one")
            self._choice = choice

    def stop(self) -> None:
        """Let `run` end, from another thread: what is in flight comes back first, or a silent board is given up."""
        self._stopped.set()
        with self._lock:
            self._choice = replace(self._choice)  # the stretch that is on ends, as of one that was chosen before

    def run(self) -> None:
        """Stream until interrupted or stopped.

        Raises:
            CipherlaneError: the board is not there to begin with.
        """
        with contextlib.closing(self._peer) if self._peer else contextlib.nullcontext():
            self._run()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                with self._open() as device:
                    self._serve(device)
            except CipherlaneError as error:
                if self._info is None:
                    raise
                reason = error.reason if isinstance(error, TransferError) else str(error)
                self._say("away", f"The board is not there: {reason}. It is looked for again every second.")
            self._stopped.wait(_RETRY)

    def _serve(self, device: Device) -> None:
        info = device.info()
        names = [engine.name.lower() for engine in sorted(info.engines, key=lambda each: each.traits.rank)]
        if not names:
            raise ArgumentError("the board has no engine: flash current firmware")
        with self._lock:
            if self._choice.engine not in names:
                if self._info is None and self._choice.engine:
                    raise ArgumentError(f"the board has no engine {self._choice.engine}: choose of {', '.join(names)}")
                self._choice = replace(self._choice, engine=names[0])
            most = device.record_bytes
            self._options = {
                "engine": tuple(names),
                "key_bits": KEY_BITS,
                "record_bytes": tuple(size for size in _RECORD_BYTES if size <= most),
                "source": (*self._films, "text"),
                "wiretap": WIRETAPS,
                "tamper": (NO, YES),
            }
        self._info = info
        choice, number = self._choice, -1
        while True:
            trouble = self._peer and self._peer.trouble
            self._say("streaming", f"The second board does not decrypt: {trouble}. The host does." if trouble else "")
            number = number + 1 if choice is self._choice else 0
            choice = self._choice
            if self._stopped.is_set():
                return
            self._stretch(device, choice, STRETCHES[min(number, len(STRETCHES) - 1)])
            self._counters = device.counters()
            if Engine[choice.engine.upper()].traits.serves:
                self._counters |= device.fast_path().counters

    def _stretch(self, device: Device, choice: Choice, seconds: float) -> None:
        engine, blocks, clock = Engine[choice.engine.upper()], self._blocks[choice.key_bits], device.clock
        film = self._films[choice.source] if choice.source != "text" else pictures.text(choice.text, self._edge)
        iv = blocks.take(MOST_STREAM)  # if the stretch fails, none of them is used again
        record_bytes = choice.record_bytes or None
        if self._peer:  # its ranges begin where pictures do
            record_bytes = _dividing(len(film[0]), min(choice.record_bytes or _PEER_RECORD, device.record_bytes))

        def due() -> bool:
            if not self._hub.viewers or clock.now() < self._next_picture:
                return False
            self._next_picture = clock.now() + self._pause
            return True

        def wanted() -> bool:
            return bool(second and not second.error) or due()

        def sampled(sample: Sample) -> None:
            begun = time.thread_time()
            if choice.tamper == YES:
                sample = self._showing.tampered(sample)
            if not (second and second.offer(sample)):
                block = block_after(iv, sample.offset // BLOCK)
                decrypted = oracle.encrypted(blocks.key, block, sample.ciphertext)
                self._showing.show(choice, sample, decrypted, f"the host with {oracle.name()}")
            self._pause = max(1 / PICTURES_A_SECOND, (time.thread_time() - begun) / _WORK_SHARE)

        def show(sample: Sample, decrypted: bytes, by: str) -> None:
            if due():
                self._showing.show(choice, sample, decrypted, by)

        frames = Frames(film, clock, seconds, lambda: self._choice is not choice, wanted, sampled)
        with (
            device.open_session(blocks.key, iv, engine, record_bytes=record_bytes) as session,
            self._decrypting(engine, blocks.key, iv, session.record_bytes, show) as second,
        ):
            before, begun, busy = network_of(session), clock.now(), clock.busy()
            self._heard, self._received = begun, 0
            report = session.transfer(frames, frames, watch=lambda counts: self._watch(counts, clock.now()))
            taken, busy = clock.now() - begun, clock.busy() - busy
            if report.bytes:
                point = self._point(session, engine, blocks.key, report, before)
                point |= {"pictures_a_second": frames.pictures / taken, "host_share": busy / taken}
                self._points.append(point)
                self._latest[choice.engine] = point
        blocks.give_back(report.records * session.record_bytes)  # a board counts a short record as a whole one

    def _decrypting(self, *words: Any) -> contextlib.AbstractContextManager[Stretch | None]:
        return self._peer.decrypting(*words) if self._peer else contextlib.nullcontext()

    def _point(
        self, session: Session, engine: Engine, key: bytes, report: Any, before: dict[str, int] | None
    ) -> dict[str, Any]:
        """Return the figures of a stretch, which are those of every command, by the same classes."""
        done, after = session.measurement(engine, key, report, None), network_of(session)
        wall, simulated = report.seconds, None
        if before and after and done.kind == "sim":
            simulated = (after["cycles"] - before["cycles"]) / done.clock_hz
        passing = simulated or (None if done.kind == "sim" else wall)  # seconds of the board's own time
        return {
            "engine": done.engine,
            "key_bits": done.key_bits,
            "record_bytes": session.record_bytes,
            "kind": done.kind,
            "mbps": done.mbps,
            "cycles_per_block": done.cycles_per_block,
            "link_mbps": report.bytes * 8 / (simulated or wall) / 1e6,
            "link_time": "simulated" if simulated else "wall",
            "wall_mbps": report.link_wall_mbps,
            "engine_share": done.cycles / done.clock_hz / passing if passing and done.cycles else None,
            "retransmissions": report.retransmissions,
            "seconds": wall,
        }

    def _watch(self, counts: Counts, now: float) -> float:
        """Note whether results come, and say so if they cease; give up those that nobody awaits."""
        if counts.received != self._received:
            self._received, self._heard = counts.received, now
            if self._state == "waiting":
                self._say("streaming", "")
        elif now - self._heard > PATIENCE and self._stopped.is_set():
            raise CipherlaneError("the stream was stopped")
        elif now - self._heard > PATIENCE and self._state != "waiting":
            self._say("waiting", f"No result for {PATIENCE:.0f} s: the engine is slow, or the board does not answer.")
        return PATIENCE

    def _say(self, state: str, message: str) -> None:
        """Give the hub everything but pictures."""
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
            "options": self._options,
            "titles": {name: Engine[name.upper()].traits.title for name in self._options["engine"]},
            "edge": self._edge,
            "latest": [self._latest[name] for name in self._options["engine"] if name in self._latest],
            "points": list(self._points),
            "counters": self._counters,
        }
        self._hub.put(Channel.STATE, json.dumps(said).encode())


def _dividing(size: int, most: int) -> int:
    """Return the largest number of bytes up to `most` that are whole blocks, and divide the `size` of a picture."""
    return max(each for each in range(BLOCK, most + 1, BLOCK) if not size % each)
