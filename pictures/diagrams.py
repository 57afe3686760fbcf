# SPDX-License-Identifier: BSD-2-Clause
"""Draw block diagrams: boxes with a name and contents, and arrows between points on their edges. Units are inches."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.patheffects import withStroke

from pictures.style import GRID, INK, PAPER, SERIES, SOFT, TINTS, figure, settings, svg

Place = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A box of a diagram, with a name and `lines` of text below the name. `x` and `y` are the lower left corner.
    `colour` is an index in `TINTS`. `source` is the path of the source file of the unit that the box shows.

    With `frame` it contains other boxes, and its name stands in the upper left corner.
    """

    name: str
    x: float
    y: float
    width: float
    height: float
    lines: Sequence[str] = ()
    colour: int = 7
    source: str = ""
    frame: bool = False

    def left(self, at: float = 0.5) -> Place:
        """Return a point of the left edge: `at` is 0 at the bottom and 1 at the top.

        On the horizontal edges, `at` runs from left to right.
        """
        return self.x, self.y + at * self.height

    def right(self, at: float = 0.5) -> Place:
        """Return a point of the right edge: `at` is 0 at the bottom and 1 at the top."""
        return self.x + self.width, self.y + at * self.height

    def top(self, at: float = 0.5) -> Place:
        """Return a point of the upper edge: `at` is 0 at the left and 1 at the right."""
        return self.x + at * self.width, self.y + self.height

    def bottom(self, at: float = 0.5) -> Place:
        """Return a point of the lower edge: `at` is 0 at the left and 1 at the right."""
        return self.x + at * self.width, self.y


@dataclass(frozen=True)
class Arrow:
    """A line through points, with an arrowhead at its last point. If `both` is true, the first point has an arrowhead,
    too. `label_at` is the position of the label.

    A `plain` line has no arrowhead. Where a line crosses a line with `over`, it has a gap.
    """

    points: Sequence[Place]
    label: str = ""
    label_at: Place | None = None
    both: bool = False
    plain: bool = False
    over: bool = False
    bold: bool = False


def draw(title: str, description: str, size: Place, boxes: Sequence[Box], arrows: Sequence[Arrow]) -> str:
    """Return the diagram as SVG of `size` inches. In `boxes`, a box must come before the boxes inside it."""
    with settings():
        drawn = figure(*size)
        axes = drawn.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, size[0])
        axes.set_ylim(0, size[1])
        axes.axis("off")
        for box in boxes:
            _box(axes, box)
        for n, arrow in enumerate(arrows):
            _arrow(axes, arrow, 1.5 + 0.2 * arrow.over + n / 1000)
        axes.text(0.1, size[1] - 0.1, title, va="top", fontsize=12, color=INK)
        return svg(drawn, title, description)


def _box(axes, box: Box) -> None:
    fill, edge = (PAPER, GRID) if box.frame else (TINTS[box.colour], SERIES[box.colour])
    axes.add_patch(
        FancyBboxPatch(
            (box.x, box.y),
            box.width,
            box.height,
            boxstyle="round,pad=0,rounding_size=0.06",
            facecolor=fill,
            edgecolor=edge,
            linewidth=1.0,
            zorder=1 if box.frame else 2,
        )
    )
    if box.frame:
        axes.text(box.x + 0.1, box.y + box.height - 0.08, box.name, va="top", fontsize=9.5, color=SOFT, zorder=3)
        return
    step = 0.155
    top = box.y + box.height / 2 + step * len(box.lines) / 2
    middle = box.x + box.width / 2
    axes.text(middle, top, box.name, ha="center", va="center", fontsize=9.5, color=INK, weight="bold", zorder=3)
    for n, line in enumerate(box.lines, 1):
        axes.text(middle, top - step * n - 0.01, line, ha="center", va="center", fontsize=8, color=INK, zorder=3)


def _arrow(axes, arrow: Arrow, order: float) -> None:
    width = 1.8 if arrow.bold else 1.1
    *before, last = arrow.points
    xs, ys = zip(*arrow.points, strict=True)
    gap = [withStroke(linewidth=width + 5, foreground=PAPER)] if arrow.over else []
    axes.plot(
        xs,
        ys,
        color=SOFT,
        linewidth=width,
        zorder=order,
        solid_joinstyle="round",
        solid_capstyle="butt",
        path_effects=gap,
    )
    ends = [] if arrow.plain else [(before[-1], last)] + ([(arrow.points[1], arrow.points[0])] if arrow.both else [])
    for begin, end in ends:
        style = "-|>,head_length=4,head_width=2.2"
        axes.add_patch(
            FancyArrowPatch(
                begin, end, arrowstyle=style, color=SOFT, linewidth=width, shrinkA=0, shrinkB=0, zorder=order
            )
        )
    if arrow.label and arrow.label_at:
        axes.text(
            *arrow.label_at,
            arrow.label,
            ha="center",
            va="center",
            fontsize=7.8,
            color=SOFT,
            zorder=4,
            bbox={"boxstyle": "square,pad=0.15", "facecolor": PAPER, "edgecolor": "none"},
        )
