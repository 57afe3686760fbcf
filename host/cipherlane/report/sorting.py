# SPDX-License-Identifier: BSD-2-Clause
"""HTML tables that readers can sort without a script: CSS orders the rows by the chosen heading.

The style of each row holds its position for every column. Each heading is a radio button; while it is checked, the
positions for its column order the rows of the table, which is laid out as a grid.
"""

from collections.abc import Sequence
from html import escape

from .figures import MOST_FIELDS, Figures, Row, cell, is_figure
from .words import field, said

_FEWEST = 3  # a table needs at least this many rows to be sortable
STYLE = (
    """
.sorted { --way: 1 } .sorted:has(.down:checked) { --way: -1 }
.sorted label { cursor: pointer } .sorted th input { position: absolute; opacity: 0 }
.sorted th label::after { content: " \\2195" / ""; color: var(--soft) }
.sorted th label:has(:checked)::after { content: " \\25BC" / ""; color: var(--link) }
th label:has(:focus-visible) { outline: 3px solid var(--link) }
@supports selector(:has(a)) and (grid-template-columns: subgrid) {
 .sorted table { display: grid; grid-template-columns: repeat(var(--columns), auto); width: max-content }
 .sorted thead, .sorted tbody { display: contents }
 .sorted tr { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1 } .sorted thead tr { order: -999999 }
"""
    + "".join(
        f" .sorted table:has(th:nth-child({at + 1}) :checked) tbody tr {{ order: calc(var(--way) * var(--c{at})) }}\n"
        for at in range(MOST_FIELDS)
    )
    + "}\n"
)


def table(found: Figures, name: str = "") -> str:
    """Return `found` as an HTML table. With `name`, headings and numbers are made readable, and readers can sort the
    table. Without `name`, headings and numbers are printed as in the file.
    """
    raw = not name
    sortable = bool(name) and len(found.rows) >= _FEWEST
    places = [_places([row.get(each) for row in found.rows]) for each in found.fields] if sortable else []
    lines = []
    for number, row in enumerate(found.rows):
        style = ";".join(f"--c{column}:{place[number]}" for column, place in enumerate(places))
        lines.append(f"<tr{f' style={chr(34)}{style}{chr(34)}' if style else ''}>{_cells(found.fields, row, raw)}</tr>")
    heads = "".join(_head(each if raw else field(each), name if sortable else "") for each in found.fields)
    style = f' style="--columns:{len(found.fields)}"' if sortable else ""
    text = f"<table{style}><thead><tr>{heads}</tr></thead>\n<tbody>{chr(10).join(lines)}</tbody></table>"
    label = _text(f"Table: {found.title}")
    scrolled = f'<div class="scroll" tabindex="0" role="group" aria-label="{label}">{text}</div>\n'
    if not sortable:
        return scrolled
    order = (
        f'<p class="note">Sort by a column\'s name. <label><input type="radio" name="{name}" checked> as in the file'
        '</label> <label><input type="checkbox" class="down"> descending</label></p>'
    )
    return f'<div class="sorted">{order}\n{scrolled}</div>\n'


def _cells(fields: Sequence[str], row: Row, raw: bool) -> str:
    cells = []
    for place, name in enumerate(fields):
        value = row.get(name)
        tag = "td" if place else "th"
        attributes = (' class="figure"' if is_figure(value) else "") + ("" if place else ' scope="row"')
        text = _text(value if raw else said(name, value))
        cells.append(f"<{tag}{attributes}>{text}</{tag}>")
    return "".join(cells)


def _head(name: str, group: str) -> str:
    text = _text(name)
    if not group:
        return f'<th scope="col">{text}</th>'
    return f'<th scope="col"><label><input type="radio" name="{group}">{text}</label></th>'


def _places(values: Sequence[object]) -> list[int]:
    """Return the position of each value in sorted order: numbers by size, then texts, then missing values."""

    def key(value: object) -> tuple[int, float, str]:
        if isinstance(value, int | float):
            return (0, float(min(max(value, -1e300), 1e300)), "")
        return (1, 0.0, str(value)) if value not in (None, "") else (2, 0.0, "")

    keys = [key(value) for value in values]
    order = {each: place for place, each in enumerate(sorted(set(keys)))}
    return [order[each] for each in keys]


def _text(value: object) -> str:
    """Return a value as text with HTML escapes, for elements and attributes."""
    return escape(cell(value))
