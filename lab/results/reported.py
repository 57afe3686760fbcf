# SPDX-License-Identifier: BSD-2-Clause
"""Add a user's report to the table of figures from hardware: ``python -m lab.results.reported FILE`` (`make reported`).

`cipherlane bench --report` writes such files. A report is data of a stranger, so every field is checked before a copy
of the checked fields is stored in `lab/results/reported`. The file's name is the digest of its content.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from cipherlane.errors import FileError
from cipherlane.files import inputs
from cipherlane.measuring import reports
from cipherlane.measuring.reports import Report
from cipherlane_base import build_id
from cipherlane_base.figures import Measurement

from lab.results import kept
from lab.results.kept import Content, ResultsError
from lab.results.tables import Table, table

FOLDER = kept.ROOT / "lab" / "results" / "reported"
NONE = "**No report has arrived yet**, so no figure of this project comes from hardware."


def stored() -> list[Report]:
    """Return all reports in the repository, sorted by board and date.

    Raises
    ------
    ResultsError
        A stored file is not a whole report.
    """
    try:
        found = [reports.read(str(path), path.read_bytes()) for path in sorted(FOLDER.glob("*.json"))]
    except FileError as error:
        raise ResultsError(str(error)) from None
    return sorted(found, key=lambda report: (report.board, report.date, report.build_id))


def add(name: str) -> Path:
    """Check the report in the file `name` and store it; return the path of the stored file.

    Raises
    ------
    FileError
        The file cannot be read, or is not a whole report.
    ResultsError
        The report is not about hardware, or is stored already.
    """
    content = inputs.whole(name, reports.MOST_BYTES)
    report = reports.read(name, content)
    if report.kind != "board":
        raise ResultsError(f"{name} is of kind {report.kind}: only a report about hardware enters the table")
    text = json.dumps(json.loads(content), indent=1, sort_keys=True) + "\n"
    path = FOLDER / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
    if path.exists():
        raise ResultsError(f"{name} is stored already, as {path.relative_to(kept.ROOT)}: nothing to do")
    FOLDER.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def render(loaded: dict[str, Content]) -> list[str]:
    """Return a table with a row for each measurement in the stored reports. If the same case was also measured on the
    simulated board, the row compares the two results.
    """
    found = stored()
    if not found:
        return [NONE]
    simulated = {
        (each["engine"], each["mode"], each["key_bits"], each["bytes"]): each["cycles_per_block"]
        for each in loaded["bench"]["records"]
    }
    rows = [row for report in found for row in _rows(report, simulated)]
    headings = ("board", "build", "firmware", "date", "MHz", "engine", "mode", "key bits", "direction", "bytes")
    return table([*headings, "cycles a block", "as simulated", "Mbps", "speed"], rows)


def _rows(report: Report, simulated: dict[tuple, float]) -> Iterator[list]:
    start = [report.board, f"`{build_id.short(report.build_id)}`", report.firmware, report.date]
    start.append(f"{report.clock_hz / 1e6:g}")
    for each in report.measured:
        if isinstance(each, Measurement):
            cycles = each.cycles_per_block
            expected = simulated.get((each.engine, each.mode, each.key_bits, each.bytes))
            ratio = f"{cycles / expected:.3f}" if expected and each.direction == "encrypt" else "-"
            case = [each.engine, each.mode, each.key_bits, each.direction, each.bytes]
            yield [*start, *case, f"{cycles:.1f}", ratio, f"{each.mbps:.3g} (board)", "engine"]
        else:
            case = [each.engine, "ctr", each.key_bits, "encrypt", each.bytes]
            yield [*start, *case, "-", "-", f"{each.goodput_mbps:.3g} (board)", f"link, {report.link}"]


TABLE = Table(
    name="reported",
    page="lab/results/REPORTED.md",
    sources=("bench.json",),
    command="cipherlane bench --report FILE",
    render=render,
)


def main(words: list[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m lab.results.reported", description=__doc__.splitlines()[0])
    parser.add_argument("file", metavar="FILE", help="a report that `cipherlane bench --report` wrote")
    arguments = parser.parse_args(words)
    try:
        path = add(arguments.file)
    except (FileError, ResultsError) as error:
        print(f"reported: error: {error}", file=sys.stderr)
        return 1
    print(f"stored: {path.relative_to(kept.ROOT)}; `make pages` shows it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
