# SPDX-License-Identifier: BSD-2-Clause
"""Tables that fit the width of the terminal."""

from collections.abc import Iterable, Sequence
from typing import Literal

from cipherlane_base.plain import plain
from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement as Width
from rich.table import Table
from rich.text import Text

_ANY_WIDTH = 1 << 16


class FittingTable:
    """A table of figures that fits the terminal's width.

    If it is too wide, a column of `words` with equal values in all rows moves to a line below the table. Then the
    columns named in `least` are left out one by one, and a line says so.
    """

    def __init__(
        self,
        headings: Sequence[str],
        rows: Iterable[tuple[str, ...]],
        title: str | None = None,
        words: Sequence[str] = (),
        least: Sequence[str] = (),
    ):
        """Store the cells. The first column, which contains words, is always shown."""
        self.headings, self.rows, self.title = headings, list(rows), title
        self._words, self._least = ([headings.index(name) for name in names] for names in (words, least))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table in the widest form that fits. The package rich calls this method."""
        shown, below, left_out = list(range(len(self.headings))), [], []

        def fits() -> bool:
            return Width.get(console, options.update(width=_ANY_WIDTH), self._table(shown)).maximum <= options.max_width

        for place in self._words:
            values = {row[place] for row in self.rows}
            if len(values) == 1 and not fits():
                shown.remove(place)
                below.append(f"{self._name(place)} {values.pop()}")
        for place in self._least:
            if place in shown and not fits():
                shown.remove(place)
                left_out.append(self._name(place))
        yield self._table(shown)
        if below:
            yield cell(f"all: {', '.join(below)}")
        if left_out:
            yield cell(f"not shown here, but by --json: {', '.join(left_out)}")

    def _table(self, shown: Sequence[int]) -> Table:
        table = Table(title=title_text(self.title), box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
        for place in shown:
            justify: Literal["left", "right"] = "left" if place in (0, *self._words) else "right"
            table.add_column(self.headings[place], justify=justify, no_wrap=True)
        for row in self.rows:
            table.add_row(*(cell(row[place]) for place in shown))
        return table

    def _name(self, place: int) -> str:
        return self.headings[place].replace("-\n", "").replace("/\n", "/").replace("\n", " ")


def text_table(headings: Iterable[str], rows: Iterable[tuple[str, ...]]) -> Table:
    """Return a table of text; long text is wrapped."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*map(cell, row))
    return table


def cell(text: str, *, keep: str = "", justify: Literal["left", "right"] | None = None) -> Text:
    """Return `text` for printing, without markup. Unprintable characters are escaped, except those in `keep`."""
    return Text(plain(text, keep), justify=justify)


def title_text(title: str | None) -> Text | None:
    """Return a table's title as plain text, without markup."""
    return None if title is None else Text(plain(title), style="table.title", justify="center")
