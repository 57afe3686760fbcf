# SPDX-License-Identifier: BSD-2-Clause
"""Tests the live view without a browser: its pictures, and how it divides the stream into pictures."""

import colorsys
import math
import random
import statistics

import pytest
from cipherlane.clock import Clock
from cipherlane.errors import FileError
from cipherlane.live import pictures
from cipherlane.live.frames import Frames
from cipherlane.live.randomness import SUSPICIOUS, evenness, tail
from PIL import Image

EDGE = 32


# Tests of the statistics that show how evenly byte values occur


@pytest.mark.parametrize(
    ("chi_square", "probability"), [(219.0254, 0.95), (254.3339, 0.5), (293.2478, 0.05), (310.4574, 0.01)]
)
def test_chi_square_of_255_degrees_has_the_published_quantiles(chi_square, probability):
    assert tail(chi_square) == pytest.approx(probability, abs=2e-4)


def test_evenness():
    even = evenness(bytes(range(256)) * 5)
    assert even.entropy == pytest.approx(8) and even.chi_square == 0 and even.probability > 0.999
    one = evenness(b"a" * 512)
    assert one.entropy == 0 and one.chi_square == pytest.approx(512 * 255) and one.probability < SUSPICIOUS
    assert evenness(b"aabb" * 9).entropy == pytest.approx(1)
    rng = random.Random(1)
    found = [evenness(rng.randbytes(9216)) for _ in range(200)]
    assert min(each.probability for each in found) > SUSPICIOUS
    assert 0.4 < statistics.mean(each.probability for each in found) < 0.6, "as even as random bytes, and no more"
    assert statistics.mean(each.entropy for each in found) == pytest.approx(
        8 - 255 / (2 * 9216 * math.log(2)), abs=1e-3
    )
    with pytest.raises(ValueError, match="no bytes"):
        evenness(b"")


# Pictures


@pytest.mark.parametrize("edge", [32, 96])
def test_the_pattern_moves_and_begins_again_without_a_jump(edge):
    film = pictures.pattern(edge)
    assert {len(picture) for picture in film} == {edge * edge} and len(set(film)) == len(film)
    changed = [sum(a != b for a, b in zip(film[at - 1], film[at], strict=True)) for at in range(len(film))]
    assert min(changed) > 0 and changed[0] < 2 * statistics.median(changed), "the last is followed by the first"


@pytest.mark.parametrize("edge", [32, 96])
def test_a_text_is_drawn_within_the_picture(edge):
    (one,), (other,) = pictures.text("Hello", edge), pictures.text("Hello " * 30, edge)
    assert len(one) == len(other) == edge * edge and one != other
    paper = max(one)
    assert min(one) < 100 and all(one[at] == paper for at in range(edge)), "dark letters, and a margin"


def test_a_pixel_has_its_colour_and_its_upper_half_is_the_nearest_of_16():
    """Checks colours against an independent decoding: a pixel has three bits of red, three of green and two of blue."""
    for pixel in range(256):
        bit = [pixel >> at & 1 for at in range(8)]
        parts = bit[7] * 4 + bit[3] * 2 + bit[2], bit[6] * 4 + bit[5] * 2 + bit[1], bit[4] * 2 + bit[0]
        expected = tuple(round(part * 255 / most) for part, most in zip(parts, (7, 7, 3), strict=True))
        assert pictures.colour(pixel) == expected and pictures.code(*expected) == pixel
    assert pictures.code(0, 0, 0) == 0 and pictures.code(255, 255, 255) == 255


def test_colours_of_an_image_are_kept_in_the_mean():
    shade = (100, 150, 60)
    found = [pictures.colour(pixel) for pixel in pictures.coded(Image.new("RGB", (64, 64), shade))]
    assert [statistics.mean(part) for part in zip(*found, strict=True)] == pytest.approx(shade, abs=6)


