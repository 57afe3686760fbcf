# SPDX-License-Identifier: BSD-2-Clause
"""Picture sources of the live view. A source is a film: pictures with one byte per pixel, row by row from the top left.

A pixel has three bits of red, three of green and two of blue. The upper half of the byte holds the most significant
bits (red, green, green, blue), the lower half the others (red, red, green, blue). So the upper half by itself is one
of 16 colours.
"""

import functools
import math
from typing import TYPE_CHECKING, Protocol

from ..errors import FileError

if TYPE_CHECKING:
    from PIL import Image, ImageDraw


class Film(Protocol):
    """A sequence of pictures of one size, which repeats without end."""

    def __len__(self) -> int:
        """Return the number of pictures. It is 1 for a video or a camera, because only the newest picture is kept."""

    def __getitem__(self, number: int, /) -> bytes:
        """Return the picture at position `number` in the film, one byte per pixel."""


PER_SECOND = 12  # pictures that a film shows in a second
MOST_TEXT = 200  # characters
_STEPS = 96  # number of different pictures in the built-in film, which repeats
BITS = (8, 4)  # possible numbers of bits in a pixel
_HIGH, _LOW = bytes(value & 0xF0 for value in range(256)), bytes(value >> 4 for value in range(256))
_MARGIN = 4  # pixels around a text


def code(red: int, green: int, blue: int) -> int:
    """Return the pixel code of the colour nearest to `red`, `green` and `blue`, 8 bits each."""
    r, g, b = round(red * 7 / 255), round(green * 7 / 255), round(blue * 3 / 255)
    return (r & 4) << 5 | (g & 6) << 4 | (b & 2) << 3 | (r & 3) << 2 | (g & 1) << 1 | b & 1


def colour(pixel: int) -> tuple[int, int, int]:
    """Return the red, green and blue of a pixel, 8 bits each."""
    r = pixel >> 5 & 4 | pixel >> 2 & 3
    g = pixel >> 4 & 6 | pixel >> 1 & 1
    b = pixel >> 3 & 2 | pixel & 1
    return round(r * 255 / 7), round(g * 255 / 7), round(b * 255 / 3)


@functools.cache
def _palette() -> "Image.Image":
    from PIL import Image

    palette = Image.new("P", (1, 1))
    palette.putpalette([part for pixel in range(256) for part in colour(pixel)])
    return palette


def coded(picture: "Image.Image") -> bytes:
    """Convert an RGB picture to a film's colours; spread the rounding error of each colour over neighbouring pixels."""
    return picture.quantize(palette=_palette()).tobytes()


# Colours of the built-in film. It has large areas of one colour, so many of its blocks are equal. ECB encrypts equal
# blocks to equal blocks, so shapes stay visible in the encrypted picture.
_SKY = [
    code(*each) for each in ((73, 0, 170), (146, 0, 170), (219, 36, 170), (255, 73, 85), (255, 146, 85), (255, 182, 0))
]
_SEA = [code(*each) for each in ((0, 109, 255), (0, 146, 170), (0, 73, 170), (36, 36, 170))]
_SUN, _GLOW = code(255, 255, 85), code(255, 219, 0)
_FAR, _NEAR = code(109, 36, 170), code(36, 0, 85)
_HULL, _SAIL, _JIB = code(146, 0, 0), code(255, 255, 255), code(0, 182, 85)
_HORIZON = 0.62  # position of the horizon, as a fraction of the picture's height from the top


@functools.cache
def pattern(edge: int) -> Film:
    """Return the built-in film of `edge` x `edge` pixels: a boat sails past the setting sun."""
    return [_scene(edge, step / _STEPS) for step in range(_STEPS)]


