# SPDX-License-Identifier: BSD-2-Clause
"""Firmware images for the loader: a header followed by the firmware. wire.toml defines the header.

Only the build flow makes them; each image fits one gateware and one load address.
"""

import zlib

from .wire.layout import IMAGE, IMAGE_MAGIC

COVERED = IMAGE.size - 4  # number of header bytes that the CRC covers: all except the CRC itself


def pack(firmware: bytes, build: bytes, origin: int) -> bytes:
    """Return an image: a header that contains the build id, then `firmware`. The size of `firmware` must be a multiple
    of 4 bytes. The firmware must be linked for the address `origin`.
    """
    fields: dict[str, int | bytes] = {
        "magic": IMAGE_MAGIC,
        "length": len(firmware),
        "origin": origin,
        "build_id": build,
    }
    covered = IMAGE.pack(**fields, crc=0)[:COVERED]
    return IMAGE.pack(**fields, crc=zlib.crc32(firmware, zlib.crc32(covered))) + firmware