def test_the_pattern_is_colourful_and_flat_so_that_ecb_leaks():
    picture = pictures.pattern(96)[40]
    hues = {round(colorsys.rgb_to_hsv(*pictures.colour(pixel))[0] * 6) for pixel in picture}
    assert len(hues) >= 5, "of six"
    blocks = [picture[at : at + 16] for at in range(0, len(picture), 16)]
    assert len(set(blocks)) < len(blocks) / 2


def test_images_and_their_motion(tmp_path):
    red, green = (255, 0, 0), (0, 255, 0)
    pages = [Image.new("RGB", (80, 40), shade) for shade in (red, green)]
    pages[0].save(tmp_path / "still.png")
    pages[0].save(tmp_path / "moving.gif", save_all=True, append_images=pages[1:], duration=100)
    assert pictures.image(str(tmp_path / "still.png"), EDGE) == [bytes((pictures.code(*red),)) * EDGE**2]
    found = [set(page) for page in pictures.image(str(tmp_path / "moving.gif"), EDGE)]
    assert found == [{pictures.code(*red)}, {pictures.code(*green)}]


@pytest.mark.parametrize(
    ("content", "expected"), [(None, "cannot read the image"), (b"no image", "not an image that Pillow can read")]
)
def test_an_image_that_cannot_be(tmp_path, content, expected):
    if content:
        (tmp_path / "image").write_bytes(content)
    with pytest.raises(FileError, match=expected):
        pictures.image(str(tmp_path / "image"), EDGE)


def test_half_an_image(tmp_path):
    noise = Image.frombytes("L", (64, 64), random.Random(1).randbytes(64 * 64))
    noise.save(tmp_path / "whole.png")
    (tmp_path / "half.png").write_bytes((tmp_path / "whole.png").read_bytes()[:2000])
    with pytest.raises(FileError, match="cannot read the image"):
        pictures.image(str(tmp_path / "half.png"), EDGE)


# The stream as pictures


class Watch(Clock):
    """A clock that stands still until the test advances it."""

    def __init__(self):
        self.time = 100.0

    def now(self):
        return self.time


@pytest.mark.parametrize("seed", range(20))
def test_every_picture_comes_whole_with_its_own_plaintext(seed):
    """The tool reads and writes a stream of pictures in pieces of any size. A write can come late. Even then, each
    encrypted picture must be paired with its own plaintext.
    """
    rng, clock, samples = random.Random(seed), Watch(), []
    film = [bytes((number,)) * 48 for number in range(7)]
    frames = Frames(film, clock, 20.0, lambda: False, lambda: rng.random() < 0.5, samples.append)
    flipped, read, written = bytes(255 - value for value in range(256)), b"", 0
    while data := frames.read(rng.randrange(1, 130)):
        assert len(data) <= 130
        read += data
        clock.time += rng.random() * 0.1
        if rng.random() < 0.7:
            end = rng.randrange(written, len(read) + 1)
            frames.write(read[written:end].translate(flipped))
            written = end
    frames.write(read[written:].translate(flipped))
    assert len(read) % 48 == 0 and 19 < clock.time - 100 < 22, "whole pictures, for as long as was asked"
    assert frames.pictures == len(read) // 48 and len(samples) > 20
    assert [sample.offset for sample in samples] == sorted({sample.offset for sample in samples})
    for sample in samples:
        assert sample.plaintext == read[sample.offset : sample.offset + 48] in film
        assert sample.ciphertext == sample.plaintext.translate(flipped)
    assert {picture[0] for picture in film} == set(read), "all of the film"


def test_a_stretch_that_is_stopped_ends_at_once_and_one_nobody_wants_gives_nothing():
    stopped, samples = [], []
    frames = Frames([bytes(64)], Watch(), 20.0, lambda: bool(stopped), lambda: False, samples.append)
    frames.write(frames.read(200))
    assert frames.read(10) == bytes(10)
    stopped.append(True)
    assert frames.read(10) == b"" and not samples
