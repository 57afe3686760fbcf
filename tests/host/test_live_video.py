# SPDX-License-Identifier: BSD-2-Clause
"""Tests moving pictures that the live view reads with PyAV, from a camera or from a video that the test encodes."""

import itertools
import socket
import statistics
import sys
import threading

import pytest
from cipherlane.errors import ArgumentError, FileError
from cipherlane.live import pictures, video
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7
from PIL import Image

from tests.waiting import until

from .commands import command, one_line_error
from .links import SimulatedClock

av = pytest.importorskip("av", reason="no package av, of the extra video: .ci/setup installs it")
EDGE = 32
SHADES = (20, 120, 220)
PER_SECOND = 10


@pytest.fixture
def film(tmp_path):
    """Make a video of a square on a white background. The square has three shades, one after another, each for half a
    second.
    """
    path = tmp_path / "film.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=PER_SECOND)
        stream.width, stream.height, stream.pix_fmt = 192, 96, "yuv420p"
        stream.bit_rate = 4_000_000
        for shade in SHADES:
            picture = (b"\xff" * 48 + bytes((shade,)) * 96 + b"\xff" * 48) * 96
            for _ in range(PER_SECOND // 2):
                frame = av.VideoFrame.from_image(Image.frombytes("L", (192, 96), picture).convert("RGB"))
                container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def grey(picture):
    """Return the mean grey in the middle of a picture. A mean is needed, because dithering mixes the few colours."""
    middle = [picture[row * EDGE + column] for row in range(8, 24) for column in range(8, 24)]
    return statistics.mean(part for pixel in middle for part in pictures.colour(pixel))


class FilmTime(SimulatedClock):
    """A simulated clock. When the player of a video waits for its next frame, the clock advances to the end of the
    wait. `shown` lists the time and the mean grey value of each frame.
    """

    def __init__(self, monkeypatch):
        super().__init__()
        self.shown, self.idle = [], threading.Event()
        square = video.Player._square

        def noted(player, frame):
            picture = square(player, frame)
            self.shown.append((self.time, grey(picture)))
            return picture

        monkeypatch.setattr(video.Player, "_square", noted)

    def wait(self, changed, holds, timeout=None):
        if timeout is not None:
            self.sleep(timeout)
        elif not holds():
            self.idle.set()
            changed.wait_for(holds)

    def changes(self):
        """Return time and mean grey of each picture that differs from the picture before it."""
        shown = list(self.shown)
        return [one for before, one in itertools.pairwise([(0.0, 255), *shown]) if abs(one[1] - before[1]) > 20]


def test_a_video_is_shown_in_its_order_and_pace_again_and_again(film, monkeypatch):
    clock = FilmTime(monkeypatch)
    player = video.Player(str(film), EDGE, clock=clock)
    try:
        until(lambda: player[0] and len(clock.changes()) >= 7)
        picture = player[0]
        assert len(player) == 1 and len(picture) == EDGE * EDGE
    finally:
        player.close()
    found = clock.changes()[:7]
    shades = [min(SHADES, key=lambda each: abs(each - middle)) for _, middle in found]
    assert all(abs(middle - shade) < 12 for (_, middle), shade in zip(found, shades, strict=True))
    assert shades == [SHADES[at % 3] for at in range(7)]
    lasted = [after - before for (before, _), (after, _) in itertools.pairwise(found)]
    assert lasted == pytest.approx([0.5, 0.5, 0.4] * 2), "the last picture gives way at once to the first"
    assert not player._thread.is_alive()


def test_its_middle_is_cut_out(film):
    player = video.Player(str(film), EDGE)
    picture = player[0]
    player.close()
    assert max(max(pictures.colour(pixel)) for pixel in picture) < 128, "nothing of the white sides"


def test_nobody_looks_and_nothing_is_read(film, monkeypatch):
    clock = FilmTime(monkeypatch)
    player = video.Player(str(film), EDGE, clock=clock)
    try:
        until(lambda: clock.idle.is_set() or len(clock.shown) > 100)
        count = len(clock.shown)
        assert count == pytest.approx(video._IDLE * PER_SECOND, abs=3)
        assert player[0], "somebody looks"
        until(lambda: len(clock.shown) > count)
    finally:
        player.close()


def test_a_video_that_is_taken_away_is_said_and_seen_again_when_it_is_back(film, monkeypatch):
    monkeypatch.setattr(video, "_RETRY", 0.05)
    player = video.Player(str(film), EDGE)
    try:
        film.rename(film.with_suffix(".away"))
        until(lambda: player[0] and "No such file" in player.trouble and "trying again" in player.trouble)
        film.with_suffix(".away").rename(film)
        until(lambda: player[0] and not player.trouble)
    finally:
        player.close()


@pytest.mark.parametrize("content", [None, b"", b"no video", "half"])
def test_a_video_that_cannot_be(film, content):
    if content is None:
        film.unlink()
    else:
        film.write_bytes(film.read_bytes()[:1000] if content == "half" else content)
    with pytest.raises(FileError, match=r"cannot read the video .*; give another"):
        video.Player(str(film), EDGE)


def test_a_file_cannot_have_the_tool_ask_a_network(tmp_path):
    """A playlist file can name network addresses, but the tool must not connect to them."""
    path = tmp_path / "list.m3u8"
    with socket.create_server(("127.0.0.1", 0)) as server:
        where = f"http://127.0.0.1:{server.getsockname()[1]}/a.ts"
        path.write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{where}\n#EXT-X-ENDLIST\n")
        for name in (str(path), where):
            with pytest.raises(FileError, match="cannot read the video"):
                video.Player(name, EDGE)
        server.setblocking(False)
        with pytest.raises(BlockingIOError):  # nobody has connected to the server
            server.accept()


@pytest.mark.parametrize("name", ["http:film.mp4", "concat:film.mp4", "data:film.mp4", "pipe:0", "cache:film.mp4"])
def test_a_name_that_reads_as_an_address_is_a_file_s(film, tmp_path, monkeypatch, name):
    """A file name that looks like a URL is still a file name: FFmpeg opens it with the protocol `file`."""
    monkeypatch.chdir(tmp_path)
    film.rename(tmp_path / name)
    player = video.Player(name, EDGE)
    player.close()
    assert len(player[0]) == EDGE * EDGE


def test_a_file_has_nothing_but_files_asked(tmp_path):
    """A playlist is allowed to name only plain files, although FFmpeg by itself would allow other protocols, such as
    `crypto`.
    """
    part, coded, key, path = (tmp_path / name for name in ("part.ts", "coded.ts", "key.ts", "list.m3u8"))
    with av.open(str(part), "w") as container:
        stream = container.add_stream("mpeg2video", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 64, "yuv420p"
        for _ in range(25):
            container.mux(stream.encode(av.VideoFrame.from_image(Image.new("RGB", (64, 64), "white"))))
        container.mux(stream.encode())
    padding = PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(bytes(16)), modes.CBC(bytes(16))).encryptor()
    coded.write_bytes(encryptor.update(padding.update(part.read_bytes()) + padding.finalize()))
    key.write_bytes(bytes(16))
    for name, rule in (("part.ts", ""), ("coded.ts", f'#EXT-X-KEY:METHOD=AES-128,URI="key.ts",IV=0x{0:032x}\n')):
        path.write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n{rule}#EXTINF:1,\n{name}\n#EXT-X-ENDLIST\n")
        with av.open(str(path)) as container:
            assert next(container.decode(video=0)), "FFmpeg reads it"
        if rule:
            with pytest.raises(FileError, match="cannot read the video"):
                video.Player(str(path), EDGE)
        else:
            video.Player(str(path), EDGE).close()


def test_a_sound_alone_is_no_video(tmp_path):
    path = tmp_path / "sound.wav"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=8000, layout="mono")
        frame = av.AudioFrame(format="s16", layout="mono", samples=800)
        frame.planes[0].update(bytes(1600))
        frame.sample_rate = 8000
        container.mux(stream.encode(frame))
    with pytest.raises(FileError, match="it contains no picture"):
        video.Player(str(path), EDGE)


