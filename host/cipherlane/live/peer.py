"""A second board, which decrypts what the first has encrypted, in a thread of its own.

It takes the newest picture when it is done with the one before, and the last of each stretch: so the first board does
not wait for it, and the ranges of counter blocks of both follow each other, as far as no picture is cut off.
"""

import contextlib
import io
import threading
from collections.abc import Callable, Iterator

from ..device import Device
from ..errors import CipherlaneError
from ..protocol.layout import Engine
from .frames import Sample

Show = Callable[[Sample, bytes, str], None]

_PATIENCE = 60.0  # seconds that the last picture of a stretch may take


class Peer:
    """Owns the second board; `trouble` says why it does not decrypt, if it does not."""

    def __init__(self, open_device: Callable[[], Device], wanted: Callable[[], bool], pause: float):
        """Decrypt while pictures are `wanted`, each at least `pause` seconds after the one before."""
        self._open, self._wanted, self._pause = open_device, wanted, pause
        self._device: Device | None = None
        self.trouble = ""

    @contextlib.contextmanager
    def decrypting(
        self, engine: Engine, key: bytes, iv: bytes, record_bytes: int, show: Show
    ) -> Iterator[Callable[[Sample], bool]]:
        """Decrypt pictures of a stretch; yield what takes one, and returns whether the board shows it."""
        stretch = _Stretch(self._wanted, self._pause)
        thread = threading.Thread(target=self._run, args=(stretch, engine, key, iv, record_bytes, show), daemon=True)
        thread.start()
        try:
            yield stretch.offer
        finally:
            stretch.end()
            thread.join(_PATIENCE)

    def _run(self, stretch: "_Stretch", engine: Engine, key: bytes, iv: bytes, record_bytes: int, show: Show) -> None:
        try:
            device = self._device = self._device or self._open()
            info = device.info()
            if engine not in info.engines:
                engine = min(info.memory_engines, key=lambda each: each.traits.rank)
            by = f"a second board, {info.board} ({info.kind}), with {engine.name.lower()}"
            with device.open_session(key, iv, engine, "decrypt", record_bytes=record_bytes) as session:
                self.trouble, stretch.ready = "", True
                while (sample := stretch.take()) is not None:
                    plain, data = io.BytesIO(), sample.ciphertext
                    session.transfer(io.BytesIO(data), plain, offset=sample.offset, length=len(data))
                    show(sample, plain.getvalue(), by)
        except CipherlaneError as error:
            self.trouble = str(error)
            stretch.ready = False
            self.close()

    def close(self) -> None:
        """Release the board; it is opened again for the next stretch."""
        device, self._device = self._device, None
        if device:
            device.close()


class _Stretch:
    """Hands pictures from the first board's thread to the second's."""

    def __init__(self, wanted: Callable[[], bool], pause: float):
        self.ready = False
        self._wanted, self._pause = wanted, pause
        self._newest: Sample | None = None
        self._ended = False
        self._changed = threading.Condition()

    def offer(self, sample: Sample) -> bool:
        """Let `sample` take the place of one that was not taken; return whether somebody is there for it."""
        with self._changed:
            self._newest = sample
            self._changed.notify()
        return self.ready

    def take(self) -> Sample | None:
        """Return the newest picture when it is wanted; at the end the last one, then None."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended, self._pause)
            self._changed.wait_for(lambda: self._ended or (self._newest and self._wanted()))
            sample, self._newest = self._newest, None
            return sample

    def end(self) -> None:
        """Say that no more come."""
        with self._changed:
            self._ended = True
            self._changed.notify()
