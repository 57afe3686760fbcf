# SPDX-License-Identifier: BSD-2-Clause
"""Consistent Overhead Byte Stuffing (Cheshire and Baker, 1999): encodes data so that no zero byte remains in them.

The encoding adds one byte, and at most one more for every 254 bytes.
"""


def max_encoded_size(size: int) -> int:
    """Return the maximum number of bytes into which `size` bytes are encoded, without the delimiter."""
    return size + 1 + size // 254


def encode(data: bytes) -> bytes:
    """Return `data` encoded, without the zero byte that ends a frame."""
    out = bytearray()
    groups = data.split(b"\0")
    for index, group in enumerate(groups):
        while len(group) >= 254:
            out.append(255)
            out += group[:254]
            group = group[254:]
            if not group and index == len(groups) - 1:
                return bytes(out)  # omit the empty last group: the decoder adds no zero after a group of 254 bytes
        out.append(len(group) + 1)
        out += group
    return bytes(out)


def decode(data: bytes) -> bytes:
    """Decode `data`, which must contain no zero byte, and return the original bytes.

    Raises:
        ValueError: `data` contains a zero, or a group ends after the data.
    """
    if b"\0" in data:
        raise ValueError("zero byte inside a frame")
    out = bytearray()
    position = 0
    while position < len(data):
        code = data[position]
        group = data[position + 1 : position + code]
        if len(group) != code - 1:
            raise ValueError("frame ends inside a group")
        out += group
        position += code
        if code < 255 and position < len(data):
            out.append(0)
    return bytes(out)