def test_a_camera_s_pictures_come_by_an_input_device(monkeypatch):
    """FFmpeg's source of test pictures replaces the camera. FFmpeg reads it as an input device, like a camera."""
    monkeypatch.setitem(video.CAMERA, sys.platform, ("lavfi", "testsrc=size=64x48:rate=50"))
    player = video.camera("", EDGE)
    before = player[0]
    until(lambda: player[0] != before)
    player.close()


def test_a_camera_that_is_not_there_is_said_in_one_line(null_board):
    status, _, stderr = command("live", "--port", null_board.url, "--camera", "/dev/video99")
    assert status != 0 and "cannot read the camera /dev/video99" in one_line_error(stderr)


def test_a_system_without_a_way_to_cameras(monkeypatch):
    monkeypatch.setattr(sys, "platform", "sunos5")
    with pytest.raises(ArgumentError, match="give --video"):
        video.camera("", EDGE)


def test_without_pyav_it_says_what_to_install(null_board, monkeypatch, film):
    monkeypatch.setitem(sys.modules, "av", None)
    for words in (("--video", str(film)), ("--camera",)):
        status, _, stderr = command("live", "--port", null_board.url, *words)
        assert status == 2 and "pip install 'cipherlane[video]'" in one_line_error(stderr)


def test_a_video_through_the_live_view(null_board, monkeypatch, film):
    """Pictures of a video reach the hub unchanged."""
    from cipherlane.live.hub import Channel

    from .test_live_streamer import watch

    player, shown = video.Player(str(film), EDGE), []

    def look(_, channel, said):
        if channel == Channel.PICTURE:
            shown.append(said)
        else:
            assert said["options"]["source"] == ["video", "pattern", "text"] and said["choice"]["source"] == "video"
        return len({plaintext for _, plaintext, *_ in shown}) > 1

    watch(null_board, look, monkeypatch, films={"video": player})
    player.close()
    for head, plaintext, wire, decrypted in shown:
        assert plaintext == decrypted != wire and head["equal"]
