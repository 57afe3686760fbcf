# SPDX-License-Identifier: BSD-2-Clause
"""Draw plots of points (x and y) with labels that do not overlap. Limits and Pareto fronts can be added."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.transforms import Bbox

from pictures.frame import (
    HALO,
    WIDTH,
    Line,
    PlotError,
    add_title,
    colours_of,
    draw_limit,
    legend,
    logarithmic,
    series_legend,
)
from pictures.style import INK, PAPER, SOFT, figure, settings, svg

MARKERS = ("o", "s", "^", "D")


@dataclass(frozen=True)
class Point:
    """A point of a plot, with its label and series. `marker` is a name from the argument `markers` of the function
    `points`.
    """

    label: str
    x: float
    y: float
    series: str
    marker: str = ""
    on_front: bool = False


@cache
def points(
    title: str,
    x_name: str,
    y_name: str,
    panels: tuple[tuple[str, tuple[Point, ...]], ...],
    *,
    limit: Line | None = None,
    log: bool = True,
    front: str = "",
    markers: tuple[str, ...] = (),
    joined: bool = False,
) -> str:
    """Draw points with labels, in one panel, or in several panels that stand below each other and share the x axis.

    Args:
        title: title of the plot.
        x_name: name of the axis, with unit and kind.
        y_name: name of the y axes, with unit and kind.
        panels: heading and points of each panel.
        limit: a horizontal line.
        log: whether the axes are logarithmic.
        front: name of the line through the points on the front. The line has stairs; less is better on both axes.
        markers: meanings of `MARKERS`, in order.
        joined: whether a line connects the points of one label. The label then stands only at the highest point.

    Raises:
    ------
    PlotError
        There are more series than colours.
    """
    with settings():
        everything = [point for _, inside in panels for point in inside]
        colours = colours_of([point.series for point in everything])
        each, rows = (4.9 if joined else 4.3 if len(panels) == 1 else 3.5), 2 if markers or front else 1
        top = 0.3 + 0.24 * rows + (0.2 if any(heading for heading, _ in panels) else 0)
        height = top + each * len(panels) + 0.05
        drawn = figure(WIDTH, height)
        add_title(drawn, title)
        series_legend(drawn, colours)
        shapes = dict(zip(markers, MARKERS, strict=False))
        extra = [Line2D([], [], color=SOFT, marker=m, linestyle="", markersize=6, label=n) for n, m in shapes.items()]
        if front:
            extra.append(Line2D([], [], color=INK, linewidth=1, linestyle=(0, (4, 2)), label=front))
        legend(drawn, extra, below=0.6)
        for n, (heading, inside) in enumerate(panels):
            bottom = height - top - each * (n + 1) + 0.62
            axes = drawn.add_axes((0.75 / WIDTH, bottom / height, (WIDTH - 1.0) / WIDTH, (each - 0.85) / height))
            _panel(axes, x_name, y_name, heading, inside, everything, limit, log, front)
            for point in inside:
                marker = shapes.get(point.marker, "o")
                size = 8 if marker == "^" else 6.5
                axes.plot(
                    [point.x],
                    [point.y],
                    marker,
                    color=colours[point.series],
                    markersize=size,
                    markeredgecolor=PAPER,
                    markeredgewidth=0.7,
                    zorder=3,
                )
            labelled = _join(axes, inside) if joined else inside
            _place_labels(axes, labelled, inside, limit)
        return svg(drawn, title)


def _panel(axes: Axes, x_name, y_name, heading, inside, everything, limit, log, front) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0)
    axes.set_axisbelow(True)
    axes.grid()
    axes.set_xlabel(x_name)
    axes.set_ylabel(y_name)
    axes.set_title(heading, loc="left", fontsize=9.5, color=INK)
    xs, ys = [p.x for p in everything], [p.y for p in inside] + ([limit.value] if limit else [])
    if log:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(min(xs) / 1.35, max(xs) * 1.7)
        axes.set_ylim(min(ys) / 1.5, max(ys) * 1.5)
        logarithmic(axes.xaxis)
        logarithmic(axes.yaxis)
    else:
        axes.set_xlim(0, max(xs) * 1.12)
        axes.set_ylim(0, max(ys) * 1.12)
    if limit:
        draw_limit(axes, limit, across=True)
    if front:
        stairs = sorted((p.x, p.y) for p in inside if p.on_front)
        right = axes.get_xlim()[1]
        axes.step(
            [x for x, _ in stairs] + [right],
            [y for _, y in stairs] + [stairs[-1][1]],
            where="post",
            color=INK,
            linewidth=1,
            linestyle=(0, (4, 2)),
            zorder=2,
        )


def _join(axes: Axes, inside: Sequence[Point]) -> list[Point]:
    """Draw a line through all points with the same label. For each label, return the point with the largest y value."""
    found: dict[str, list[Point]] = {}
    for point in inside:
        found.setdefault(point.label, []).append(point)
    for each in found.values():
        axes.plot([p.x for p in each], [p.y for p in each], color=SOFT, linewidth=0.8, zorder=1.5)
    return [max(each, key=lambda p: p.y) for each in found.values()]


def _place_labels(axes: Axes, labelled: Sequence[Point], inside: Sequence[Point], limit: Line | None) -> None:
    """Place each label so that it does not overlap anything. A label stands next to its point, above it, below it, or
    further away with a thin line to the point.
    """
    area = axes.get_window_extent()
    places = [axes.transData.transform((point.x, point.y)) for point in inside]
    taken = [Bbox.from_bounds(x - 5, y - 5, 10, 10) for x, y in places]
    if limit:
        _, y = axes.transData.transform((inside[0].x, limit.value))
        taken += [
            Bbox.from_extents(area.x0, y - 1, area.x1, y + 1),
            Bbox.from_extents(area.x1 - 280, y - 18, area.x1, y),
        ]
    aside = [(x * 8, y * far) for far in (14, 24, 36, 50) for y in (1, -1) for x in (1, -1)]
    steps = [(7, 0), (-7, 0), (0, 9), (0, -9), *aside]
    for point in sorted(labelled, key=lambda point: point.x):
        best = None
        for across, up in steps:
            side = "left" if across > 0 else "right" if across < 0 else "center"
            text = axes.annotate(
                point.label,
                (point.x, point.y),
                (across, up),
                textcoords="offset points",
                ha=side,
                va="center",
                fontsize=8,
                color=INK,
                zorder=4,
                bbox=HALO,
            )
            box = text.get_window_extent().padded(1)
            inside_area = area.x0 <= box.x0 and box.x1 <= area.x1 + 18 and area.y0 <= box.y0 and box.y1 <= area.y1 + 8
            if inside_area and not any(box.overlaps(other) for other in taken):
                best = (text, box, across, up)
                break
            text.remove()
        if best is None:
            raise PlotError(f"no room for the label {point.label!r}: shorten labels, or draw fewer points")
        _, box, across, up = best
        taken.append(box)
        if abs(up) > 10:
            axes.annotate(
                "",
                (point.x, point.y),
                (across, up),
                textcoords="offset points",
                arrowprops={"arrowstyle": "-", "color": SOFT, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 4},
            )
