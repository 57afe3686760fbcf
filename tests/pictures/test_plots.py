# SPDX-License-Identifier: BSD-2-Clause
"""Test plots: lengths of bars, positions of points, limit lines and Pareto fronts. Labels must not overlap anything."""

from itertools import combinations, pairwise

import pytest

from pictures import plots, points
from pictures.frame import Line, PlotError
from pictures.points import Point
from pictures.style import INK, SERIES, WARNING
from tests.pictures.support import markers, shapes, words


def lengths(boxes):
    return [right - left for left, _, right, _ in boxes]


def test_bars_are_as_long_as_their_values_in_groups_with_room_between():
    rows = (("table", 10.0, "engine"), ("ise", 200.0, "engine"), ("ise", 100.0, "link"), ("null", 0.0, "link"))
    text = plots.values("speeds", "Mbps (sim)", rows)
    engine, link = (shapes(text, colour)[:2] for colour in SERIES[:2])
    bars = [box for box in (*engine, *link) if box[1] > 40]  # without the legend
    (table, ise), (of_link, nothing) = (sorted(each, key=lambda box: box[1]) for each in (engine, link))
    assert lengths([ise, of_link]) == pytest.approx([20 * lengths([table])[0], 10 * lengths([table])[0]], rel=1e-3)
    assert len(bars) == 4 and lengths([nothing]) == [0]
    gap = of_link[1] - ise[3]
    assert ise[1] - table[3] > gap > 0
    assert {"speeds", "Mbps (sim)", "table", "ise", "10", "200", "100", "0"} <= set(words(text))
    assert words(text).count("ise") == 1


def test_values_over_decades_lie_by_their_logarithm_and_the_limit_beyond():
    rows = (("a", 10.0, "x"), ("b", 100.0, "x"), ("c", 1000.0, "x"))
    text = plots.values("speeds", "Mbps", rows, log=True, limit=Line(2000.0, "the wire"))
    first, second, third = (x for x, _ in markers(text, SERIES[0]))
    assert second - first == pytest.approx(third - second, rel=1e-3) and second > first
    assert f"stroke: {WARNING}" in text and "the wire" in words(text) and "Mbps, logarithmic" in words(text)


def test_parts_of_a_whole_lie_in_a_row_and_the_rest_has_its_own_colour():
    wholes = (("one", (("cpu", 300.0), ("unit", 100.0), ("rest", 50.0))), ("two", (("cpu", 100.0), ("rest", 5.0))))
    text = plots.shares("where", "LUT4", wholes, rest="rest")
    cpu, unit, rest = (shapes(text, colour)[0] for colour in (SERIES[0], SERIES[1], SERIES[-1]))
    assert cpu[2] == pytest.approx(unit[0]) and unit[2] == pytest.approx(rest[0])
    assert lengths([cpu, unit]) == pytest.approx([6 * lengths([rest])[0], 2 * lengths([rest])[0]], rel=1e-3)


def test_more_series_than_colours_are_an_error():
    rows = tuple((str(n), 1.0, f"series {n}") for n in range(len(SERIES) + 1))
    with pytest.raises(PlotError, match="9 series, but colours for 8"):
        plots.values("many", "", rows)


def test_stages_begin_where_the_one_before_ended():
    courses = (("slow", (("wire", 100.0), ("copy", 300.0), ("engine", 50.0))), ("fast", (("wire", 100.0),)))
    text = plots.waterfall("a record", "cycles", courses)
    wire, again = shapes(text, SERIES[0])
    copy, engine = shapes(text, SERIES[1])[0], shapes(text, SERIES[2])[0]
    for before, after in pairwise((wire, copy, engine)):
        assert before[2] == pytest.approx(after[0]) and before[3] < after[1]
    assert again[0] == pytest.approx(wire[0])
    assert {"slow: 450", "fast: 100", "300"} <= set(words(text))


def panel(shown, **more):
    return points.points("area", "LUT4", "cycles", (("", tuple(shown)),), **more)


def test_points_lie_by_the_logarithm_of_their_values():
    text = panel([Point("a", 100, 10, "x"), Point("b", 1000, 100, "x"), Point("c", 10000, 1000, "x")])
    (ax, ay), (bx, by), (cx, cy) = markers(text, SERIES[0])
    assert bx - ax == pytest.approx(cx - bx, rel=1e-3) and ay - by == pytest.approx(by - cy, rel=1e-3) and ay > by


def test_the_front_goes_in_stairs_through_its_points_and_no_other():
    points = [
        Point("a", 100, 100, "x", on_front=True),
        Point("b", 200, 300, "x"),
        Point("c", 400, 10, "x", on_front=True),
    ]
    text = panel(points, front="front")
    dashed = [d for d in text.split("<path d=")[1:] if "stroke-dasharray" in d and f"stroke: {INK}" in d]
    (line,) = [d for d in dashed if "clip-path" in d]
    numbers = [float(each) for each in line.split('"')[1].replace("M", "").replace("L", "").split()]
    stairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    a, _, c = markers(text, SERIES[0])
    assert stairs[0] == pytest.approx(a) and stairs[1] == pytest.approx((c[0], a[1])) and stairs[2] == pytest.approx(c)
    assert "front" in words(text)


def test_labels_of_near_points_lie_on_no_other_and_on_no_limit(monkeypatch):
    placed = []
    monkeypatch.setattr(points, "svg", lambda drawn, _: placed.extend(drawn.axes[0].texts) or "")
    panel([Point(f"core {n}", 1000 + 9 * n, 500 + 3 * n, "x") for n in range(6)], limit=Line(510, "no more"))
    boxes = [text.get_window_extent() for text in placed if text.get_text().startswith("core")]
    (axes,) = {text.axes for text in placed}
    limit = axes.transData.transform((1000, 510))[1]
    assert len(boxes) == 6
    assert not [pair for pair in combinations(boxes, 2) if pair[0].overlaps(pair[1])]
    assert not [box for box in boxes if box.y0 < limit < box.y1]


def test_a_label_without_room_is_an_error():
    with pytest.raises(PlotError, match="no room for the label"):
        panel([Point("a very long label " * 9, 10 + n, 10, "x") for n in range(2)])


def test_points_of_one_label_are_joined_and_labelled_once():
    text = panel([Point("ise", 10, y, f"{y} Mbit/s") for y in (1, 2, 3)], joined=True)
    assert words(text).count("ise") == 1


def test_markers_say_what_a_point_can():
    points = [Point("a", 10, 1, "x", "encrypts"), Point("b", 20, 2, "x", "decrypts")]
    text = panel(points, markers=("encrypts", "decrypts"))
    assert {"encrypts", "decrypts"} <= set(words(text))
    assert len(set(markers(text, SERIES[0]))) == 2
