"""Build ids: 16 bytes that identify a board's gateware and firmware. The build flow puts them into both.

The text form is two hexadecimal digests with a hyphen between them: gateware, then firmware.
"""

import json
import re
from pathlib import Path

from .errors import ArgumentError, ReplyError

MARK = b"cipherlane build"  # placeholder until the build flow writes an id
_PART = len(MARK) // 2
_TEXT = re.compile(rf"[0-9a-f]{{{2 * _PART}}}-[0-9a-f]{{{2 * _PART}}}")


def text(field: bytes) -> str:
    """Return the text form of a build id, or an empty text if `field` holds the placeholder."""
    return "" if field in (MARK, bytes(len(MARK))) else f"{field[:_PART].hex()}-{field[_PART:].hex()}"


def short(shown: str) -> str:
    """Return the beginnings of both digests, for tables; a hyphen if `shown` is no build id."""
    return "-".join(part[:8] for part in shown.split("-")) or "-"


def is_text(shown: str) -> bool:
    """Return whether `shown` is a build id in its text form."""
    return bool(_TEXT.fullmatch(shown))


def expected(given: str) -> str:
    """Return a build id: `given` itself, or the id in the file `given`, which the build flow or a measurement wrote.

    Raises:
        ArgumentError: `given` is neither an id nor such a file.
    """
    if is_text(given):
        return given
    try:
        found = Path(given).read_text(encoding="utf-8").strip()
        if found.startswith("{"):
            found = str(json.loads(found).get("build_id"))
    except (OSError, ValueError, RecursionError):
        found = ""
    if not is_text(found):
        raise ArgumentError(
            f"no build id in {given!r}: give an id as `cipherlane info` prints it, or a file of the build, such "
            "as ecpix5.build_id or bitstream-ecpix5.json"
        )
    return found


def require(seen: str, wanted: str) -> None:
    """Check that a board has the build id that is expected.

    Raises:
        ReplyError: the ids differ; the message names the part that differs.
    """
    if seen == wanted:
        return
    pairs = zip(("gateware", "firmware"), seen.split("-"), wanted.split("-"), strict=False)
    parts = " and ".join(name for name, mine, theirs in pairs if mine != theirs)
    raise ReplyError("info", f"build {seen}, of other {parts} than {wanted}" if seen else f"no build id, not {wanted}")
