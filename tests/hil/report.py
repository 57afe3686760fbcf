# SPDX-License-Identifier: BSD-2-Clause
"""Writes a page about all test runs on boards: the newest run of each board, and a plot of each measured speed. The
page needs no other files.
"""

from html import escape
from pathlib import Path

from cipherlane.measuring import plots

from tests.hil import history

_STYLE = """
body { font-family: sans-serif; margin: 1.5em; max-width: 60em; color: #222; background: white }
table { border-collapse: collapse; margin: 0.5em 0 } td, th { padding: 0.2em 0.8em; text-align: left }
td.number { text-align: right } tr.bad td { font-weight: bold }
svg { display: block; margin: 0.3em 0; width: 100%; height: auto }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #111 } }
"""


def write(folder: Path) -> Path:
    """Write `index.html` for all histories in a folder; return its path.

    Raises
    ------
    HistoryError
        A history cannot be read.
    """
    series = {}
    for path in sorted(folder.glob("*.jsonl")):
        series |= history.series(history.read(path))
    parts = [
        _section(key, [line for line in lines if "figures" in line]) for key, lines in sorted(series.items(), key=str)
    ]
    page = folder / "index.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    head = '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Boards</title>'
    none = "<p>There is no run yet: <code>make hil BOARD=sim</code>.</p>"
    body = "<h1>Hardware in the loop</h1>" + ("\n".join(parts) or none)
    page.write_text(
        f"{head}<style>{_STYLE}{plots.STYLE}</style></head>\n<body>{body}</body></html>\n", encoding="utf-8"
    )
    return page


def _section(key: tuple, runs: list[dict]) -> str:
    target, serial, kind = key
    last = runs[-1]
    figures = dict.fromkeys(name for run in runs for name in run["figures"])
    rows = "".join(_row(name, last) for name in figures)
    facts = {
        "kind": f"{kind}: " + ("cycles of the simulated board" if kind == "sim" else "measured on hardware"),
        "clock": f"{last.get('clock_hz', 0) / 1e6:g} MHz",
        "firmware": last.get("firmware"),
        "place": last.get("place"),
        "last run": f"{last.get('date')}, commit {last.get('commit')}, {last.get('passed', 0)} passed, "
        f"{last.get('failed', 0) + last.get('error', 0)} failed, {last.get('skipped', 0)} skipped",
        "runs": len(runs),
    }
    described = "; ".join(f"{name} {escape(str(fact))}" for name, fact in facts.items() if fact)
    title = escape(str(target)) + (f", serial number {escape(str(serial))}" if serial else "")
    table = f"<table><tr><th>figure</th><th>Mbps</th><th></th></tr>{rows}</table>"
    return "\n".join([f"<h2>{title}</h2>", f"<p>{described}</p>", table, *(_plot(name, runs) for name in figures)])


def _row(name: str, last: dict) -> str:
    bad = name in last.get("regressed", ())
    value = last["figures"].get(name)
    shown = "-" if value is None else f"{value:.3f}"
    return (
        f'<tr class="{"bad" if bad else "good"}"><td>{escape(name)}</td><td class="number">{shown}</td>'
        f"<td>{'regression' if bad else ''}</td></tr>"
    )


def _plot(name: str, runs: list[dict]) -> str:
    """Return a plot of one measured speed in all runs, in order. A ring marks each run whose value was a regression."""
    shown = [run for run in runs if name in run["figures"]]
    rows = []
    for run in shown:
        value = run["figures"][name]
        said = f"{value:.4g} Mbps, {run.get('date')}, commit {run.get('commit')}"
        rows.append((value, said, name in run.get("regressed", ())))
    first, last = (str(shown[n].get("date", ""))[:10] for n in (0, -1))
    return plots.runs(f"{name}, Mbps of {len(shown)} runs", rows, first, last).inline()
