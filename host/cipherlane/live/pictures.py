"""Sources of the live view: each is a film of grey pictures, a byte a pixel, row by row from the top left corner."""

import functools
import math
from typing import Protocol

from ..errors import FileError


class Film(Protocol):
    """Pictures of one size; the first follows the last."""

    def __len__(self) -> int:
        """Return how many there are: 1 if there is the newest alone."""

    def __getitem__(self, number: int, /) -> bytes:
        """Return a picture."""


PER_SECOND = 12  # pictures of a film
MOST_TEXT = 200  # characters
_STEPS = 96  # pictures of the pattern: then it begins again
_TILE = 16  # pixels
BITS = (8, 4)  # of a pixel
_HIGH, _LOW = bytes(value & 0xF0 for value in range(256)), bytes(value >> 4 for value in range(256))
_DARK, _LIGHT, _WHITE = bytes((40,)), bytes((120,)), bytes((235,))
_MARGIN = 4  # pixels around a text


@functools.cache
def pattern(edge: int) -> Film:
    """Return the built-in film of `edge` x `edge` pixels: a disc that wanders over tiles that pass."""
    pair = _DARK * _TILE + _LIGHT * _TILE
    tiles = [half * (edge // len(pair) + 2) for half in (pair, pair[_TILE:] + pair[:_TILE])]
    return [_scene(edge, tiles, step) for step in range(_STEPS)]


def _scene(edge: int, tiles: list[bytes], step: int) -> bytes:
    turn, radius = 2 * math.pi * step / _STEPS, edge // 5
    shift = step % (2 * _TILE)
    x = edge / 2 + (edge / 2 - radius) * math.sin(turn)
    y = edge / 2 + (edge / 2 - radius) * math.sin(2 * turn)
    rows = []
    for line in range(edge):
        row = tiles[line // _TILE % 2][shift : shift + edge]
        half = math.sqrt(max(0.0, radius**2 - (line - y) ** 2))
        left, right = max(0, round(x - half)), min(edge, round(x + half))
        rows.append(row[:left] + _WHITE * (right - left) + row[right:] if right > left else row)
    return b"".join(rows)


def text(words: str, edge: int) -> Film:
    """Return a film of one picture that shows `words`, as large as they fit."""
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("L", (edge, edge), _WHITE[0])
    draw = ImageDraw.Draw(picture)
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
    draw.multiline_text((_MARGIN, _MARGIN), shown, 20, font)
    return [picture.tobytes()]


def image(path: str, edge: int) -> Film:
    """Return the film of an image file, one picture of one that stands still, cut to a square.

    Raises:
        FileError: it cannot be read.
    """
    from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

    try:
        with Image.open(path) as file:
            pages = (page.convert("L") for _, page in zip(range(_STEPS), ImageSequence.Iterator(file), strict=False))
            return [ImageOps.fit(page, (edge, edge)).tobytes() for page in pages]
    except UnidentifiedImageError:
        raise FileError(f"{path} is no image that Pillow knows: give PNG, JPEG, GIF or WebP") from None
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(f"cannot read the image {path}: {reason}; give another") from None


class Packed:
    """A film with 16 shades: two pixels a byte, the left one in its upper half. It has half the bytes."""

    def __init__(self, film: Film):
        """Pack the pictures of `film` when they are asked for."""
        self._film = film

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._film)

    def __getitem__(self, number: int, /) -> bytes:
        """Return a picture."""
        picture = self._film[number]
        left, right = picture[::2].translate(_HIGH), picture[1::2].translate(_LOW)
        return (int.from_bytes(left, "big") | int.from_bytes(right, "big")).to_bytes(len(left), "big")
