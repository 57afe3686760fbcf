"""Streams a film through a board, stretch by stretch, each in a session of its own; tells the hub what is to be seen.

It opens the board again and again when it is lost. Whatever leaves for the hub is without keys and counter blocks.
"""

import functools
import json
import operator
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
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
from .randomness import SUSPICIOUS, evenness

STRETCHES = (1.0, 2.0, 4.0, 8.0)  # seconds of the sessions after a choice; all others are as the last
PICTURES_A_SECOND = 8.0  # that are shown at most
_WORK_SHARE = 0.005  # of the time, for what showing them takes here; sending them takes about as much again
PATIENCE = 4.0  # seconds without a result until the page says so
_RETRY = 1.0  # seconds until a board that was lost is looked for again
_POINTS = 120  # stretches that the chart keeps
_RECORD_BYTES = (0, 64, 256, 512, 1024)  # 0: the most
_of_film = functools.lru_cache(maxsize=128)(evenness)  # a film's pictures come again
WIRETAPS = ("ctr", "ecb")
_NO, _YES = "no", "yes"


@dataclass(frozen=True)
class Choice:
    """What is to be streamed, and how: `record_bytes` is 0 for the most that fit."""

    engine: str
    key_bits: int = KEY_BITS[0]
    record_bytes: int = 0
    source: str = "pattern"
    text: str = ""
    wiretap: str = WIRETAPS[0]
    tamper: str = _NO


class Streamer:
    """Owns the board while `run` runs; `choose` may be called from another thread."""

    def __init__(self, hub: Hub, open_device: Callable[[], Device], edge: int, image: str | None, engine: str | None):
        """Stream pictures of `edge` x `edge` pixels, with `engine` to begin with, by default the fastest.

        Raises:
            FileError: the file `image` cannot be read.
            VerifyError: the package `cryptography` is not installed.
        """
        self._hub, self._open, self._edge = hub, open_device, edge
        self._films = {"pattern": pictures.pattern(edge)}
        if image:
            self._films["image"] = pictures.image(image, edge)
        self._ecb_key = CounterBlocks(KEY_BITS[0]).key  # of no counter mode
        oracle.encrypted(self._ecb_key, bytes(BLOCK), b"")
        self._choice = Choice(engine or "", source="image" if image else "pattern")
        self._options: dict[str, tuple[Any, ...]] = {}
        self._lock = threading.Lock()
        self._blocks = {bits: CounterBlocks(bits) for bits in KEY_BITS}
        self._info: BoardInfo | None = None
        self._state = ""
        self._message = ""
        self._shown = {"equal": 0, "different": 0}
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

    def run(self) -> None:
        """Stream until interrupted.

        Raises:
            CipherlaneError: the board is not there to begin with.
        """
        while True:
            try:
                with self._open() as device:
                    self._serve(device)
            except CipherlaneError as error:
                if self._info is None:
                    raise
                reason = error.reason if isinstance(error, TransferError) else str(error)
                self._say("away", f"The board is not there: {reason}. It is looked for again every second.")
            time.sleep(_RETRY)

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
                "tamper": (_NO, _YES),
            }
        self._info = info
        choice, number = self._choice, -1
        while True:
            self._say("streaming", "")
            number = number + 1 if choice is self._choice else 0
            choice = self._choice
            self._stretch(device, choice, STRETCHES[min(number, len(STRETCHES) - 1)])
            self._counters = device.counters()
            if Engine[choice.engine.upper()].traits.serves:
                self._counters |= device.fast_path().counters

    def _stretch(self, device: Device, choice: Choice, seconds: float) -> None:
        engine, blocks, clock = Engine[choice.engine.upper()], self._blocks[choice.key_bits], device.clock
        film = self._films[choice.source] if choice.source != "text" else pictures.text(choice.text, self._edge)
        iv = blocks.take(MOST_STREAM)  # if the stretch fails, none of them is used again

        def sampled(sample: Sample) -> None:
            begun = time.thread_time()
            self._show(choice, sample, blocks.key, iv)
            self._pause = max(1 / PICTURES_A_SECOND, (time.thread_time() - begun) / _WORK_SHARE)

        def wanted() -> bool:
            if not self._hub.viewers or clock.now() < self._next_picture:
                return False
            self._next_picture = clock.now() + self._pause
            return True

        frames = Frames(film, clock, seconds, lambda: self._choice is not choice, wanted, sampled)
        with device.open_session(blocks.key, iv, engine, record_bytes=choice.record_bytes or None) as session:
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

    def _show(self, choice: Choice, sample: Sample, key: bytes, iv: bytes) -> None:
        """Give the hub a picture in its three states."""
        tampered = choice.tamper == _YES
        ciphertext = _tampered(sample.ciphertext, self._edge) if tampered else sample.ciphertext
        decrypted = oracle.encrypted(key, block_after(iv, sample.offset // BLOCK), ciphertext)
        equal = decrypted == sample.plaintext
        if not tampered:
            self._shown["equal" if equal else "different"] += 1
        ecb = choice.wiretap == "ecb"
        wire = oracle.encrypted_ecb(self._ecb_key, sample.plaintext) if ecb else ciphertext
        even = evenness(wire)
        head = {
            "edge": self._edge,
            "wiretap": choice.wiretap,
            "equal": equal,
            "differ": 0 if equal else sum(map(operator.ne, decrypted, sample.plaintext)),
            "tampered": self._edge if tampered else 0,
            "shown": self._shown,
            "wire": {**asdict(even), "even": even.probability >= SUSPICIOUS},
            "plaintext_entropy": _of_film(sample.plaintext).entropy,
        }
        packed = json.dumps(head).encode()
        message = len(packed).to_bytes(4, "little") + packed + sample.plaintext + wire + decrypted
        self._hub.put(Channel.PICTURE, message)

    def _watch(self, counts: Counts, now: float) -> float:
        """Note whether results come, and say so if they cease."""
        if counts.received != self._received:
            self._received, self._heard = counts.received, now
            if self._state == "waiting":
                self._say("streaming", "")
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
            "decrypted_by": oracle.name(),
            "latest": [self._latest[name] for name in self._options["engine"] if name in self._latest],
            "points": list(self._points),
            "counters": self._counters,
        }
        self._hub.put(Channel.STATE, json.dumps(said).encode())


def _tampered(picture: bytes, edge: int) -> bytes:
    """Return `picture` with a byte of each row inverted, from corner to corner."""
    changed = bytearray(picture)
    for row in range(edge):
        changed[row * (edge + 1)] ^= 0xFF
    return bytes(changed)
