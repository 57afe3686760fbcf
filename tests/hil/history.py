# SPDX-License-Identifier: BSD-2-Clause
"""The history of test runs on boards: a file of JSON lines, one per run. Runs that can be compared form a series.

A run has `target`, `serial`, `kind`, `commit`, `date`, `figures` (Mbps by name) and `regressed` (names of refused
figures). A line with `accepted` and `target` states that the new level of a figure is intended. A run is only compared
with runs of the same target, serial number and kind.
"""

import json
import os
from pathlib import Path

SERIES = ("target", "serial", "kind")


class HistoryError(Exception):
    """Raised if the history of runs cannot be used. The message tells what to do."""


def read(path: Path) -> list[dict]:
    """Return the lines of a history, oldest first. Returns no lines if there is no file.

    Raises
    ------
    HistoryError
        A line is not a JSON object.
    """
    if not path.exists():
        return []
    lines = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            lines.append(dict(json.loads(line)))
        except (ValueError, TypeError) as error:
            raise HistoryError(f"{path}, line {number} is no run ({error}): repair or delete that line") from error
    return lines


def append(path: Path, line: dict) -> None:
    """Add a line to the history in a single write, so that other processes see the whole line or nothing. If the file
    does not end with a line break, begin with a line break.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        size = os.fstat(descriptor).st_size
        begin = "\n" if size and os.pread(descriptor, 1, size - 1) != b"\n" else ""
        os.write(descriptor, f"{begin}{json.dumps(line, sort_keys=True)}\n".encode())
    finally:
        os.close(descriptor)


def series(lines: list[dict]) -> dict[tuple, list[dict]]:
    """Group the runs into series. The runs of a series have the same target, serial number and kind. A series also
    contains the lines which state that a user accepted a new speed level of this target.
    """
    found = {tuple(line.get(name) for name in SERIES): [] for line in lines if "figures" in line}
    for line in lines:
        for key, runs in found.items():
            mine = tuple(line.get(name) for name in SERIES) == key
            if mine if "figures" in line else line.get("target") == key[0]:
                runs.append(line)
    return found
