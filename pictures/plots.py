"""Plots of figures: values by name, shares of wholes, points over two axes. All say three significant digits."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator
from matplotlib.transforms import Bbox

from pictures.style import INK, PAPER, SERIES, SOFT, WARNING, digits, figure, settings, svg

WIDTH = 8.2  # inches
_ROW, _GAP = 0.19, 0.09  # of a value, and between groups
MARKERS = ("o", "s", "^", "D")
# Of labels: no line crosses one.
_HALO = {"boxstyle": "square,pad=0.06", "facecolor": PAPER, "edgecolor": "none"}


class PlotError(ValueError):
    """There are more series than colours."""


@dataclass(frozen=True)
class Line:
    """A limit at `value`, and what it is."""

    value: float
    label: str


@dataclass(frozen=True)
class Point:
    """A point with its label and series; `marker` is one of the names that a plot gives to `MARKERS`."""

    label: str
    x: float
    y: float
    series: str
    marker: str = ""
    on_front: bool = False


def _colours(names: Sequence[str]) -> dict[str, str]:
    unique = list(dict.fromkeys(names))
    if len(unique) > len(SERIES):
        raise PlotError(f"{len(unique)} series, but colours for {len(SERIES)}: leave some out, or draw two plots")
    return dict(zip(unique, SERIES, strict=False))


def _canvas(title: str, height: float, *, left: float, top: float, bottom: float) -> tuple[Figure, Axes]:
    """A figure of so many inches with one plot in it; its edges in inches from those of the figure."""
    drawn = figure(WIDTH, height)
    box = (left / WIDTH, bottom / height, (WIDTH - left - 0.35) / WIDTH, (height - top - bottom) / height)
    axes = drawn.add_axes(box)
    _title(drawn, title)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0)
    axes.set_axisbelow(True)
    return drawn, axes


def _title(drawn: Figure, title: str) -> None:
    drawn.text(0.1 / WIDTH, 1 - 0.12 / drawn.get_figheight(), title, va="top", fontsize=11, color=INK)


def _legend(drawn: Figure, handles: list, *, below: float = 0.36) -> None:
    """The names of series in a row, so many inches below the upper edge."""
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


def _series_legend(drawn: Figure, colours: dict[str, str]) -> None:
    """The names of the series, where there are several."""
    if len(colours) > 1:
        _legend(drawn, [Patch(color=colour, label=name) for name, colour in colours.items()])


def _logarithmic(axis, steps: tuple[float, ...] = (1, 2, 5)) -> None:
    axis.set_major_locator(LogLocator(base=10, subs=steps, numticks=50))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())
    axis.set_minor_locator(NullLocator())


@cache
def values(
    title: str, x_name: str, rows: tuple[tuple[str, float, str], ...], *, log: bool = False, limit: Line | None = None
) -> str:
    """A row for each value: bars from 0, or with `log` points over a logarithmic axis.

    Args:
        title: says what is drawn.
        x_name: of the axis, with unit and kind.
        rows: label, value, and the name of its series. Rows that follow each other with one label are a group.
        log: for values over several decades.
        limit: a line across all rows.

    Raises:
    ------
    PlotError
        There are more series than colours.
    """
    with settings():
        colours = _colours([series for *_, series in rows])
        places, y, before = [], 0.0, None
        for label, *_ in rows:
            y += _GAP if before not in (None, label) else 0
            places.append(y)
            y, before = y + _ROW, label
        top = 0.75 if len(colours) > 1 else 0.5
        top += 0.2 if limit else 0
        drawn, axes = _canvas(title, y + top + 0.6, left=_left([label for label, *_ in rows]), top=top, bottom=0.6)
        axes.set_xlabel(x_name + (", logarithmic" if log else ""))
        axes.set_ylim(y - _ROW / 2 + 0.02, -_ROW / 2 - 0.02)
        most = max([value for _, value, _ in rows] + ([limit.value] if limit else []))
        if log:
            axes.set_xscale("log")
            axes.set_xlim(min(value for _, value, _ in rows) / 1.6, most * 1.9)
            _logarithmic(axes.xaxis)
        else:
            axes.set_xlim(0, most * 1.1)
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axes.grid(axis="x")
        start = axes.get_xlim()[0]
        for place, (_, value, series) in zip(places, rows, strict=True):
            if log:
                axes.plot([start, value], [place, place], color=colours[series], linewidth=0.9)
                axes.plot([value], [place], "o", color=colours[series], markersize=5)
            else:
                axes.barh(place, value, height=0.8 * _ROW, color=colours[series])
            axes.annotate(
                digits(value),
                (value, place),
                (6 if log else 4, 0),
                textcoords="offset points",
                va="center",
                fontsize=8.5,
                bbox=_HALO,
            )
        groups: dict[str, list[float]] = {}
        for place, (label, *_) in zip(places, rows, strict=True):
            groups.setdefault(label, []).append(place)
        axes.set_yticks([sum(each) / len(each) for each in groups.values()], list(groups), color=INK)
        if limit:
            axes.axvline(limit.value, color=WARNING, linewidth=1.1, linestyle=(0, (5, 3)))
            axes.annotate(
                limit.label,
                (limit.value, 1),
                (0, 3),
                xycoords=axes.get_xaxis_transform(),
                textcoords="offset points",
                ha="right",
                va="bottom",
                fontsize=8.5,
                color=WARNING,
            )
        _series_legend(drawn, colours)
        return svg(drawn, title)


def _left(labels: Sequence[str]) -> float:
    """Inches that the longest of the labels takes."""
    return 0.3 + 0.072 * max(map(len, labels))


@cache
def shares(
    title: str, x_name: str, wholes: tuple[tuple[str, tuple[tuple[str, float], ...]], ...], *, rest: str = ""
) -> str:
    """A bar for each whole, of parts in a row: label, and name and value of each part; `rest` names the last part.

    Raises
    ------
    PlotError
        There are more parts than colours.
    """
    with settings():
        colours = _colours([name for _, parts in wholes for name, _ in parts if name != rest])
        colours |= {rest: SERIES[-1]} if rest else {}
        height = 0.42
        size = height * len(wholes)
        drawn, axes = _canvas(title, size + 1.4, left=_left([label for label, _ in wholes]), top=0.75, bottom=0.6)
        axes.set_ylim(len(wholes) - 0.5, -0.5)
        most = 1.02 * max(sum(value for _, value in parts) for _, parts in wholes)
        axes.set_xlim(0, most)
        axes.set_xlabel(x_name)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axes.grid(axis="x")
        room = most * 0.42 / (WIDTH - _left([label for label, _ in wholes]) - 0.35)
        for y, (_, parts) in enumerate(wholes):
            left = 0.0
            for name, value in parts:
                axes.barh(y, value, left=left, height=0.66, color=colours[name], edgecolor=PAPER, linewidth=0.8)
                if value > room:
                    axes.text(left + value / 2, y, digits(value), ha="center", va="center", fontsize=8, color=PAPER)
                left += value
        axes.set_yticks(range(len(wholes)), [label for label, _ in wholes], color=INK)
        _series_legend(drawn, colours)
        return svg(drawn, title)


@cache
def waterfall(title: str, x_name: str, courses: tuple[tuple[str, tuple[tuple[str, float], ...]], ...]) -> str:
    """Stages one after the other, a row each, which begins where the one before ended.

    Args:
        title: says what is drawn.
        x_name: of the axis, with unit and kind.
        courses: heading of each, and name and length of its stages.

    Raises:
    ------
    PlotError
        There are more stages than colours.
    """
    with settings():
        colours = _colours([name for _, stages in courses for name, _ in stages])
        rows = sum(len(stages) + 1.6 for _, stages in courses)
        drawn, axes = _canvas(title, 0.21 * rows + 1.0, left=_left(list(colours)), top=0.4, bottom=0.6)
        axes.set_ylim(rows - 0.4, -0.6)
        axes.set_xlim(0, max(sum(length for _, length in stages) for _, stages in courses) * 1.12)
        axes.set_xlabel(x_name)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axes.grid(axis="x")
        y, names, places = 0.0, [], []
        for heading, stages in courses:
            total = sum(length for _, length in stages)
            axes.text(0, y, f"{heading}: {digits(total)}", va="center", fontsize=9.5, weight="bold", bbox=_HALO)
            begin = 0.0
            for name, length in stages:
                y += 1
                axes.barh(y, length, left=begin, height=0.78, color=colours[name])
                axes.plot([begin, begin], [y - 1 if begin else y, y], color=SOFT, linewidth=0.6, zorder=0.5)
                begin += length
                axes.annotate(
                    digits(length),
                    (begin, y),
                    (4, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=8.5,
                    bbox=_HALO,
                )
                names.append(name)
                places.append(y)
            y += 1.6
        axes.set_yticks(places, names, color=INK)
        return svg(drawn, title)


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
    """Points with labels, in one panel or several below each other that have one x axis.

    Args:
        title: says what is drawn.
        x_name: of the axis, with unit and kind.
        y_name: of the axes, with unit and kind.
        panels: the heading of each, and its points.
        limit: a horizontal line.
        log: whether the axes are logarithmic.
        front: what a line through the points on the front is, stairs for which less is better on both axes.
        markers: what `MARKERS` mean, in order.
        joined: whether a line goes through the points of one label, which then stands at the highest alone.

    Raises:
    ------
    PlotError
        There are more series than colours.
    """
    with settings():
        everything = [point for _, inside in panels for point in inside]
        colours = _colours([point.series for point in everything])
        each, rows = (4.9 if joined else 4.3 if len(panels) == 1 else 3.5), 2 if markers or front else 1
        top = 0.3 + 0.24 * rows + (0.2 if any(heading for heading, _ in panels) else 0)
        height = top + each * len(panels) + 0.05
        drawn = figure(WIDTH, height)
        _title(drawn, title)
        _series_legend(drawn, colours)
        shapes = dict(zip(markers, MARKERS, strict=False))
        extra = [Line2D([], [], color=SOFT, marker=m, linestyle="", markersize=6, label=n) for n, m in shapes.items()]
        if front:
            extra.append(Line2D([], [], color=INK, linewidth=1, linestyle=(0, (4, 2)), label=front))
        _legend(drawn, extra, below=0.6)
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
        _logarithmic(axes.xaxis)
        _logarithmic(axes.yaxis)
    else:
        axes.set_xlim(0, max(xs) * 1.12)
        axes.set_ylim(0, max(ys) * 1.12)
    if limit:
        axes.axhline(limit.value, color=WARNING, linewidth=1.1, linestyle=(0, (5, 3)))
        axes.annotate(
            limit.label,
            (1, limit.value),
            (0, -3),
            xycoords=axes.get_yaxis_transform(),
            va="top",
            ha="right",
            textcoords="offset points",
            fontsize=8.5,
            color=WARNING,
            bbox=_HALO,
        )
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
    """Lines through the points of one label each; gives the highest of each."""
    found: dict[str, list[Point]] = {}
    for point in inside:
        found.setdefault(point.label, []).append(point)
    for each in found.values():
        axes.plot([p.x for p in each], [p.y for p in each], color=SOFT, linewidth=0.8, zorder=1.5)
    return [max(each, key=lambda p: p.y) for each in found.values()]


def _place_labels(axes: Axes, labelled: Sequence[Point], inside: Sequence[Point], limit: Line | None) -> None:
    """Labels where nothing else is: right or left of the point, above or below it, further away with a thin line."""
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
                bbox=_HALO,
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
