"""Plots of results as SVG: bars, and points in two logarithmic dimensions; for light and dark surroundings."""

from html import escape
from math import ceil, floor, log, log10

# Fills of the series, on white and on black.
COLOURS = (
    ("#2f6db3", "#6cb0f5"),
    ("#b5601d", "#f0a35c"),
    ("#3c8043", "#77c97f"),
    ("#8a4fa3", "#cf9be6"),
    ("#666666", "#b0b0b0"),
)
ROW, LEFT, WIDTH = 17, 260, 560
SIDE = 460
_LABEL_HEIGHT, _LABEL_WIDTH = 10, 4.9  # of a label at a point, and of a letter of it


def bars(title: str, rows: list[tuple[str, float, str]]) -> str:
    """Horizontal bars.

    Parameters
    ----------
    title : str
        Says what is drawn and its unit.
    rows : list of tuple
        Label, value, and the name of the series that it belongs to. A label that the row before has is left out.
    """
    most = max((value for _, value, _ in rows), default=0) or 1
    names = list(dict.fromkeys(series for _, _, series in rows))
    top = 30 + _legend_height(names)
    parts = [_head(LEFT + WIDTH + 90, ROW * len(rows) + top + 14, title), *_legend(names, 30)]
    before = None
    for n, (label, value, series) in enumerate(rows):
        y = top + ROW * n
        width = max(1, round(WIDTH * value / most))
        if label != before:
            parts.append(f'<text x="{LEFT - 6}" y="{y + 12}" text-anchor="end">{escape(label)}</text>')
        bar = f'x="{LEFT}" y="{y + 2}" width="{width}" height="{ROW - 4}"'
        parts.append(f'<rect class="s{names.index(series)}" {bar}/>')
        parts.append(f'<text x="{LEFT + width + 4}" y="{y + 12}">{value:.4g}</text>')
        before = label
    return "\n".join([*parts, "</svg>", ""])


def points(title: str, x_name: str, y_name: str, rows: list[tuple[str, float, float, str]]) -> str:
    """Points over logarithmic axes, each with its label.

    Parameters
    ----------
    title, x_name, y_name : str
        With units.
    rows : list of tuple
        Label, x, y (above 0), and the name of the series that it belongs to.
    """
    columns, lines = _ticks([x for _, x, _, _ in rows]), _ticks([y for _, _, y, _ in rows])
    names = list(dict.fromkeys(series for *_, series in rows))
    left, top = 70, 50 + _legend_height(names)
    right, bottom = left + round(1.5 * SIDE), top + SIDE

    def place(x: float, y: float) -> tuple[int, int]:
        across, up = (log(v / ticks[0]) / log(ticks[-1] / ticks[0]) for v, ticks in ((x, columns), (y, lines)))
        return round(left + (right - left) * across), round(bottom - SIDE * up)

    parts = [_head(right + 110, bottom + 50, title), *_legend(names, 30)]
    for tick in columns:
        x, _ = place(tick, lines[0])
        parts.append(f'<line x1="{x}" x2="{x}" y1="{top}" y2="{bottom}"/>')
        parts.append(f'<text x="{x}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>')
    for tick in lines:
        _, y = place(columns[0], tick)
        parts.append(f'<line x1="{left}" x2="{right}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4}" text-anchor="end">{tick:g}</text>')
    parts.append(f'<text x="{left}" y="{bottom + 38}">{escape(x_name)}</text>')
    parts.append(f'<text x="{left}" y="{top - 8}">{escape(y_name)}</text>')
    placed = [(*place(x, y), label, names.index(series)) for label, x, y, series in rows]
    taken = [(x - 5, y - 5, x + 5, y + 5) for x, y, _, _ in placed]
    for x, y, label, series in placed:
        parts.append(f'<circle class="s{series}" cx="{x}" cy="{y}" r="4"/>')
        box = _free_box(x, y, label, taken)
        taken.append(box)
        parts.append(f'<text x="{box[0]:.0f}" y="{box[3] - 2}" font-size="9">{escape(label)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _free_box(x: int, y: int, label: str, taken: list[tuple]) -> tuple[float, int, float, int]:
    """Left, upper, right and lower edge of a label at a point: where nothing else is, if there is such a place."""
    width, height = _LABEL_WIDTH * len(label), _LABEL_HEIGHT
    corners = [(x + 6, y - 5), (x - 6 - width, y - 5)]
    corners += [(x + across, y + down) for down in (5, -15, 13, -23, 21) for across in (-width / 2, 2, -2 - width)]
    boxes = [(left, upper, left + width, upper + height) for left, upper in corners]

    def is_free(box: tuple) -> bool:
        return all(box[2] <= o[0] or o[2] <= box[0] or box[3] <= o[1] or o[3] <= box[1] for o in taken)

    return next(filter(is_free, boxes), boxes[0])


def _head(width: int, height: int, title: str) -> str:
    light, dark = ("".join(f" .s{n} {{ fill: {pair[i]} }}" for n, pair in enumerate(COLOURS)) for i in range(2))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
            f"<style> .page {{ fill: white }} text {{ fill: #222 }} line {{ stroke: #ddd }}{light}",
            "@media (prefers-color-scheme: dark) {",
            f" .page {{ fill: #111 }} text {{ fill: #ddd }} line {{ stroke: #333 }}{dark} }}",
            "</style>",
            '<rect class="page" width="100%" height="100%"/>',
            f'<text x="8" y="18" font-size="13">{escape(title)}</text>',
        ]
    )


def _legend(names: list[str], top: int) -> list[str]:
    """The series' names in a row, where there are several."""
    parts, x = [], 8
    for n, name in enumerate(names if len(names) > 1 else ()):
        parts.append(f'<rect class="s{n}" x="{x}" y="{top}" width="10" height="10"/>')
        parts.append(f'<text x="{x + 14}" y="{top + 9}">{escape(name)}</text>')
        x += 34 + 6 * len(name)
    return parts


def _legend_height(names: list[str]) -> int:
    return 20 if len(names) > 1 else 0


def _ticks(values: list[float]) -> list[float]:
    """One, two and five of each decade, from below all values to above them."""
    low, high = min(values, default=1), max(values, default=10)
    steps = [step * 10.0**decade for decade in range(floor(log10(low)), ceil(log10(high)) + 1) for step in (1, 2, 5)]
    first = max(n for n, step in enumerate(steps) if step <= low)
    last = next(n for n, step in enumerate(steps) if step >= high and n > first)
    return steps[first : last + 1]
