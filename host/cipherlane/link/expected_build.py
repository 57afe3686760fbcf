# SPDX-License-Identifier: BSD-2-Clause
"""Compares the build id that a board reports with the one that the user expects."""

import json
from pathlib import Path

from cipherlane_base.build_id import is_text

from ..errors import ArgumentError, ReplyError


def expected(given: str) -> str:
    """Return `given` if it is a build id. Otherwise return the build id in the file that is called `given`.

    The build flow or a measurement wrote this file.

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
    """Check that `seen`, the build id that a board reported, equals `wanted`, the expected build id.

    Raises:
        ReplyError: the ids differ; the message names the part that differs.
    """
    if seen == wanted:
        return
    pairs = zip(("gateware", "firmware"), seen.split("-"), wanted.split("-"), strict=False)
    parts = " and ".join(name for name, mine, theirs in pairs if mine != theirs)
    raise ReplyError("info", f"build {seen}, of other {parts} than {wanted}" if seen else f"no build id, not {wanted}")
