"""Build ids: which gateware and which firmware a board has, 16 bytes that its build flow puts into both.

As text they are two digests in hexadecimal with a hyphen between, of gateware and of firmware.
"""

import json
import re
from pathlib import Path

from .errors import ArgumentError, ReplyError

MARK = b"cipherlane build"  # in place of one, where no build flow has put it
_PART = len(MARK) // 2
_TEXT = re.compile(rf"[0-9a-f]{{{2 * _PART}}}-[0-9a-f]{{{2 * _PART}}}")


def text(field: bytes) -> str:
    """Return a build id as it is shown, empty for what stands for none."""
    return "" if field in (MARK, bytes(len(MARK))) else f"{field[:_PART].hex()}-{field[_PART:].hex()}"


def short(shown: str) -> str:
    """Return the begin of both digests, for tables; a hyphen for no id."""
    return "-".join(part[:8] for part in shown.split("-")) or "-"


def is_text(shown: str) -> bool:
    """Whether `shown` is a build id as it is shown."""
    return bool(_TEXT.fullmatch(shown))


def expected(given: str) -> str:
    """Return the build id that `given` is, or that the file of that name has: of a build, or of its results.

    Raises:
        ArgumentError: there is none.
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
            f"no build id in {given!r}: give one as `cipherlane info` shows it, or the file that its build left, "
            "ecpix5.build_id or bitstream-ecpix5.json, say"
        )
    return found


def require(seen: str, wanted: str) -> None:
    """See that a board's build id is the one that is wanted.

    Raises:
        ReplyError: it is another one; the message says which part.
    """
    if seen == wanted:
        return
    pairs = zip(("gateware", "firmware"), seen.split("-"), wanted.split("-"), strict=False)
    parts = " and ".join(name for name, mine, theirs in pairs if mine != theirs)
    raise ReplyError("info", f"build {seen}, of other {parts} than {wanted}" if seen else f"no build id, not {wanted}")
