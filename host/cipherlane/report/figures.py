# SPDX-License-Identifier: BSD-2-Clause
"""Makes tables and plots from a file of measurements.

A list of records is a table, and so is a dictionary of dictionaries; the rest of the file becomes one table of names
and values. One field of each table is plotted: the first of `DRAWN` that it contains.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from ..measuring import plots
from .sources import Source

DRAWN = {
    "mbps": "Mbps",
    "goodput_mbps": "Mbps, link speed",
    "tx_mbps": "Mbps out",
    "received_mbps": "Mbps received",
    "cycles_per_block": "cycles a block",
    "achieved_mhz": "MHz achieved",
    "median_mhz": "MHz, median of the seeds",
    "fmax_mhz": "MHz",
    "lut4": "LUT4",
    "cycles": "cycles",
    "bytes": "bytes",
}
MOST_BARS, MOST_FIELDS = 100, 60
_NUMBERS = (
    "key_bits",
    "record_bytes",
    "payload",
    "sessions",
    "seed",
    "engines",
    "slots",
    "window",
    "size",
)
_MOST_COLOURS = len(plots.COLOURS)
_MOST_FIGURE = 1e15
_MOST_LABEL, _MOST_CELL, _MOST_ITEMS = 44, 400, 12
_COURSE = "received_mbps"  # field of rows that describe time intervals; it is plotted over time

Cell = str | int | float | bool | None
Row = dict[str, Cell]


@dataclass(frozen=True)
class Figures:
    """A table of figures, and its plot if there is one.

    `same` holds the fields that are equal in all rows; `left_out` counts the fields that do not fit.
    """

    title: str
    fields: Sequence[str]
    rows: Sequence[Row]
    same: Row
    plot: plots.Plot | None
    left_out: int = 0


def printable(value: object) -> str:
    """Return `value` as text. Each unprintable character, such as a control character, is replaced by U+FFFD."""
    return "".join(each if each.isprintable() else "\ufffd" for each in str(value))


def of(source: Source) -> Iterator[Figures]:
    """Yield tables: one for each list of records, one for each record's time intervals, one for all single values."""
    facts: Row = {}
    for name, value in source.content.items():
        rows = records(value)
        if rows is None:
            facts |= _flat({name: value})
            continue
        yield _figures(name, rows, source)
        for number, record in enumerate(value if isinstance(value, list) else ()):
            if (course := records(record.get("intervals"))) is not None:
                yield _figures(f"{name}, {number + 1}: {_label(rows[number], tuple(rows[number]))}", course, source)
    if facts:
        yield Figures("facts", ("name", "value"), [{"name": k, "value": v} for k, v in facts.items()], {}, None)


def kinds(source: Source) -> list[str]:
    """Return the kinds of a file's measurements, such as `sim`, in order of appearance."""
    found = [source.content.get("kind"), source.provenance.get("kind")]
    for value in source.content.values():
        found += [record.get("kind") for record in value if isinstance(record, dict)] if isinstance(value, list) else []
    return [printable(kind) for kind in dict.fromkeys(each for each in found if isinstance(each, str))]


def _figures(title: str, rows: list[Row], source: Source) -> Figures:
    every = list(dict.fromkeys(name for row in rows for name in row))
    fields = every[:MOST_FIELDS]
    same = {name: rows[0].get(name) for name in fields if len(rows) > 1 and _is_same(name, rows)}
    if len(same) == len(fields):
        same = {}
    fields = [name for name in fields if name not in same]
    kind = ", ".join(kinds(source))
    plot = _plot(f"{source.title}, {title}", fields, rows, kind)
    return Figures(title, fields, rows, same, plot, len(every[MOST_FIELDS:]))


def _plot(title: str, fields: Sequence[str], rows: list[Row], kind: str) -> plots.Plot | None:
    field = next((name for name in DRAWN if any(is_figure(row.get(name)) for row in rows)), None)
    chosen = [row for row in rows if field and is_figure(row.get(field))]
    if not field or len(chosen) > MOST_BARS or len(rows) < 2:
        return None
    said = printable(f"{title}: {DRAWN[field]}" + (f" ({kind})" if kind else ""))
    if field == _COURSE:
        course = [(row[field], f"{row.get('end')} s: {row[field]} Mbps", False) for row in chosen]
        return plots.runs(said, course, *(f"{printable(chosen[n].get('end'))} s" for n in (0, -1)))  # type: ignore[arg-type]
    naming = [name for name in fields if name != field and _names(name, rows)]
    series = next(
        (name for name in reversed(naming) if 1 < len({row.get(name) for row in rows}) <= _MOST_COLOURS), None
    )
    bars = [(_label(row, naming), row[field], cell(row.get(series)) if series else "") for row in chosen]
    return plots.bars(said, bars)  # type: ignore[arg-type]


def records(value: Any) -> list[Row] | None:
    """Return the rows of a table if `value` is a list of records or a dictionary of dictionaries; otherwise None."""
    if isinstance(value, Mapping) and value and all(isinstance(each, Mapping) for each in value.values()):
        return [{"name": name, **_flat(each)} for name, each in value.items()]
    if isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
        return [_flat({name: each for name, each in record.items() if name != "intervals"}) for record in value]
    return None


def _flat(record: Mapping[str, Any]) -> Row:
    """Return a record with nested dictionaries flattened: their entries get names such as `outer.inner`."""
    flat: Row = {}
    for name, value in record.items():
        if isinstance(value, Mapping):
            flat |= {f"{name}.{part}": _simple(each) for part, each in value.items()}
        else:
            flat[name] = _simple(value)
    return flat


def _simple(value: Any) -> Cell:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list) and len(value) > _MOST_ITEMS:
        return f"{len(value)} entries"
    if isinstance(value, list) and all(isinstance(each, str | int | float) for each in value):
        return ", ".join(map(cell, value))
    return json.dumps(value)


def cell(value: Any) -> str:
    """Return `value` as the text of a table's cell, shortened if it is long."""
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = printable(value)
    return text if len(text) <= _MOST_CELL else text[: _MOST_CELL - 1] + "…"


def is_figure(value: object) -> TypeGuard[float]:
    """Return whether a value is a number that can be plotted."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MOST_FIGURE


def _is_same(name: str, rows: list[Row]) -> bool:
    return all(
        name in row and (row[name], type(row[name])) == (rows[0].get(name), type(rows[0].get(name))) for row in rows
    )


def _names(field: str, rows: list[Row]) -> bool:
    """Return whether a field helps to distinguish rows. Such a field is a short text, or a setting that is a number."""
    return field in _NUMBERS or any(isinstance(row.get(field), str) and len(str(row[field])) <= 30 for row in rows)


def _label(row: Row, fields: Iterable[str]) -> str:
    words = []
    for name in fields:
        value = row.get(name)
        if isinstance(value, str) and value:
            words.append(printable(value))
        elif name in _NUMBERS and value is not None:
            words.append(f"{name.replace('_', ' ')} {cell(value)}")
    text = ", ".join(words) or "-"
    return text if len(text) <= _MOST_LABEL else text[: _MOST_LABEL - 1] + "…"
