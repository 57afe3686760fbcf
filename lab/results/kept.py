# SPDX-License-Identifier: BSD-2-Clause
"""Read and write the figures (measured values) in `lab/results/data`. This folder contains copies of those figures in
`build/results` that pages show.

A file is JSON: `provenance` tells how the figures were measured (`cipherlane_base.figures` makes it), the rest is the
figures.
"""

import json
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "lab" / "results" / "data"
BUILD = ROOT / "build" / "results"

Content = dict


class ResultsError(Exception):
    """Figures or pages are missing or unusable. The message tells the user what to do."""


def load(patterns: Iterable[str], command: str) -> dict[str, Content]:
    """Return the contents of the files in `lab/results/data` whose names match `patterns`. The keys are the file names
    without `.json`.

    Raises
    ------
    ResultsError
        No file matches a pattern, or a file is not JSON.
    """
    found = {}
    for pattern in patterns:
        paths = sorted(DATA.glob(pattern))
        if not paths:
            raise ResultsError(f"no {pattern} in lab/results/data: run `{command}`, then `make readme`")
        found |= {path.stem: _read(path, command) for path in paths}
    return found


def measured(path: Path, command: str) -> Content:
    """Return the content of the results file `path`, which the command `command` wrote.

    Raises
    ------
    ResultsError
        The file is not JSON, does not tell how it was measured, or contains only a part of the figures.
    """
    content = _read(path, command)
    if not isinstance(content, dict) or "provenance" not in content:
        raise ResultsError(f"{path} does not say what it was measured with: run `{command}` again")
    if "interrupted" in content:
        raise ResultsError(f"{path} has not all figures, as the command was interrupted: run `{command}` again")
    return content


def select(rows: Iterable[dict], names: Iterable[str]) -> list[dict]:
    """Return copies of all rows; the copies contain only the fields in `names`."""
    return [{name: row[name] for name in names} for row in rows]


def text(content: Content) -> str:
    """Return the content as JSON text. Each row of a list has its own line."""
    parts = []
    for name, value in content.items():
        if isinstance(value, list) and value:
            rows = ",\n".join(f"  {json.dumps(row)}" for row in value)
            shown = f"[\n{rows}\n ]"
        else:
            shown = json.dumps(value, indent=1).replace("\n", "\n ")
        parts.append(f" {json.dumps(name)}: {shown}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _read(path: Path, command: str) -> Content:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ResultsError(f"{path} is not JSON ({error}): run `{command}` again") from error
