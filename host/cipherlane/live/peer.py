# SPDX-License-Identifier: BSD-2-Clause
"""A second board decrypts the pictures that the first board has encrypted. A separate thread controls the second board.

The second board decrypts every picture, and the first board waits for it. Pictures cannot be skipped, because a board
accepts only records near the last one (within its window).
"""

import contextlib
import io
import threading
from collections.abc import Callable, Iterator

from cipherlane_base.wire.layout import Engine

from ..errors import CipherlaneError
from ..link.device import Device
from ..link.session import Session
from .frames import Sample

Show = Callable[[Sample, bytes, str], None]

_PATIENCE = 60.0  # longest time in seconds to wait for the second board, for example to decrypt a picture


class Stretch:
    """Decrypts the pictures of one session in order. If decrypting fails, `error` holds the exception."""

    def __init__(self, session: Session, show: Callable[[Sample, bytes], None]):
        """Decrypt in `session`, and call `show` with each encrypted sample and its decrypted picture."""
        self.error: CipherlaneError | None = None
        self._session, self._show = session, show
        self._next: Sample | None = None
        self._ended = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def offer(self, sample: Sample) -> bool:
        """Pass `sample` to the decrypting thread once it is free. Return False if decrypting failed or takes long."""
        with self._changed:
            self._changed.wait_for(lambda: self._next is None or self.error, _PATIENCE)
            if self.error or self._next:
                return False
            self._next = sample
            self._changed.notify_all()
            return True

    def end(self) -> None:
        """Wait until the last picture is decrypted."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        self._thread.join(_PATIENCE)

    def _run(self) -> None:
        try:
            while sample := self._take():
                plain, data = io.BytesIO(), sample.ciphertext
                self._session.transfer(io.BytesIO(data), plain, offset=sample.offset, length=len(data))
                self._show(sample, plain.getvalue())
        except CipherlaneError as error:
            with self._changed:
                self.error = error
                self._changed.notify_all()

    def _take(self) -> Sample | None:
        with self._changed:
            self._changed.wait_for(lambda: self._next or self._ended)
            sample, self._next = self._next, None
            self._changed.notify_all()
            return sample


class Peer:
    """Manages the connection to the second board. If this board does not decrypt, `trouble` gives the reason."""

    def __init__(self, open_device: Callable[[], Device]):
        """Start a search for the second board. After a lost connection, `decrypting` starts another search."""
        self._open = open_device
        self._device: Device | None = None
        self.trouble = "it is being searched for"
        self._seeker = threading.Thread()
        self._seek()

    @contextlib.contextmanager
    def decrypting(
        self, engine: Engine, key: bytes, iv: bytes, record_bytes: int, show: Show
    ) -> Iterator[Stretch | None]:
        """Yield an object that decrypts the pictures of one session; None if the second board is unavailable."""
        device = self._device
        if device is None:
            self._seek()
            yield None
            return
        stretch = None
        try:
            info = device.info()
            if engine not in info.engines:
                present = [each for each in info.memory_engines if each.traits.cipher == "aes"]
                engine = min(present, key=lambda each: each.traits.rank)
            by = f"a second board, {info.board} ({info.kind}), with {engine.name.lower()}"
            session = device.open_session(key, iv, engine, "decrypt", record_bytes=record_bytes)
            stretch = Stretch(session, lambda sample, decrypted: show(sample, decrypted, by))
            self.trouble = ""
        except CipherlaneError as error:
            self._lose(error)
        try:
            yield stretch
        finally:
            if stretch:
                stretch.end()
                try:
                    if stretch.error:
                        raise stretch.error
                    session.close()
                except CipherlaneError as error:
                    self._lose(error)

    def _seek(self) -> None:
        if not self._seeker.is_alive():
            self._seeker = threading.Thread(target=self._connect, daemon=True)
            self._seeker.start()

    def _connect(self) -> None:
        try:
            device = self._open()
            try:
                device.info()
            except BaseException:
                device.close()
                raise
            self._device = device
        except CipherlaneError as error:
            self.trouble = str(error)

    def _lose(self, error: CipherlaneError) -> None:
        self.trouble = str(error)
        device, self._device = self._device, None
        if device:
            device.close()

    def close(self) -> None:
        """Wait for the end of any running search for the second board. Then close the board if it is connected."""
        self._seeker.join(_PATIENCE)
        if self._device:
            self._device.close()