def _scene(edge: int, time: float) -> bytes:
    """Return the picture of the built-in film at a `time` from 0 (start) to 1 (end)."""
    from PIL import Image, ImageDraw

    picture = Image.new("L", (edge, edge))
    draw = ImageDraw.Draw(picture)
    horizon = edge * _HORIZON
    for colours, top, bottom in ((_SKY, 0.0, horizon), (_SEA, horizon, float(edge))):
        for number, fill in enumerate(colours):
            low, high = (top + (bottom - top) * (number + at) / len(colours) for at in (0, 1))
            draw.rectangle((0, round(low), edge, round(high)), fill)
    turn = 2 * math.pi * time
    x, y, radius = edge * (0.5 + 0.22 * math.sin(turn)), edge * (0.34 + 0.1 * math.cos(turn)), edge * 0.19
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), _SUN)
    for fill, height, waves, speed in ((_FAR, 0.13, (2, 5), 1), (_NEAR, 0.07, (3, 7), 2)):
        ridge = [(at, horizon - edge * height * _ridge(at / edge, time * speed, waves)) for at in range(edge + 1)]
        draw.polygon([(0, horizon), *ridge, (edge, horizon)], fill)
    for row in range(round(horizon), edge, max(1, edge // 32)):  # the sun's reflection
        half = radius * (0.5 + 0.5 * math.sin(9 * row / edge * math.pi + 3 * turn))
        draw.line((x - half, row, x + half, row), _GLOW)
    _boat(draw, edge, edge * (1.6 * time - 0.3), edge * (0.86 + 0.02 * math.sin(4 * turn)))
    return picture.tobytes()


def _ridge(place: float, time: float, waves: tuple[int, int]) -> float:
    """Return the height, from 0 to 1, of the hills at the horizontal position `place` (0 to 1). While `time` runs from
    0 to 1, the hills move by whole periods, so that the film can repeat.
    """
    return sum(0.5 + 0.5 * math.sin(2 * math.pi * wave * (place + time) + wave) for wave in waves) / len(waves)


def _boat(draw: "ImageDraw.ImageDraw", edge: int, x: float, y: float) -> None:
    unit = edge / 32

    def shape(fill: int, *points: tuple[float, float]) -> None:
        draw.polygon([(x + across * unit, y + down * unit) for across, down in points], fill)

    shape(_HULL, (-8, 0), (8, 0), (6, 3), (-6, 3))
    shape(_SAIL, (-1, -1), (-1, -17), (-8, -1))
    shape(_JIB, (0, -1), (0, -15), (7, -1))


def text(words: str, edge: int) -> Film:
    """Return a film of one picture that shows the text in `words` as large as possible."""
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("L", (edge, edge), code(255, 255, 255))
    draw = ImageDraw.Draw(picture)
    draw.fontmode = "1"  # draw letters without anti-aliasing, in one colour
    room = edge - 2 * _MARGIN
    for size in range(edge // 2, 5, -1):
        font = ImageFont.load_default(size)
        lines = [""]
        for word in words.split():
            longer = f"{lines[-1]} {word}".strip()
            if draw.textlength(longer, font) <= room:
                lines[-1] = longer
            else:
                lines.append(word)
        shown = "\n".join(lines).strip()
        _, _, right, bottom = draw.multiline_textbbox((0, 0), shown, font)
        if right <= room and bottom <= room:
            break
    draw.multiline_text((_MARGIN, _MARGIN), shown, code(36, 0, 170), font)
    return [picture.tobytes()]


def image(path: str, edge: int) -> Film:
    """Return the pictures of an image file as a film, cut to squares. A still image gives a film of one picture.

    Raises:
        FileError: the file cannot be read.
    """
    from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

    try:
        with Image.open(path) as file:
            pages = (page.convert("RGB") for _, page in zip(range(_STEPS), ImageSequence.Iterator(file), strict=False))
            return [coded(ImageOps.fit(page, (edge, edge))) for page in pages]
    except UnidentifiedImageError:
        raise FileError(f"{path} is not an image that Pillow can read: give PNG, JPEG, GIF or WebP") from None
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(f"cannot read the image {path}: {reason}; give another") from None


class Packed:
    """A film reduced to 16 colours. Two pixels share a byte; the left pixel is in the upper four bits."""

    def __init__(self, film: Film):
        """Wrap `film`. Each picture is packed when it is requested."""
        self._film = film

    def __len__(self) -> int:
        """Return the number of pictures."""
        return len(self._film)

    def __getitem__(self, number: int, /) -> bytes:
        """Return the picture at position `number` in the film, two pixels per byte."""
        picture = self._film[number]
        left, right = picture[::2].translate(_HIGH), picture[1::2].translate(_LOW)
        return (int.from_bytes(left, "big") | int.from_bytes(right, "big")).to_bytes(len(left), "big")
