"""Build ids: 16 bytes that identify a board's gateware and firmware; the build flow puts them into both.

The text form is two hexadecimal digests with a hyphen between them: gateware, then firmware.
"""

import json
import re
from pathlib import Path

from .errors import ArgumentError, ReplyError

MARK = b"cipherlane build"  # placeholder where no build flow has written an id
_PART = len(MARK) // 2
_TEXT = re.compile(rf"[0-9a-f]{{{2 * _PART}}}-[0-9a-f]{{{2 * _PART}}}")


def text(field: bytes) -> str:
    """Return a build id in its text form; empty if the field holds the placeholder."""
    return "" if field in (MARK, bytes(len(MARK))) else f"{field[:_PART].hex()}-{field[_PART:].hex()}"


def short(shown: str) -> str:
    """Return the beginning of both digests, for tables; a hyphen if there is no id."""
    return "-".join(part[:8] for part in shown.split("-")) or "-"


def is_text(shown: str) -> bool:
    """Return whether `shown` is a build id in its text form."""
    return bool(_TEXT.fullmatch(shown))


def expected(given: str) -> str:
    """Return the build id that `given` spells, or that the file `given` contains: a file of a build or of its results.

    Raises:
        ArgumentError: `given` is neither.
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
