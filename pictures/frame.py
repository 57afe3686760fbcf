# SPDX-License-Identifier: BSD-2-Clause
"""Draw the elements that all plots have: frame, title, legend, and axes."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from pictures.style import INK, PAPER, SERIES, WARNING, figure

WIDTH = 8.2  # inches
# Labels get a box in the colour of the background, so that no line crosses them.
HALO = {"boxstyle": "square,pad=0.06", "facecolor": PAPER, "edgecolor": "none"}


class PlotError(ValueError):
    """A plot has more series than there are colours."""


@dataclass(frozen=True)
class Line:
    """A line that shows a limit: its value on the axis, and the text next to the line."""

    value: float
    label: str


def colours_of(names: Sequence[str]) -> dict[str, str]:
    """Return a dictionary that maps the name of each series to its colour. Raise `PlotError` if there are more series
    than colours.
    """
    unique = list(dict.fromkeys(names))
    if len(unique) > len(SERIES):
        raise PlotError(f"{len(unique)} series, but colours for {len(SERIES)}: leave some out, or draw two plots")
    return dict(zip(unique, SERIES, strict=False))


def canvas(title: str, height: float, *, left: float, top: float, bottom: float) -> tuple[Figure, Axes]:
    """Return a new figure and the axes of its plot. `height` is the height of the figure in inches. `left`, `top` and
    `bottom` are the margins around the plot in inches.
    """
    drawn = figure(WIDTH, height)
    box = (left / WIDTH, bottom / height, (WIDTH - left - 0.35) / WIDTH, (height - top - bottom) / height)
    axes = drawn.add_axes(box)
    add_title(drawn, title)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0)
    axes.set_axisbelow(True)
    return drawn, axes


def add_title(drawn: Figure, title: str) -> None:
    """Put the title into the upper left corner."""
    drawn.text(0.1 / WIDTH, 1 - 0.12 / drawn.get_figheight(), title, va="top", fontsize=11, color=INK)


def legend(drawn: Figure, handles: list, *, below: float = 0.36) -> None:
    """Draw a legend with all names in one row. The row is `below` inches below the upper edge of the figure."""
    if handles:
        place = (0.05 / WIDTH, 1 - below / drawn.get_figheight())
        drawn.legend(
            handles=handles,
            loc="upper left",
            bbox_to_anchor=place,
            ncols=len(handles),
            fontsize=8.5,
            handlelength=1.2,
            handletextpad=0.5,
            columnspacing=1.4,
            borderpad=0.2,
            borderaxespad=0,
            labelcolor=INK,
        )


def series_legend(drawn: Figure, colours: dict[str, str]) -> None:
    """Draw a legend with the names of the series, if there are several series."""
    if len(colours) > 1:
        legend(drawn, [Patch(color=colour, label=name) for name, colour in colours.items()])


def logarithmic(axis, steps: tuple[float, ...] = (1, 2, 5)) -> None:
    """Make an axis logarithmic. With the steps 1, 2 and 5, the axis has the labels 1, 2, 5, 10, 20, 50 and so on."""
    axis.set_major_locator(LogLocator(base=10, subs=steps, numticks=50))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())
    axis.set_minor_locator(NullLocator())


def room_for(labels: Sequence[str]) -> float:
    """Return an estimate of the width of the longest label, in inches."""
    return 0.3 + 0.072 * max(map(len, labels))


def draw_limit(axes: Axes, limit: Line, *, across: bool) -> None:
    """Draw a limit line and its label: a horizontal line if `across` is true, otherwise a vertical line with the label
    above the plot.
    """
    draw, place, offset, transform, style = (
        (axes.axhline, (1, limit.value), (0, -3), axes.get_yaxis_transform(), {"va": "top", "bbox": HALO})
        if across
        else (axes.axvline, (limit.value, 1), (0, 3), axes.get_xaxis_transform(), {"va": "bottom"})
    )
    draw(limit.value, color=WARNING, linewidth=1.1, linestyle=(0, (5, 3)))
    axes.annotate(
        limit.label,
        place,
        offset,
        xycoords=transform,
        textcoords="offset points",
        ha="right",
        fontsize=8.5,
        color=WARNING,
        **style,
    )
