# SPDX-License-Identifier: BSD-2-Clause
"""Test the block diagrams: words lie inside their boxes, boxes do not overlap, and the sources that they name exist."""

from itertools import combinations
from pathlib import Path

import pytest

from pictures import diagrams, soc, vector_unit
from pictures.style import INK
from tests.pictures.support import words

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("module", [soc, vector_unit])
def test_boxes_are_of_sources_that_exist_and_lie_apart(module):
    boxes = [box for box in module.BOXES if not box.frame]
    assert [box.name for box in boxes if not (ROOT / box.source).exists()] == []
    for one, other in combinations(boxes, 2):
        apart = (
            one.right()[0] <= other.x or other.right()[0] <= one.x or one.top()[1] <= other.y or other.top()[1] <= one.y
        )
        assert apart, (one.name, other.name)


@pytest.mark.parametrize("module", [soc, vector_unit])
def test_words_stay_in_their_boxes(module, monkeypatch):
    drawn = []
    monkeypatch.setattr(diagrams, "svg", lambda figure, *_: drawn.append(figure) or "")
    module.picture()
    (axes,) = drawn[0].axes
    edges = [patch.get_window_extent() for patch in axes.patches if isinstance(patch, diagrams.FancyBboxPatch)]
    boxes = [edge for edge, box in zip(edges, module.BOXES, strict=True) if not box.frame]
    inside = {name for box in module.BOXES if not box.frame for name in (box.name, *box.lines)}
    texts = [text for text in axes.texts if text.get_text() in inside and text.get_color() == INK]
    assert len(texts) >= len(inside)
    for text in texts:
        extent = text.get_window_extent()
        assert any(
            b.x0 <= extent.x0 and extent.x1 <= b.x1 and b.y0 <= extent.y0 and extent.y1 <= b.y1 for b in boxes
        ), text


def test_a_diagram_has_all_its_words():
    shown = set(words(soc.picture()))
    assert {"CTR service", "vector AES unit", "FPGA", "Wishbone, 32 bits"} <= shown
