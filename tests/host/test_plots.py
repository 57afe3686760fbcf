# SPDX-License-Identifier: BSD-2-Clause
"""Tests the SVG plots of `cipherlane report`: lengths, positions, and colours in light and dark mode."""

from xml.etree import ElementTree

from cipherlane.measuring import plots


def test_bars_are_as_long_as_their_values_and_coloured_by_series():
    text = plots.bars("speeds", [("table", 10.0, "engine"), ("ise", 200.0, "engine"), ("ise", 100.0, "link")]).inline()
    image = ElementTree.fromstring(text)
    drawn = [bar for bar in image.iter("rect") if bar.get("x") == str(plots.LEFT)]
    assert [int(bar.get("width")) for bar in drawn] == [28, 560, 280]
    assert [bar.get("class") for bar in drawn] == ["s0", "s0", "s1"]
    words = [text.text for text in image.iter("text")]
    assert words == ["speeds", "engine", "link", "table", "10", "ise", "200", "100"]


def test_each_series_has_a_colour_for_light_and_for_dark_surroundings():
    light, dark = plots.STYLE.split("@media (prefers-color-scheme: dark)")
    for (on_white, on_black), name in zip(plots.COLOURS, ("s0", "s1"), strict=False):
        assert f".{name} {{ fill: {on_white} }}" in light and f".{name} {{ fill: {on_black} }}" in dark
    assert ".page { fill: white }" in light and ".page { fill: #111 }" in dark


def test_runs_lie_from_left_to_right_from_0_up_and_refused_ones_have_a_ring():
    plot = plots.runs("ise", [(100.0, "a", False), (50.0, "<b>", True), (0.0, "c", False)], "first", "last")
    image = ElementTree.fromstring(plot.inline())
    points = [(float(c.get("cx")), float(c.get("cy"))) for c in image.iter("circle") if c.get("class") == "s0"]
    (line,) = image.iter("polyline")
    assert line.get("points") == " ".join(f"{x},{y}" for x, y in points)
    (left, top), (middle, half), (right, bottom) = points
    assert middle - left == right - middle > 0 and half - top == bottom - half > 0
    (ring,) = [c for c in image.iter("circle") if c.get("class") == "ring"]
    assert (float(ring.get("cx")), float(ring.get("cy"))) == (middle, half)
    assert [title.text for title in image.iter("title")] == ["a", "<b>", "c"]
    ElementTree.fromstring(plots.runs("none", [], "", "").inline())


def test_a_part_of_a_page_has_its_name_and_no_style_of_its_own():
    plot = plots.bars('A "plot" <1>', [("a", 0.0, "one")])
    image = ElementTree.fromstring(plot.inline())
    assert image.get("role") == "img" and 'A "plot" <1>' in image.get("aria-label")
    assert not list(image.iter("style"))
