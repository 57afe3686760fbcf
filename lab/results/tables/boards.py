# SPDX-License-Identifier: BSD-2-Clause
"""The tables of `make boards` as a page."""

from gateware.flow.listing import SOURCES, tables
from lab.results.kept import Content
from lab.results.tables import Table, table


def render(content: dict[str, Content]) -> list[str]:
    """Return the tables in Markdown."""
    lines = ['`make boards` prints these tables. Clocks marked "one seed" are only indicative:']
    for headings, rows in tables(content):
        lines += ["", *table(headings, rows)]
    return lines


COMMAND = "make bitstream BOARD=... CONFIG=..."
TABLE = Table(name="boards", page="gateware/boards/README.md", sources=SOURCES, command=COMMAND, render=render)
