# SPDX-License-Identifier: BSD-2-Clause
"""Show the values in papers next to our values. Each table or figure of a paper becomes a table on the page. If we do
not compare a table or figure, the page gives the reason instead.
"""

from itertools import groupby

from lab.results import papers
from lab.results.kept import Content
from lab.results.tables import Table, picture, table

SHOWN = {True: "yes", False: "no", None: "-"}


def _cell(value) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return SHOWN[value] if value is None or isinstance(value, bool) else str(value).replace("|", "\\|")


def _entry(of_entry: list[dict]) -> list[str]:
    """Return the Markdown for one table or figure of a paper, with only those values that we compare with ours."""
    first = of_entry[0]
    beside = [r for r in of_entry if r["reason"] is None]
    notes = dict.fromkeys(r["conditions"]["ours"] for r in beside if r["conditions"]["ours"])
    several = len(notes) > 1
    columns = ["value", "theirs", "ours", "ours / theirs", *(["how ours was measured"] if several else [])]
    rows = [
        [
            r["value"] or r["item"],
            _cell(r["theirs"]),
            f"{_cell(r['ours'])} ({r['kind']})",
            _cell(r["ratio"]),
            *([r["conditions"]["ours"]] if several else []),
        ]
        for r in beside
    ]
    caption = (
        f"**{first['item']}** ({first['theirs_kind']}; {first['units']}). Theirs: {first['conditions']['theirs']}."
    )
    if not several:
        caption += "".join(f" Ours: {note}." for note in notes)
    return [caption, "", *table(columns, rows), ""]


def _render(paper: str, data: dict[str, Content]) -> list[str]:
    lines, left = [*picture("Values of the paper and ours", f"../{paper}"), ""], []
    for _, group in groupby(papers.records(paper, data), key=lambda r: r["entry"]):
        of_entry = list(group)
        if any(r["reason"] is None for r in of_entry):
            lines += _entry(of_entry)
        for reason, without in groupby((r for r in of_entry if r["reason"]), key=lambda r: r["reason"]):
            names = [r["value"] for r in without]
            some = f": {'; '.join(names)}" if len(names) < len(of_entry) and len(names) < 5 else ""
            left.append([f"{of_entry[0]['item']}{some}", of_entry[0]["theirs_kind"], reason])
    merged = list(dict.fromkeys(map(tuple, left)))
    return [*lines, "Values without one of ours to compare:", "", *table(["item", "theirs", "reason"], merged)]


def _table(paper: str) -> Table:
    return Table(
        name=f"papers-{paper}",
        page=f"lab/results/papers/{paper}.md",
        sources=papers.module(paper).SOURCES,
        command=papers.module(paper).COMMAND,
        render=lambda data: _render(paper, data),
    )


TABLES = tuple(map(_table, papers.NAMES))
