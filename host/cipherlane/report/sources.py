# SPDX-License-Identifier: BSD-2-Clause
"""Finds and reads files of measurements."""

import json
import math
import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, FileError
from ..files import inputs
from ..files.inputs import trouble

MOST = 1 << 26  # maximum bytes of a file of measurements
_AGAIN = "run the command that wrote it again, or leave it out"


@dataclass(frozen=True)
class Source:
    """A file of measurements: its path as the user gave it, its `stat` result, its `provenance`, and all other content.

    Its title is its name without folder and ending, or its path if several files share that name.
    """

    name: str
    status: os.stat_result
    provenance: dict[str, Any]
    content: dict[str, Any]
    title: str


def read_all(names: Iterable[str]) -> tuple[list[Source], list[str]]:
    """Read the named files, and all JSON files in the named folders. Return the files' contents, and the names of
    duplicate files, which are left out.

    A file is a duplicate of another file of the same name if one run wrote both.

    Raises:
        ArgumentError: there are no files.
        FileError: a file cannot be read, or contains no figures.
    """
    sources: list[Source] = []
    repeated = []
    for source in map(read, _files(names)):
        if any((source.title, source.provenance) == (other.title, other.provenance) for other in sources):
            repeated.append(source.name)
        else:
            sources.append(source)
    if not sources:
        raise ArgumentError("there are no files of figures: `cipherlane bench --results FILE` makes one")
    count = Counter(source.title for source in sources)
    return [replace(each, title=each.name) if count[each.title] > 1 else each for each in sources], repeated


def _files(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        try:
            yield from sorted(map(str, Path(name).glob("*.json"))) if os.path.isdir(name) else (name,)
        except OSError as error:
            raise trouble("read", name, error) from error


def read(name: str) -> Source:
    """Read the file of measurements called `name`.

    Raises:
        FileError: it cannot be read, or contains no figures.
    """
    try:
        status = os.stat(name)
    except OSError as error:
        raise trouble("read", name, error) from error
    except ValueError as error:  # the file name contains a zero byte
        raise FileError(f"cannot read {name!r}: {error}") from None
    if not stat.S_ISREG(status.st_mode) or status.st_size > MOST:
        raise FileError(f"{name} is not a file of figures: {_AGAIN}")
    try:
        content = json.loads(inputs.whole(name, MOST).decode("utf-8"), parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, ValueError) else "it is nested too deeply"
        raise FileError(f"{name} is not JSON ({reason}): {_AGAIN}") from None
    provenance = content.pop("provenance", None) if isinstance(content, dict) else None
    if not isinstance(provenance, dict) or not all(
        isinstance(provenance.get(each), str) for each in ("date", "command")
    ):
        raise FileError(f"{name} does not state what it was measured with: {_AGAIN}")
    return Source(name, status, provenance, content, Path(name).stem)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:20]} is not a figure")
    return value
