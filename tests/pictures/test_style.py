# SPDX-License-Identifier: BSD-2-Clause
"""Test that pictures have the same bytes on all machines, colours for light and dark pages, and numbers with three
significant digits.
"""

import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from pictures import plots, style
from tests.pictures.support import SVG

DRAW = "from pictures import plots; print(plots.values('t', 'Mbps', (('a', 1.0, 'x'), ('b', 2.0, 'y'))))"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.10419, "0.104"),
        (0.5, "0.500"),
        (7.12073, "7.12"),
        (10.67, "10.7"),
        (40.0, "40"),
        (99.96, "100"),
        (938.476, "938"),
        (1255.2, "1,260"),
        (12003, "12,000"),
        (0, "0"),
    ],
)
def test_figures_have_three_significant_digits(value, shown):
    assert style.digits(value) == shown


def test_bytes_depend_on_neither_process_nor_hash_nor_the_machines_fonts_and_settings(tmp_path):
    (tmp_path / "matplotlibrc").write_text("font.size: 30\nsvg.fonttype: none\n")
    environment = {"PYTHONHASHSEED": "1", "MPLCONFIGDIR": str(tmp_path), "MATPLOTLIBRC": str(tmp_path)}
    environment |= {"PYTHONPATH": ".", "HOME": str(tmp_path), "TZ": "UTC+1"}
    command = [sys.executable, "-c", DRAW]
    there = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300).stdout
    here = plots.values("t", "Mbps", (("a", 1.0, "x"), ("b", 2.0, "y")))
    assert there == here + "\n"
    assert "<text" not in here and "font-family" not in here


def test_each_colour_has_its_counterpart_in_dark_surroundings():
    text = plots.values("speeds", "Mbps", (("a", 1.0, "one"), ("b", 2.0, "two")))
    (rules,) = re.findall(r"@media \(prefers-color-scheme: dark\) \{(.*?)\}</style>", text.replace("\n", ""))
    used = set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})\"", text.split("</style>", 1)[1]))
    assert {style.SERIES[0], style.SERIES[1], style.PAPER} <= used
    for colour in used:
        assert f'"] {{fill: {style.DARK[colour]} !important}}' in rules or style.DARK[colour] in rules
    with style.settings():
        drawn = style.figure(1, 1)
        drawn.text(0, 0, "x", color="#123456")
        with pytest.raises(style.ColourError, match="#123456 has no colour for dark"):
            style.svg(drawn, "odd")


def test_a_picture_says_what_it_shows_to_who_cannot_see_it():
    with style.settings():
        image = ElementTree.fromstring(style.svg(style.figure(1, 1), 'A "picture" <1>', "of & for"))
    assert image.get("role") == "img"
    assert [image.find(f"{SVG}{name}").text for name in ("title", "desc")] == ['A "picture" <1>', "of & for"]
