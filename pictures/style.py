# SPDX-License-Identifier: BSD-2-Clause
"""Define the look of all pictures, and convert pictures to SVG. The SVG of a picture has the same bytes on every
machine, and suits light and dark pages.

Text is drawn as outlines of the font that Matplotlib includes, so a picture looks the same everywhere. Each colour is
defined here with its counterpart in dark surroundings; a picture with another colour is an error.
"""

import re
from html import escape
from io import StringIO

from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

PAPER, INK, SOFT, GRID = "#ffffff", "#1b1f24", "#57606a", "#d0d7de"
SERIES = ("#2f6db3", "#b5601d", "#3c8043", "#8a4fa3", "#a3324a", "#19838a", "#7a6a12", "#6e7781")
TINTS = ("#dbe8f7", "#f8e6d6", "#deefdf", "#efe1f5", "#f7dde2", "#d8eff0", "#f1ecd0", "#eaeef2")
WARNING = "#b00020"
# Maps each colour to the colour that replaces it on a dark page.
DARK = {
    PAPER: "#0d1117",
    INK: "#e6edf3",
    SOFT: "#9da7b1",
    GRID: "#30363d",
    WARNING: "#ff7b8a",
    **dict(
        zip(
            SERIES,
            ("#6cb0f5", "#f0a35c", "#77c97f", "#cf9be6", "#f08aa0", "#5ccbd2", "#d6c35a", "#b1bac4"),
            strict=True,
        )
    ),
    **dict(
        zip(
            TINTS,
            ("#12304f", "#4a2c10", "#173a1b", "#3a2345", "#4b1a26", "#0f3a3d", "#3a340c", "#21262d"),
            strict=True,
        )
    ),
}
SETTINGS = {
    "svg.fonttype": "path",
    "svg.hashsalt": "pictures",
    "font.family": ["DejaVu Sans"],
    "font.size": 9.0,
    "text.color": INK,
    "axes.edgecolor": GRID,
    "axes.labelcolor": SOFT,
    "axes.facecolor": "none",
    "figure.facecolor": PAPER,
    "xtick.color": GRID,
    "ytick.color": GRID,
    "xtick.labelcolor": SOFT,
    "ytick.labelcolor": SOFT,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "hatch.color": PAPER,
    "legend.frameon": False,
    "path.simplify": False,
}


class ColourError(ValueError):
    """A picture uses a colour that is missing in `DARK`, the table of colours for dark pages."""


def digits(value: float) -> str:
    """Format a value with three significant digits and commas between thousands: 0.104, 7.12, 10.4, 938, 1,260."""
    rounded = float(f"{value:.3g}")
    if abs(rounded) >= 100 or rounded == round(value, 9) == int(rounded):
        return f"{rounded:,.0f}"
    return f"{rounded:#.3g}"


def figure(width: float, height: float) -> Figure:
    """Return an empty picture of `width` by `height` inches. Create the picture and draw in the picture only inside a
    block `with settings():`.
    """
    return Figure(figsize=(width, height))


def settings():
    """Return a context manager that applies the Matplotlib settings `SETTINGS`. Draw every picture in this context."""
    return rc_context(SETTINGS)


def svg(drawn: Figure, title: str, description: str = "") -> str:
    """Return the picture as SVG; `title` and `description` describe it to readers who cannot see it.

    Raises
    ------
    ColourError
        The picture has a colour that `DARK` lacks.
    """
    output = StringIO()
    FigureCanvasSVG(drawn).print_svg(output, metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    text = output.getvalue()
    used = sorted(set(re.findall(r"(fill|stroke): (#[0-9a-f]{6})", text)))
    if unknown := {colour for _, colour in used} - DARK.keys():
        raise ColourError(f"{title}: {', '.join(sorted(unknown))} has no colour for dark surroundings; add it to DARK")
    text = re.sub(r"<\?xml.*?<svg ", "<svg ", text, count=1, flags=re.DOTALL)
    text = re.sub(r" <metadata>.*?</metadata>\n", "", text, count=1, flags=re.DOTALL)
    described = f"<desc>{escape(description)}</desc>\n" if description else ""
    rules = "\n".join(f'[style*="{what}: {light}"] {{{what}: {DARK[light]} !important}}' for what, light in used)
    style = f"<style>@media (prefers-color-scheme: dark) {{\n{rules}\n}}</style>"
    head, body = text.split(">", 1)
    text = f'{head} role="img">\n<title>{escape(title)}</title>\n{described}{style}{body}'
    return re.sub(r"[ \n]*\n *", "\n", text)
