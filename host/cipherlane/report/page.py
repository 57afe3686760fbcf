# SPDX-License-Identifier: BSD-2-Clause
"""Writes a report as one HTML file that loads nothing and runs no script, with light and dark colours."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from cipherlane_base.figures import KINDS
from cipherlane_base.version import __version__

from ..measuring import plots
from . import figures, sorting
from .best import best as find_best
from .best import table as best_table
from .figures import Figures
from .sources import Source
from .words import engine, field, file_title, three
from .words import said as told

_POLICY = (  # second line of defence: if escaping was forgotten somewhere, markup still cannot run or load anything
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
_STYLE = """
:root { color-scheme: light dark; --ink: #111; --paper: #fff; --soft: #555; --edge: #767676; --link: #0050a0 }
@media (prefers-color-scheme: dark) {
 :root { --ink: #f4f4f4; --paper: #121212; --soft: #bbb; --edge: #8c8c8c; --link: #8ac4ff }
}
body { margin: 0 auto; max-width: 75rem; padding: 0 1rem 2rem; background: var(--paper); color: var(--ink);
 font: 1rem/1.45 system-ui, sans-serif }
a { color: var(--link) }
section { border-top: 2px solid var(--edge); margin-top: 2rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem } dt { color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere }
.scroll { overflow: auto; max-height: 30rem; margin: 0.5rem 0 } .note { color: var(--soft) }
:focus-visible { outline: 3px solid var(--link) }
table { border-collapse: collapse; font-size: 0.9em }
th, td { padding: 0.15em 0.6em; border-bottom: 1px solid var(--edge); text-align: left; white-space: nowrap }
.figure { text-align: right }
.lead { font-size: 1.3rem } .lead b { font-size: 2.6rem }
.kind { border-radius: 0.3em; padding: 0 0.4em; background: var(--link); color: var(--paper) }
summary { cursor: pointer; padding: 0.3rem 0 }
svg { display: block; width: 100%; height: auto }
@media print { .scroll { max-height: none; overflow: visible } }
"""
_FACTS = ("date", "commit", "command", "board", "configuration", "tools", "note")


def page(sources: Sequence[Source], repeated: Sequence[str], made: str) -> str:
    """Return the page for `sources`; `repeated` names duplicates that were left out; `made` is the time of creation."""
    found = {number: list(figures.of(source)) for number, source in enumerate(sources)}
    parts = [_first(sources), _contents(sources)]
    parts += [_section(number, source, found[number]) for number, source in enumerate(sources)]
    parts += [_origin(sources, repeated, made), '<section aria-labelledby="raw"><h2 id="raw">Raw data</h2>']
    parts += [_raw(source, found[number]) for number, source in enumerate(sources)]
    body = "\n".join([*parts, "</section>"])
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Cipherlane: results</title>\n<style>{_STYLE}{sorting.STYLE}{plots.STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _first(sources: Sequence[Source]) -> str:
    """Return the page's first section, which shows the best speed of each engine."""
    best = find_best(sources)
    said = "<h1>Cipherlane: results</h1>\n"
    if best:
        top = max(best, key=lambda each: each.mbps)
        said += (
            f'<p class="lead"><b>{three(top.mbps)} Mbps</b> <span class="kind">{_text(top.kind)}</span><br>'
            f"{_text(f'{top.speed} of {engine(top.engine)}, AES-128, on the board {top.board}')}. "
            f"Since the run before: {_text(top.change)}.</p>\n"
        )
    if table := best_table(best):
        said += f'<section aria-labelledby="best"><h2 id="best">Engines</h2>{_table(table, "best")}</section>'
    return said


def _contents(sources: Sequence[Source]) -> str:
    rows: list[figures.Row] = []
    links = []
    for number, source in enumerate(sources):
        p = source.provenance
        kinds = ", ".join(figures.kinds(source))
        rows.append({"board": p.get("board"), "kind": kinds, "measured": p["date"][:10], "command": p["command"]})
        links.append(f'<a href="#file{number}">{_text(file_title(source.title))}</a>')
    lines = [
        f'<tr><th scope="row">{link}</th>{"".join(f"<td>{_text(each)}</td>" for each in row.values())}</tr>'
        for link, row in zip(links, rows, strict=True)
    ]
    heads = "".join(f'<th scope="col">{each}</th>' for each in ("figures", "board", "kind", "measured", "command"))
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{chr(10).join(lines)}</tbody></table>"
    return f'<section aria-labelledby="files"><h2 id="files">Files</h2>{_scroll("Files", table)}</section>'


def _section(number: int, source: Source, found: Sequence[Figures]) -> str:
    p = source.provenance
    said = ", ".join(filter(None, (", ".join(figures.kinds(source)), str(p.get("board") or ""), p["date"][:10])))
    tables = "\n".join(
        f"<h3>{_text(each.title)}</h3>\n{_table(each, f'sort{number}-{place}')}" for place, each in enumerate(found)
    )
    return (
        f'<section><h2 id="file{number}">{_text(file_title(source.title))}</h2>\n'
        f'<p class="note">{_text(said)}</p>\n<details><summary>Figures</summary>\n{tables}</details>\n'
        f"<details><summary>Measured with</summary>{_list(_facts(source))}</details></section>"
    )


def _facts(source: Source) -> dict[str, Any]:
    p = source.provenance
    facts: dict[str, Any] = {"file": source.name, "kind": ", ".join(figures.kinds(source))}
    for name in (*_FACTS, *(name for name in p if name not in _FACTS)):
        value = p.get(name)
        facts |= {name: "; ".join(_pairs(value))} if isinstance(value, Mapping) else {name: value} if name in p else {}
    return facts


def _origin(sources: Sequence[Source], repeated: Sequence[str], made: str) -> str:
    found = dict.fromkeys(kind for source in sources for kind in figures.kinds(source))
    meanings = {kind: KINDS.get(kind, "unknown to this tool") for kind in found}
    if any(not figures.kinds(source) for source in sources):
        meanings["-"] = "not stated in the file, as for sizes"
    hardware = "" if "board" in found else " No figure here says that it was measured on hardware."
    left_out = f"<p>Left out, as of the same run: {_text(', '.join(repeated))}.</p>" if repeated else ""
    return (
        f'<section aria-labelledby="kinds"><h2 id="kinds">Kinds of figures</h2>{_list(meanings)}\n'
        f"<p>Made on {_text(made)} by <code>cipherlane report</code> {__version__} from {len(sources)} files."
        f"{hardware}</p>{left_out}</section>"
    )


def _raw(source: Source, found: Sequence[Figures]) -> str:
    """Return a section with a file's tables, collapsed at first. Names and numbers are written as in the file."""
    tables = "\n".join(f"<h3>{_text(each.title)}</h3>\n{_notes(each, raw=True)}{sorting.table(each)}" for each in found)
    return f"<details><summary>{_text(source.title)}</summary>\n{tables}</details>"


def _pairs(value: Mapping[str, Any]) -> Iterable[str]:
    for name, each in value.items():
        text = " ".join(map(str, each)) if isinstance(each, list) else str(each)
        yield text if text.lower().startswith(name.lower()) else f"{name} {text}"


def _table(found: Figures, name: str) -> str:
    """Return the HTML of notes, plot (if any) and table, in this order; `name` must be unique among tables."""
    plot = found.plot.inline() + "\n" if found.plot else ""
    return f"{_notes(found)}{plot}{sorting.table(found, name)}"


def _notes(found: Figures, *, raw: bool = False) -> str:
    same = [
        f"{name} {figures.cell(value)}" if raw else f"{field(name)}: {told(name, value)}"
        for name, value in found.same.items()
    ]
    notes = [f"In all rows: {'; '.join(same)}."] if same else []
    if len(found.rows) > figures.MOST_BARS:
        notes.append(f"No plot: {len(found.rows)} rows are too many.")
    if found.left_out:
        notes.append(f"{found.left_out} more fields are not shown.")
    return "".join(f'<p class="note">{_text(note)}</p>\n' for note in notes)


def _scroll(title: str, table: str) -> str:
    return f'<div class="scroll" tabindex="0" role="group" aria-label="Table: {_text(title)}">{table}</div>\n'


def _list(facts: Mapping[str, Any]) -> str:
    return f"<dl>{''.join(f'<dt>{_text(name)}</dt><dd>{_text(value)}</dd>' for name, value in facts.items())}</dl>"


def _text(value: Any) -> str:
    """Return a value as text with HTML escapes, for elements and attributes."""
    return escape(figures.cell(value))
