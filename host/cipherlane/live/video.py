# SPDX-License-Identifier: BSD-2-Clause
"""Films that PyAV reads while they are shown: a video file, which repeats, or a camera. Needs the extra `video`."""

import sys
import threading
from collections.abc import Iterator
from typing import Any

from ..clock import REAL, Clock
from ..errors import ArgumentError, FileError
from . import pictures

CAMERA = {"linux": ("v4l2", "/dev/video0"), "darwin": ("avfoundation", "0"), "win32": ("dshow", "video=Camera")}
_IDLE = 2.0  # reading stops if nobody asks for a picture for this many seconds
_PATIENCE = 10.0  # time limit in seconds for opening a video, and for each read
_RETRY = 1.0  # seconds to wait after an error, before the video is opened again


class Player:
    """A film that consists of the newest picture of a video; a separate thread plays the video.

    Reading stops while nobody asks for pictures. If the video stands still, `trouble` gives the reason.
    """

    def __init__(self, name: str, edge: int, device: str | None = None, clock: Clock = REAL):
        """Play the file `name`. If `device`, an FFmpeg input format, is given, play the camera `name` instead. Pictures
        have `edge` x `edge` pixels.

        Raises:
            ArgumentError: PyAV is not installed.
            FileError: the file cannot be read, or contains no picture.
        """
        try:
            import av
        except ImportError:
            raise ArgumentError("no package av, which reads video: pip install 'cipherlane[video]'") from None
        self._av, self._name, self._edge, self._device = av, name, edge, device
        self.trouble = ""
        self._clock = clock
        self._asked = clock.now()
        self._changed = threading.Condition()
        self._ended = False
        frames = self._frames()
        self._newest = self._square(next(frames)[1])
        self._thread = threading.Thread(target=self._play, args=(frames,), daemon=True)
        self._thread.start()

    def __len__(self) -> int:
        """Return 1, because only the newest picture is kept."""
        return 1

    def __getitem__(self, number: int, /) -> bytes:
        """Return the newest picture."""
        with self._changed:
            self._asked = self._clock.now()
            self._changed.notify_all()
        return self._newest

    def close(self) -> None:
        """Stop playing, and wait up to 5 s until the playing thread has ended."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        self._thread.join(5.0)

    def _play(self, frames: Iterator[tuple[float, Any]]) -> None:
        while not self._ended:
            try:
                self._show(frames)
                self.trouble = ""
            except FileError as error:
                self.trouble = f"{error}; trying again"
                self._wait(_RETRY)
            frames = self._frames()

    def _show(self, frames: Iterator[tuple[float, Any]]) -> None:
        """Store each of `frames` in turn as the newest picture: a frame of a file when it is due, a frame of a camera
        at once.

        A late frame delays all later ones. Frames are late after a time without viewers, and when reading takes long.
        """
        start = self._clock.now()
        for due, frame in frames:
            early = 0.0 if self._device else start + due - self._clock.now()
            start -= min(0.0, early)
            self._wait(early)
            self._newest = self._square(frame)
            with self._changed:
                self._clock.wait(self._changed, lambda: self._ended or self._clock.now() - self._asked < _IDLE)
            if self._ended:
                return

    def _wait(self, seconds: float) -> None:
        with self._changed:
            self._clock.wait(self._changed, lambda: self._ended, max(0.0, seconds))

    def _frames(self) -> Iterator[tuple[float, Any]]:
        """Yield a pair (due time, frame) for each frame, in order. The due time is in seconds after the first frame."""
        first = None
        try:
            with self._open() as container:
                for frame in container.decode(video=0):
                    at = float(frame.time or 0.0)
                    first = at if first is None else first
                    yield at - first, frame
        except (self._av.error.FFmpegError, OSError, IndexError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it contains no picture"
            raise self._unreadable(reason) from error
        if first is None:
            raise self._unreadable("it contains no picture")

    def _open(self) -> Any:
        """Open the device or the file. A file must not refer to anything on a network."""
        if self._device:
            return self._av.open(self._name, format=self._device, timeout=_PATIENCE)
        return self._av.open(f"file:{self._name}", options={"protocol_whitelist": "file"}, timeout=_PATIENCE)

    def _unreadable(self, reason: str) -> FileError:
        what = "camera" if self._device else "video"
        return FileError(f"cannot read the {what} {self._name}: {reason}; give another")

    def _square(self, frame: Any) -> bytes:
        """Return the square in the middle of a frame, one byte per pixel."""
        edge, short = self._edge, min(frame.width, frame.height)
        width, height = (max(edge, round(size * edge / short)) for size in (frame.width, frame.height))
        whole = frame.reformat(width, height, "rgb24", dst_color_range="JPEG").to_image()
        left, top = (width - edge) // 2, (height - edge) // 2
        return pictures.coded(whole.crop((left, top, left + edge, top + edge)))


def camera(name: str, edge: int) -> Player:
    """Return the player of a camera; an empty `name` means the first camera of this system.

    Raises:
        ArgumentError: PyAV is not installed, or supports no cameras on this system.
        FileError: the camera cannot be opened.
    """
    if sys.platform not in CAMERA:
        raise ArgumentError(f"no way to a camera on {sys.platform} is known: give --video")
    device, first = CAMERA[sys.platform]
    return Player(name or first, edge, device)
