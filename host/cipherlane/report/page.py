"""The page: one file of HTML that loads nothing, runs nothing, and reads in light and dark surroundings."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from .. import plots
from ..results import KINDS
from ..version import __version__
from . import figures
from .figures import Figures
from .sources import Source

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # should something get through after all, it does nothing
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
svg { display: block; width: 100%; height: auto }
@media print { .scroll { max-height: none; overflow: visible } }
"""
_FACTS = ("date", "commit", "command", "board", "configuration", "tools", "note")


def page(sources: Sequence[Source], repeated: Sequence[str], made: str) -> str:
    """Return the page of these files, where `repeated` names those that were left out, and `made` says when it was."""
    parts = [_overview(sources, repeated, made)]
    if best := figures.speeds(sources):
        parts.append(f'<section aria-labelledby="best"><h2 id="best">Engines</h2>{_table(best, "h3")}</section>')
    parts += [_section(number, source) for number, source in enumerate(sources)]
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Cipherlane: results</title>\n<style>{_STYLE}{plots.STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _overview(sources: Sequence[Source], repeated: Sequence[str], made: str) -> str:
    rows = []
    for number, source in enumerate(sources):
        p = source.provenance
        said = (", ".join(figures.kinds(source)), p.get("board"), p["date"], p.get("commit"), p["command"])
        link = f'<a href="#file{number}">{_text(source.title)}</a>'
        rows.append(f'<tr><th scope="row">{link}</th>{"".join(f"<td>{_text(each)}</td>" for each in said)}</tr>')
    found = dict.fromkeys(kind for source in sources for kind in figures.kinds(source))
    meanings = {kind: KINDS.get(kind, "of a kind that this tool does not know") for kind in found}
    none = [source for source in sources if not figures.kinds(source)]
    if none:
        meanings["-"] = "the file does not say, as of sizes"
    hardware = "" if "board" in found else " No figure here says that it was measured on hardware."
    left_out = f"<p>Left out, as of the same run: {_text(', '.join(repeated))}.</p>" if repeated else ""
    heads = _heads(("file", "kind", "board", "date", "commit", "command"))
    return (
        "<h1>Cipherlane: results</h1>\n"
        f"<p>Made on {_text(made)} by <code>cipherlane report</code> {__version__} from {len(sources)} files."
        f"{hardware}</p>\n<h2>Kinds of figures</h2>\n{_list(meanings)}\n<h2>Files</h2>\n"
        f"{_scroll('Files', f'<table><thead><tr>{heads}</tr></thead><tbody>{chr(10).join(rows)}</tbody></table>')}"
        f"{left_out}"
    )


def _section(number: int, source: Source) -> str:
    p = source.provenance
    facts: dict[str, Any] = {"file": source.name, "kind": ", ".join(figures.kinds(source))}
    for name in (*_FACTS, *(name for name in p if name not in _FACTS)):
        value = p.get(name)
        facts |= {name: "; ".join(_pairs(value))} if isinstance(value, Mapping) else {name: value} if name in p else {}
    name = f"file{number}"
    tables = "\n".join(_table(each, "h3") for each in figures.of(source))
    head = f'<section aria-labelledby="{name}"><h2 id="{name}">{_text(source.title)}</h2>'
    return f"{head}\n{_list(facts)}\n{tables}</section>"


def _pairs(value: Mapping[str, Any]) -> Iterable[str]:
    for name, each in value.items():
        text = " ".join(map(str, each)) if isinstance(each, list) else str(each)
        yield text if text.lower().startswith(name.lower()) else f"{name} {text}"


def _table(found: Figures, heading: str) -> str:
    """Return the table, after its plot."""
    title = _text(found.title)
    rows = []
    for row in found.rows:
        cells = []
        for place, name in enumerate(found.fields):
            value = row.get(name)
            figure = isinstance(value, int | float) and not isinstance(value, bool)
            tag = "td" if place else "th"
            attributes = (' class="figure"' if figure else "") + ("" if place else ' scope="row"')
            cells.append(f"<{tag}{attributes}>{_text(value)}</{tag}>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    same = ", ".join(f"{name.replace('_', ' ')} {figures.cell(value)}" for name, value in found.same.items())
    note = f'<p class="note">In all rows: {_text(same)}.</p>\n' if same else ""
    if len(found.rows) > figures.MOST_BARS:
        note += f'<p class="note">No plot of {len(found.rows)} rows.</p>\n'
    if found.left_out:
        note += f'<p class="note">{found.left_out} more fields are not shown.</p>\n'
    heads = _heads([name.replace("_", " ") for name in found.fields])
    table = f"<table><thead><tr>{heads}</tr></thead>\n<tbody>{chr(10).join(rows)}</tbody></table>"
    plot = found.plot.inline() + "\n" if found.plot else ""
    return f"<{heading}>{title}</{heading}>\n{note}{plot}{_scroll(found.title, table)}"


def _heads(names: Iterable[str]) -> str:
    return "".join(f'<th scope="col">{_text(name)}</th>' for name in names)


def _scroll(title: str, table: str) -> str:
    return f'<div class="scroll" tabindex="0" role="group" aria-label="Table: {_text(title)}">{table}</div>\n'


def _list(facts: Mapping[str, Any]) -> str:
    return f"<dl>{''.join(f'<dt>{_text(name)}</dt><dd>{_text(value)}</dd>' for name, value in facts.items())}</dl>"


def _text(value: Any) -> str:
    """Return what stands for a value: text alone, within elements and attributes."""
    return escape(figures.cell(value))
