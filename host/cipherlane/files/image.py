# SPDX-License-Identifier: BSD-2-Clause
"""Reads and checks firmware images: files that `cipherlane load` sends to a board's loader."""

import zlib
from pathlib import Path
from typing import NamedTuple

from cipherlane_base.build_id import text
from cipherlane_base.image import COVERED
from cipherlane_base.wire.layout import IMAGE, IMAGE_MAGIC

from ..errors import FileError

MOST = 1 << 20  # maximum number of bytes to read from a file; the code memory of every board is smaller
_HOW = "`make firmware BOARD=... CONFIG=loader` writes one next to the bitstream: <board>_loader.firmware"


class Image(NamedTuple):
    """A checked image: its header, its firmware, and the header fields to compare with the board's values."""

    header: bytes
    firmware: bytes
    origin: int
    build_id: str


def read(path: str) -> Image:
    """Read the image file `path`, check it, and return the image.

    Raises:
        FileError: the file cannot be read or is not an image; the message gives the reason.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(MOST + 1)
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}; {_HOW}") from error
    if len(data) < IMAGE.size or IMAGE.unpack(data).magic != IMAGE_MAGIC:
        raise FileError(f"{path} is not a firmware image for a loader: {_HOW}")
    fields = IMAGE.unpack(data)
    firmware = data[IMAGE.size :]
    if not firmware or len(firmware) != fields.length or len(firmware) % 4:
        size = f"more than {MOST}" if len(data) > MOST else f"{len(firmware)}"
        raise FileError(f"{path} has {size} bytes of firmware, but its header declares {fields.length}: copy it again")
    if zlib.crc32(firmware, zlib.crc32(data[:COVERED])) != fields.crc:
        raise FileError(f"{path} is damaged: its CRC-32 differs from the one in its header; copy it again")
    return Image(data[: IMAGE.size], firmware, fields.origin, text(fields.build_id))
