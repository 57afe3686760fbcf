# SPDX-License-Identifier: BSD-2-Clause
"""Compares several engines, each in its own session. The engines take turns at encrypting the same pictures."""

import contextlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cipherlane_base.wire.layout import Engine

from ..link.counterblocks import MOST_STREAM, CounterBlocks
from ..link.device import Device
from ..link.session import Session
from ..link.transfer import TransferReport, Watch
from ..measuring import oracle
from .figures import Point, cycles_of, point, together
from .frames import Sample
from .pictures import PER_SECOND, Film

SHORT = 0.1  # seconds; if a turn is shorter, the engine's next turn has up to twice as many pictures
_MOST_TURN = 1 << 20  # bytes


class _Data(io.BytesIO):
    """A reader of `data`. As soon as `stopped()` is true, it behaves as if the data had ended."""

    def __init__(self, data: bytes, stopped: Callable[[], bool]):
        super().__init__(data)
        self._stopped = stopped

    def read(self, size: int | None = -1, /) -> bytes:
        return b"" if self._stopped() else super().read(size)


def racers(engines: Sequence[Engine]) -> tuple[Engine, ...]:
    """Return the fastest engine of each kind: hardware, CPU instructions, C. `engines` must be ordered by speed."""
    hardware = [each for each in engines if each.traits.serves or each is Engine.ACCELERATOR]
    software = [each for each in engines if each.traits.software]
    instructions = [each for each in engines if each not in (*hardware, *software)]
    return tuple(group[0] for group in (hardware, instructions, software) if group)


class Side:
    """One of the compared engines, with its session."""

    def __init__(self, session: Session, engine: Engine, blocks: CounterBlocks, iv: bytes):
        """Start at byte 0 of `session`. The session's key and its initial counter block `iv` come from `blocks`."""
        self.engine, self.key, self.iv = engine, blocks.key, iv
        self._session, self._blocks = session, blocks
        self._decrypt = oracle.stream(blocks.key, iv)
        self._report: TransferReport | None = None
        # Sum of the cycles that the board counted in this engine's turns. None if the board does not report cycles.
        self._cycles = None if cycles_of(session) is None else 0
        self._pictures = self._end = 0

    def turn(
        self,
        picture: bytes,
        count: int,
        stopped: Callable[[], bool],
        watch: Watch,
        check: Callable[[bytes, bytes], None],
    ) -> tuple[Sample, float]:
        """Send `count` copies of `picture`; return the last copy with its result, and the duration in seconds. If the
        stream is stopped, the last copy can be incomplete.

        `check` is called with each picture and the result of decrypting it with the host's library.
        """
        before, result = self._now(), io.BytesIO()
        data = _Data(picture * count, stopped)
        report = self._session.transfer(data, result, offset=self._end, watch=watch)
        after = self._now()
        if self._cycles is not None and before is not None and after is not None:
            self._cycles += after - before
        else:
            self._cycles = None
        self._report = together(self._report, report) if self._report else report
        done = report.bytes // len(picture)
        self._pictures += done
        decrypted = self._decrypt(result.getvalue())
        for start in range(0, done * len(picture), len(picture)):
            check(picture, decrypted[start : start + len(picture)])
        at = max(0, done - 1) * len(picture)
        sample = Sample(self._end + at, picture, result.getvalue()[at : at + len(picture)])
        self._end += report.records * self._session.record_bytes
        return sample, report.seconds

    def _now(self) -> int | None:
        """Return the board's cycle count. If the board reports no cycles, return None, and do not ask again."""
        return cycles_of(self._session) if self._cycles is not None else None

    def finish(self) -> Point | None:
        """Release unused counter blocks. Return a measurement of all turns; None if no picture was completed."""
        figures = None
        if self._report and self._pictures:
            figures = point(self._session, self.engine, self.key, self._report, self._cycles, self._pictures)
        # A short record uses as many counter blocks as a full record, so `_end` counts every record as full.
        self._blocks.give_back(self._end)
        return figures


@dataclass(frozen=True)
class Compared:
    """Settings of a comparison: engines, counter blocks for each engine, data bytes of a record, and seconds to run."""

    engines: tuple[Engine, ...]
    blocks: tuple[CounterBlocks, ...]
    record_bytes: int
    seconds: float


def compare(
    device: Device,
    what: Compared,
    film: Film,
    stopped: Callable[[], bool],
    watch: Callable[[], Watch],
    check: Callable[[bytes, bytes], None],
    show: Callable[[int, Side, Sample], None],
) -> list[Point]:
    """Let engines take turns at encrypting pictures of `film`; return the measurement of each engine.

    `record_bytes` divides a picture. A turn sends one picture, or enough copies of it to take the engine a measurable
    time. Each engine has at least one turn. `watch` returns the observer of a turn. `check` is called with each
    picture and the result of decrypting it; `show` is called with each engine's sample and the engine's position. If
    stopped before any result, the list of figures is empty.
    """
    clock = device.clock
    end, room = clock.now() + what.seconds, max(1, _MOST_TURN // len(film[0]))
    with contextlib.ExitStack() as stack:
        sides = []
        for engine, blocks in zip(what.engines, what.blocks, strict=False):
            iv = blocks.take(MOST_STREAM)
            session = device.open_session(blocks.key, iv, engine, record_bytes=what.record_bytes)
            sides.append(Side(stack.enter_context(session), engine, blocks, iv))
        counts = [1] * len(sides)
        while True:
            picture = film[int(clock.now() * PER_SECOND) % len(film)]
            for number, side in enumerate(sides):
                sample, taken = side.turn(picture, counts[number], stopped, watch(), check)
                if stopped():
                    break
                show(number, side, sample)
                if taken < SHORT:
                    counts[number] = min(2 * counts[number], room)
            if stopped() or clock.now() >= end:
                break
        return [each for each in [side.finish() for side in sides] if each]
