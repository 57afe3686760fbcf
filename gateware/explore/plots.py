"""Plots of the family's results as SVG: bars, and points in two logarithmic dimensions."""

from html import escape
from math import ceil, floor, log10

FAMILY_COLOUR, PEER_COLOUR = "#3b6ea5", "#b5651d"
ROW, LEFT, WIDTH = 17, 260, 560
SIDE = 460


def bars(title: str, rows: list[tuple[str, float, bool]]) -> str:
    """Horizontal bars.

    Parameters
    ----------
    title : str
        Says what is drawn and its unit.
    rows : list of tuple
        Label, value, and whether it is a public core's.
    """
    most = max((value for _, value, _ in rows), default=0) or 1
    parts = [_head(LEFT + WIDTH + 90, ROW * len(rows) + 44, title)]
    for n, (label, value, is_peer) in enumerate(rows):
        y = 30 + ROW * n
        width = max(1, round(WIDTH * value / most))
        parts.append(f'<text x="{LEFT - 6}" y="{y + 12}" text-anchor="end">{escape(label)}</text>')
        parts.append(f'<rect x="{LEFT}" y="{y + 2}" width="{width}" height="{ROW - 4}" fill="{_colour(is_peer)}"/>')
        parts.append(f'<text x="{LEFT + width + 4}" y="{y + 12}">{value:.4g}</text>')
    return "\n".join([*parts, "</svg>", ""])


def points(title: str, x_name: str, y_name: str, rows: list[tuple[str, float, float, bool]]) -> str:
    """Points over logarithmic axes, each with its label.

    Parameters
    ----------
    title, x_name, y_name : str
        With units.
    rows : list of tuple
        Label, x, y (above 0), and whether it is a public core's.
    """
    x_low, x_high = _decades([x for _, x, _, _ in rows])
    y_low, y_high = _decades([y for _, _, y, _ in rows])
    left, top = 70, 40

    def place(x: float, y: float) -> tuple[float, float]:
        across = left + 1.5 * SIDE * (log10(x) - x_low) / (x_high - x_low)
        return across, top + SIDE * (y_high - log10(y)) / (y_high - y_low)

    parts = [_head(left + round(1.5 * SIDE) + 150, top + SIDE + 50, title)]
    for decade in range(x_low, x_high + 1):
        x, bottom = place(10**decade, 10**y_low)
        parts.append(f'<line x1="{x:.0f}" x2="{x:.0f}" y1="{top}" y2="{bottom:.0f}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.0f}" y="{bottom + 16:.0f}" text-anchor="middle">{10**decade:g}</text>')
    for decade in range(y_low, y_high + 1):
        x, y = place(10**x_low, 10**decade)
        right = left + 1.5 * SIDE
        parts.append(f'<line x1="{x:.0f}" x2="{right:.0f}" y1="{y:.0f}" y2="{y:.0f}" stroke="#ddd"/>')
        parts.append(f'<text x="{x - 6:.0f}" y="{y + 4:.0f}" text-anchor="end">{10**decade:g}</text>')
    parts.append(f'<text x="{left}" y="{top + SIDE + 38}">{escape(x_name)}</text>')
    parts.append(f'<text x="{left}" y="{top - 6}">{escape(y_name)}</text>')
    for label, x_value, y_value, is_peer in rows:
        x, y = place(x_value, y_value)
        parts.append(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="4" fill="{_colour(is_peer)}"/>')
        parts.append(f'<text x="{x + 6:.0f}" y="{y + 4:.0f}" font-size="9">{escape(label)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _head(width: int, height: int, title: str) -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            'font-family="sans-serif" font-size="11">',
            '<rect width="100%" height="100%" fill="white"/>',
            f'<text x="8" y="18" font-size="13">{escape(title)}</text>',
        ]
    )


def _colour(is_peer: bool) -> str:
    return PEER_COLOUR if is_peer else FAMILY_COLOUR


def _decades(values: list[float]) -> tuple[int, int]:
    low = floor(log10(min(values, default=1)))
    return low, max(low + 1, ceil(log10(max(values, default=10))))
