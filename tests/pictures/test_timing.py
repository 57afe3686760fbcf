# SPDX-License-Identifier: BSD-2-Clause
"""Test that timing diagrams show simulated signals. Each diagram must be one picture for both light and dark pages."""

import re
import xml.etree.ElementTree as ET

from pictures import timing


def texts(svg):
    return [each.text for each in ET.fromstring(svg).iter() if each.tag.endswith(("text", "tspan")) and each.text]


def test_instructions_are_answered_in_order():
    svg = timing.instructions()
    assert svg == timing.instructions() and len(svg) < 300_000
    shown = texts(svg)
    assert [each for each in shown if "v" in each and "round" in each] == [
        "round_enc v0",
        "round_enc v1",
        "round_enc v1",
    ]
    assert shown.count("0") == 3 and "0x20000" in shown, "rounds answer 0, status tells version 2"
    assert re.search(r'<rect[^>]*fill="white"', svg)


def test_keystream_has_each_block_of_the_request():
    shown = texts(timing.keystream())
    assert {"request.valid", "keystream.valid"} <= set(shown) and [s for s in shown if s in "01"] == ["0", "1"]


def test_values_last_until_they_are_taken():
    row = timing._values("name", [0, 1, 1, 0, 1, 1], [0, 0, 1, 0, 1, 1], ["a", "b", "c"])
    assert row["wave"] == "x=.x=="
