# SPDX-License-Identifier: BSD-2-Clause
"""Test that a folder with an extension adds features, and settings for boards (`Fit`)."""

import pytest

from gateware import boards, extensions, targets
from gateware.platform.ecp5.block_rams import memories

EXTENSION = """
from dataclasses import replace

from gateware.configurations import Feature, Part
from gateware.description import Fit
from gateware.extensions import Extension

_PART = Part("copy", "a copy", add="added.soc:add", like="accelerator")
EXTENSION = Extension(
    features=(Feature("added", "something more", lambda c: replace(c, parts=(_PART,)), lut4=70_000),),
    sources=("added",),
    fits={"sim": {"added": Fit()}, "ecpix5": {"added": Fit(clock_met=True)}},
)
"""


def clear():
    for each in (extensions.extensions, extensions.features, boards.load):
        each.cache_clear()


@pytest.fixture
def added(tmp_path, monkeypatch):
    """Create a folder with an extension. During the test, there is no other extension."""
    (tmp_path / "added").mkdir()
    (tmp_path / "added" / "extension.py").write_text(EXTENSION)
    (tmp_path / "other").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(extensions, "_ROOT", tmp_path)
    clear()
    yield
    clear()


def test_its_configurations_are_targets(added):
    target = targets.load("sim", "added")
    assert (target.name, target.title) == ("sim_added", "simulated board (Verilator), something more")
    assert target.clock_met_by == "ecpix5_added"
    sources = {name: extensions.sources(extensions.configuration(name)) for name in ("added", "gcm+added", "default")}
    assert sources == {"added": ("added",), "gcm+added": ("added",), "default": ()}
    assert list(extensions.features()) == [*extensions.FEATURES, "added"]


def test_its_parts_take_block_rams(added):
    with_part, without = (targets.load("ecpix5", name) for name in ("added", "default"))
    found = memories(with_part.board, with_part.configuration, with_part.fit)
    assert found["copy"] == found["accelerator"] > 0
    assert "copy" not in memories(without.board, without.configuration, without.fit)


def test_a_board_tells_why_it_cannot_have_the_feature(added):
    with pytest.raises(targets.UnknownTargetError, match=r"\(it takes about 86100 LUT4, and the part has 83640\)"):
        targets.load("ulx3s", "added")
