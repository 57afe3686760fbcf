# SPDX-License-Identifier: BSD-2-Clause
"""The tables of `make boards`: one page for the configurations of the product, one for the configurations in `lab`."""

from gateware.flow.listing import FEATURES, OBSTACLES, SOURCES, TARGETS, tables
from lab.extension import EXTENSION
from lab.results.kept import Content
from lab.results.tables import Table, table

COMMAND = "make bitstream BOARD=... CONFIG=..."
_ADDED = {feature.name for feature in EXTENSION.features}


def _is_added(headings: tuple[str, ...], row: list[str]) -> bool:
    """Return True if a row belongs to a configuration that the laboratory adds."""
    if headings == TARGETS:
        return row[0].endswith(tuple(f"_{name}" for name in _ADDED))
    names = {FEATURES: row[0], OBSTACLES: row[1]}
    return names.get(headings) in _ADDED


def render(content: dict[str, Content]) -> list[str]:
    """Return the tables in Markdown, with only the product's configurations."""
    lines = ['`make boards` prints these tables. Clocks marked "one seed" are only indicative:']
    for headings, rows in tables(content):
        lines += ["", *table(headings, (row for row in rows if not _is_added(headings, row)))]
    return lines


def render_added(content: dict[str, Content]) -> list[str]:
    """Return the tables in Markdown, with only the laboratory's configurations."""
    lines = []
    for headings, rows in tables(content):
        if added := [row for row in rows if _is_added(headings, row)]:
            lines += ["", *table(headings, added)]
    return lines[1:]


TABLE = Table(name="boards", page="gateware/boards/README.md", sources=SOURCES, command=COMMAND, render=render)
ADDED = Table(name="boards", page="lab/README.md", sources=SOURCES, command=COMMAND, render=render_added)
