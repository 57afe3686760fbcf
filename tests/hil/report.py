"""The page of all runs: the newest of each board, and each figure over time. It loads nothing from elsewhere."""

from html import escape
from pathlib import Path

from gateware.explore.plots import COLOURS
from tests.hil import history

_WIDTH, _HEIGHT, _LEFT, _TOP = 640, 150, 60, 24
_STYLE = """
body { font-family: sans-serif; margin: 1.5em; max-width: 60em; color: #222; background: white }
table { border-collapse: collapse; margin: 0.5em 0 } td, th { padding: 0.2em 0.8em; text-align: left }
td.number { text-align: right } tr.bad td { font-weight: bold }
svg { display: block; margin: 0.3em 0; max-width: 100% } svg text { font-size: 11px; fill: #222 }
svg .grid { stroke: #ddd } svg .line { fill: none; stroke: LIGHT } svg circle { fill: LIGHT }
svg .bad { fill: none; stroke: #b00020; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
 body { color: #ddd; background: #111 } svg text { fill: #ddd } svg .grid { stroke: #333 }
 svg .line { stroke: DARK } svg circle { fill: DARK } svg .bad { stroke: #ff6b81 }
}
""".replace("LIGHT", COLOURS[0][0]).replace("DARK", COLOURS[0][1])


def write(folder: Path) -> Path:
    """Writes `index.html` of all histories in a folder; returns where it is.

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
    head = f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Boards</title><style>{_STYLE}</style>'
    none = "<p>There is no run yet: <code>make hil BOARD=sim</code>.</p>"
    body = "<h1>Hardware in the loop</h1>" + ("\n".join(parts) or none)
    page.write_text(f"{head}</head>\n<body>{body}</body></html>\n", encoding="utf-8")
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
    """A figure's runs as SVG, from 0 up, run after run; refused ones have a ring."""
    points = [(run, run["figures"][name]) for run in runs if name in run["figures"]]
    most = max(value for _, value in points) or 1.0
    step = _WIDTH / max(1, len(points) - 1)
    placed = [
        (round(_LEFT + step * n, 1), round(_TOP + _HEIGHT * (1 - value / most), 1), run, value)
        for n, (run, value) in enumerate(points)
    ]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 20} {_TOP + _HEIGHT + 24}">',
        f"<title>{escape(name)}: Mbps of {len(points)} runs</title>",
        f'<text x="{_LEFT}" y="14">{escape(name)}, Mbps</text>',
    ]
    for part in (0, 0.5, 1):
        y = _TOP + _HEIGHT * (1 - part)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_LEFT + _WIDTH}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{most * part:.4g}</text>')
    parts.append(f'<polyline class="line" points="{" ".join(f"{x},{y}" for x, y, *_ in placed)}"/>')
    for x, y, run, value in placed:
        label = f"{value:.4g} Mbps, {run.get('date')}, commit {run.get('commit')}"
        parts.append(f'<circle cx="{x}" cy="{y}" r="3"><title>{escape(label)}</title></circle>')
        if name in run.get("regressed", ()):
            parts.append(f'<circle class="bad" cx="{x}" cy="{y}" r="7"/>')
    first, last = (escape(str(points[n][0].get("date", ""))[:10]) for n in (0, -1))
    parts.append(f'<text x="{_LEFT}" y="{_TOP + _HEIGHT + 18}">{first}</text>')
    parts.append(f'<text x="{_LEFT + _WIDTH}" y="{_TOP + _HEIGHT + 18}" text-anchor="end">{last}</text>')
    return "\n".join([*parts, "</svg>"])
