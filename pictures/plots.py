# SPDX-License-Identifier: BSD-2-Clause
"""Draw plots of named values: as bars, as shares of totals, or as successive stages. The plots show values with three
significant digits.
"""

from functools import cache

from matplotlib.ticker import FuncFormatter

from pictures.frame import HALO, WIDTH, Line, canvas, colours_of, draw_limit, logarithmic, room_for, series_legend
from pictures.style import INK, PAPER, SERIES, SOFT, digits, settings, svg

_ROW, _GAP = 0.19, 0.09  # height of a row, and of the gap between two groups of rows, in inches


@cache
def values(
    title: str, x_name: str, rows: tuple[tuple[str, float, str], ...], *, log: bool = False, limit: Line | None = None
) -> str:
    """Draw one row per value: a bar that begins at 0, or a point on a logarithmic axis if `log` is true.

    Args:
        title: title of the plot.
        x_name: name of the axis, with unit and kind.
        rows: label, value, and the name of its series. Consecutive rows with the same label form a group.
        log: for values over several decades.
        limit: a line across all rows.

    Raises:
    ------
    PlotError
        There are more series than colours.
    """
    with settings():
        colours = colours_of([series for *_, series in rows])
        places, y, before = [], 0.0, None
        for label, *_ in rows:
            y += _GAP if before not in (None, label) else 0
            places.append(y)
            y, before = y + _ROW, label
        top = 0.75 if len(colours) > 1 else 0.5
        top += 0.2 if limit else 0
        drawn, axes = canvas(title, y + top + 0.6, left=room_for([label for label, *_ in rows]), top=top, bottom=0.6)
        axes.set_xlabel(x_name + (", logarithmic" if log else ""))
        axes.set_ylim(y - _ROW / 2 + 0.02, -_ROW / 2 - 0.02)
        most = max([value for _, value, _ in rows] + ([limit.value] if limit else []))
        if log:
            axes.set_xscale("log")
            axes.set_xlim(min(value for _, value, _ in rows) / 1.6, most * 1.9)
            logarithmic(axes.xaxis)
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
                bbox=HALO,
            )
        groups: dict[str, list[float]] = {}
        for place, (label, *_) in zip(places, rows, strict=True):
            groups.setdefault(label, []).append(place)
        axes.set_yticks([sum(each) / len(each) for each in groups.values()], list(groups), color=INK)
        if limit:
            draw_limit(axes, limit, across=False)
        series_legend(drawn, colours)
        return svg(drawn, title)


@cache
def shares(
    title: str, x_name: str, wholes: tuple[tuple[str, tuple[tuple[str, float], ...]], ...], *, rest: str = ""
) -> str:
    """Draw one horizontal bar per total, divided into the parts of the total. For each total, `wholes` contains the
    label of the total, and a (name, value) pair for each part. `rest` is the name of the part that contains the
    remainder of a total.

    Raises
    ------
    PlotError
        There are more parts than colours.
    """
    with settings():
        colours = colours_of([name for _, parts in wholes for name, _ in parts if name != rest])
        colours |= {rest: SERIES[-1]} if rest else {}
        height = 0.42
        size = height * len(wholes)
        drawn, axes = canvas(title, size + 1.4, left=room_for([label for label, _ in wholes]), top=0.75, bottom=0.6)
        axes.set_ylim(len(wholes) - 0.5, -0.5)
        most = 1.02 * max(sum(value for _, value in parts) for _, parts in wholes)
        axes.set_xlim(0, most)
        axes.set_xlabel(x_name)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axes.grid(axis="x")
        room = most * 0.42 / (WIDTH - room_for([label for label, _ in wholes]) - 0.35)
        for y, (_, parts) in enumerate(wholes):
            left = 0.0
            for name, value in parts:
                axes.barh(y, value, left=left, height=0.66, color=colours[name], edgecolor=PAPER, linewidth=0.8)
                if value > room:
                    axes.text(left + value / 2, y, digits(value), ha="center", va="center", fontsize=8, color=PAPER)
                left += value
        axes.set_yticks(range(len(wholes)), [label for label, _ in wholes], color=INK)
        series_legend(drawn, colours)
        return svg(drawn, title)


@cache
def waterfall(title: str, x_name: str, courses: tuple[tuple[str, tuple[tuple[str, float], ...]], ...]) -> str:
    """Draw how long the stages of one or several processes take. Each stage has a row with a bar. The bar of a stage
    begins where the bar of the previous stage ends.

    Args:
        title: title of the plot.
        x_name: name of the axis, with unit and kind.
        courses: a heading for each course, and name and length of its stages.

    Raises:
    ------
    PlotError
        There are more stages than colours.
    """
    with settings():
        colours = colours_of([name for _, stages in courses for name, _ in stages])
        rows = sum(len(stages) + 1.6 for _, stages in courses)
        drawn, axes = canvas(title, 0.21 * rows + 1.0, left=room_for(list(colours)), top=0.4, bottom=0.6)
        axes.set_ylim(rows - 0.4, -0.6)
        axes.set_xlim(0, max(sum(length for _, length in stages) for _, stages in courses) * 1.12)
        axes.set_xlabel(x_name)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axes.grid(axis="x")
        y, names, places = 0.0, [], []
        for heading, stages in courses:
            total = sum(length for _, length in stages)
            axes.text(0, y, f"{heading}: {digits(total)}", va="center", fontsize=9.5, weight="bold", bbox=HALO)
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
                    bbox=HALO,
                )
                names.append(name)
                places.append(y)
            y += 1.6
        axes.set_yticks(places, names, color=INK)
        return svg(drawn, title)
