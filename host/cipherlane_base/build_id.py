# SPDX-License-Identifier: BSD-2-Clause
"""A build id: 16 bytes that identify a board's gateware and firmware. The build flow stores it in gateware and
firmware.

The text form is two hexadecimal digests with a hyphen between them: gateware, then firmware.
"""

import re

MARK = b"cipherlane build"  # a placeholder of 16 bytes in an image: the build flow replaces it with a build id
_PART = len(MARK) // 2
_TEXT = re.compile(rf"[0-9a-f]{{{2 * _PART}}}-[0-9a-f]{{{2 * _PART}}}")


def text(field: bytes) -> str:
    """Return the build id in `field` as text. Return an empty text for the placeholder and for zeros."""
    return "" if field in (MARK, bytes(len(MARK))) else f"{field[:_PART].hex()}-{field[_PART:].hex()}"


def short(shown: str) -> str:
    """Return a short form of the build id `shown` for tables: the first 8 digits of the gateware's digest, a hyphen,
    and the first 8 digits of the firmware's digest. Return only a hyphen if `shown` is empty.
    """
    return "-".join(part[:8] for part in shown.split("-")) or "-"


def is_text(shown: str) -> bool:
    """Return whether `shown` is the text form of a build id."""
    return bool(_TEXT.fullmatch(shown))
