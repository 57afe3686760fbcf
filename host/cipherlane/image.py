"""Firmware images that a loader starts: a header followed by the firmware, as wire.toml defines them.

Only the build flow makes them; each image fits one gateware and one load address.
"""

import zlib
from pathlib import Path
from typing import NamedTuple

from . import build_id
from .errors import FileError
from .protocol.layout import IMAGE, IMAGE_MAGIC

MOST = 1 << 20  # maximum bytes read from a file: larger than any board's code memory
_COVERED = IMAGE.size - 4  # bytes of the header that its CRC covers: all but the CRC itself
_HOW = "`make firmware BOARD=... CONFIG=loader` writes one next to the bitstream: <board>_loader.firmware"


class Image(NamedTuple):
    """A checked image: the header's bytes, the firmware, and the header fields that are compared with the board."""

    header: bytes
    firmware: bytes
    origin: int
    build_id: str


def pack(firmware: bytes, build: bytes, origin: int) -> bytes:
    """Return the image of `firmware`, a multiple of 4 bytes linked for the address `origin`, with its build id."""
    fields: dict[str, int | bytes] = {
        "magic": IMAGE_MAGIC,
        "length": len(firmware),
        "origin": origin,
        "build_id": build,
    }
    covered = IMAGE.pack(**fields, crc=0)[:_COVERED]
    return IMAGE.pack(**fields, crc=zlib.crc32(firmware, zlib.crc32(covered))) + firmware


def read(path: str) -> Image:
    """Return the image in the file `path`.

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
    if zlib.crc32(firmware, zlib.crc32(data[:_COVERED])) != fields.crc:
        raise FileError(f"{path} is damaged: its CRC-32 differs from the one in its header; copy it again")
    return Image(data[: IMAGE.size], firmware, fields.origin, build_id.text(fields.build_id))
