# SPDX-License-Identifier: BSD-2-Clause
"""Test extensions: folders that add configurations. For its configurations, an extension also gives the settings of
boards (`Fit`), and the reasons why other boards do not support a configuration.
"""

import pytest

from gateware import boards, extensions, targets
from gateware.platform.ecp5.block_rams import memories

EXTENSION = """
from gateware.configurations import Configuration, Part
from gateware.description import Fit
from gateware.extensions import Extension

_PART = Part("copy", "a copy", add="added.soc:add", like="accelerator")
EXTENSION = Extension(
    configurations=(Configuration("added", "something more", parts=(_PART,)),),
    sources=("added",),
    fits={"sim": {"added": Fit()}, "ecpix5": {"added": Fit(clock_met=True)}},
    left_out={"ulx3s": {"added": "too small"}},
)
"""


def clear():
    for each in (extensions.extensions, extensions.configurations, boards.load):
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
    assert extensions.sources("added") == ("added",) and extensions.sources("default") == ()
    assert set(extensions.configurations()) == {*extensions.CONFIGURATIONS, "added"}


def test_its_parts_take_block_rams(added):
    with_part, without = (targets.load("ecpix5", name) for name in ("added", "default"))
    found = memories(with_part.board, with_part.configuration, with_part.fit)
    assert found["copy"] == found["accelerator"] > 0
    assert "copy" not in memories(without.board, without.configuration, without.fit)


def test_a_board_tells_why_it_has_no_such_configuration(added):
    with pytest.raises(targets.UnknownTargetError, match=r"no configuration 'added' \(too small\)"):
        targets.load("ulx3s", "added")
