# SPDX-License-Identifier: BSD-2-Clause
"""Finds the texts in an SVG file, and the shapes that have a given colour. In such a file, each text is drawn as
outlines, next to an XML comment that contains the text.
"""

import re
from html import unescape
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def words(text):
    """Return all texts in the order in which they are drawn."""
    return [unescape(each) for each in re.findall(r"<!-- (.*?) -->", text)]


def shapes(text, colour):
    """Return left, top, right and bottom of each path that is filled with a colour."""
    found = []
    for path in ElementTree.fromstring(text).iter(f"{SVG}path"):
        if f"fill: {colour}" in path.get("style", ""):
            numbers = [float(each) for each in re.findall(r"-?[\d.]+", path.get("d"))]
            found.append((min(numbers[::2]), min(numbers[1::2]), max(numbers[::2]), max(numbers[1::2])))
    return found


def markers(text, colour):
    """Return (x, y) of each marker that has this colour."""
    uses = ElementTree.fromstring(text).iter(f"{SVG}use")
    return [(float(each.get("x")), float(each.get("y"))) for each in uses if f"fill: {colour}" in each.get("style", "")]
