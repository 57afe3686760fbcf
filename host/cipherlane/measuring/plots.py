# SPDX-License-Identifier: BSD-2-Clause
"""Plots of results as SVG for an HTML page: bars and curves, on light and dark backgrounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

# A pair of fill colours for each series of a plot: first for a white background, then for a black background.
COLOURS = (
    ("#2f6db3", "#6cb0f5"),
    ("#b5601d", "#f0a35c"),
    ("#3c8043", "#77c97f"),
    ("#8a4fa3", "#cf9be6"),
    ("#666666", "#b0b0b0"),
)
_RING = ("#b00020", "#ff6b81")
ROW, LEFT, WIDTH = 17, 260, 560
_RUNS_WIDTH, _RUNS_HEIGHT = 640, 150


def _style() -> str:
    light, dark = (
        "".join(f" .s{n} {{ fill: {pair[i]} }}" for n, pair in enumerate(COLOURS))
        + f" .curve {{ fill: none; stroke: {COLOURS[0][i]} }}"
        + f" .ring {{ fill: none; stroke: {ring}; stroke-width: 2 }}"
        for i, ring in enumerate(_RING)
    )
    return (
        f".page {{ fill: white }} text {{ fill: #222 }} line {{ stroke: #ddd }}{light}\n"
        "@media (prefers-color-scheme: dark) {\n"
        f" .page {{ fill: #111 }} text {{ fill: #ddd }} line {{ stroke: #333 }}{dark} }}"
    )


STYLE = _style()
"Styles that a page with plots includes once."


@dataclass(frozen=True)
class Plot:
    """A plot of `width` x `height` pixels: its title and its SVG elements."""

    title: str
    width: int
    height: int
    elements: Sequence[str]

    def inline(self) -> str:
        """Return the plot as an SVG element for an HTML page. The page must include `STYLE`. It must also show a
        table of the figures next to the plot.
        """
        label = escape(f"Plot: {self.title}; the table next to it has the figures")
        attributes = f'role="img" aria-label="{label}" style="max-width: {self.width}px"'
        box = f'viewBox="0 0 {self.width} {self.height}" font-family="sans-serif" font-size="11"'
        background = '<rect class="page" width="100%" height="100%"/>'
        title = f'<text x="8" y="18" font-size="13">{escape(self.title)}</text>'
        return "\n".join([f"<svg {attributes} {box}>", background, title, *self.elements, "</svg>"])


def _figure(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def bars(title: str, rows: Sequence[tuple[str, float, str]]) -> Plot:
    """Return a plot of horizontal bars.

    Args:
        title: names the quantity and its unit.
        rows: label, value from 0 up, and the name of the row's series. There are colours for five series. A label equal
            to the label of the row above is left out.
    """
    most = max((value for _, value, _ in rows), default=0) or 1
    names = list(dict.fromkeys(series for _, _, series in rows))
    top = 30 + _legend_height(names)
    parts, before = _legend(names, 30), None
    for n, (label, value, series) in enumerate(rows):
        y = top + ROW * n
        width = max(1, round(WIDTH * value / most))
        if label != before:
            parts.append(f'<text x="{LEFT - 6}" y="{y + 12}" text-anchor="end">{escape(label)}</text>')
        bar = f'x="{LEFT}" y="{y + 2}" width="{width}" height="{ROW - 4}"'
        parts.append(f'<rect class="s{names.index(series)}" {bar}/>')
        parts.append(f'<text x="{LEFT + width + 4}" y="{y + 12}">{_figure(value)}</text>')
        before = label
    return Plot(title, LEFT + WIDTH + 90, ROW * len(rows) + top + 14, parts)


def runs(title: str, rows: Sequence[tuple[float, str, bool]], first: str, last: str) -> Plot:
    """Return a plot of a curve. The vertical axis begins at 0.

    Args:
        title: names the quantity and its unit.
        rows: value, tooltip, and whether the point gets a ring.
        first: label below the first point.
        last: label below the last point.
    """
    left, top, width, height = 60, 34, _RUNS_WIDTH, _RUNS_HEIGHT
    bottom, most = top + height, max((value for value, _, _ in rows), default=0) or 1
    parts = []
    for part in (0, 0.5, 1):
        y = bottom - height * part
        parts.append(f'<line x1="{left}" x2="{left + width}" y1="{y:g}" y2="{y:g}"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:g}" text-anchor="end">{_figure(most * part)}</text>')
    step = width / max(1, len(rows) - 1)
    places = [
        (round(left + step * n, 1), round(bottom - height * value / most, 1)) for n, (value, _, _) in enumerate(rows)
    ]
    curve = " ".join(f"{x},{y}" for x, y in places)
    parts.append(f'<polyline class="curve" points="{curve}"/>')
    for (x, y), (_, said, ringed) in zip(places, rows, strict=True):
        parts.append(f'<circle class="s0" cx="{x}" cy="{y}" r="3"><title>{escape(said)}</title></circle>')
        if ringed:
            parts.append(f'<circle class="ring" cx="{x}" cy="{y}" r="7"/>')
    parts.append(f'<text x="{left}" y="{bottom + 18}">{escape(first)}</text>')
    parts.append(f'<text x="{left + width}" y="{bottom + 18}" text-anchor="end">{escape(last)}</text>')
    return Plot(title, left + width + 20, bottom + 24, parts)


def _legend(names: list[str], top: int) -> list[str]:
    """Return the SVG elements of a legend with the names of the series. Fewer than two series get no legend."""
    parts, x = [], 8
    for n, name in enumerate(names if len(names) > 1 else ()):
        parts.append(f'<rect class="s{n}" x="{x}" y="{top}" width="10" height="10"/>')
        parts.append(f'<text x="{x + 14}" y="{top + 9}">{escape(name)}</text>')
        x += 34 + 6 * len(name)
    return parts


def _legend_height(names: list[str]) -> int:
    return 20 if len(names) > 1 else 0
