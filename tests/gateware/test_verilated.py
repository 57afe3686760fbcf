# SPDX-License-Identifier: BSD-2-Clause
import pytest

from gateware.flow import cache
from tests.gateware import verilated


@pytest.fixture
def tools():
    yield verilated._tools
    verilated._tools.cache_clear()


def test_a_model_is_known_by_its_text_tools_and_flags_wherever_it_is_kept(tmp_path, monkeypatch, tools):
    texts = ("verilog", "harness", {"name": "data"})
    here = verilated._place(*texts)
    monkeypatch.setattr(cache, "FOLDER", tmp_path)
    there = verilated._place(*texts)
    assert there.name == here.name and there.parent != here.parent
    others = [("another", *texts[1:]), (texts[0], "another", texts[2]), (*texts[:2], {"name": "another"})]
    names = {verilated._place(*other).name for other in others}
    tools.cache_clear()
    monkeypatch.setattr(verilated, "GXX", [*verilated.GXX, "-g"])
    names.add(verilated._place(*texts).name)
    assert len(names | {here.name}) == 5


def test_what_verilator_refuses_is_said_and_not_kept():
    texts = ("module top(input sys_clk); nonsense endmodule", "", {})
    with pytest.raises(RuntimeError, match=r"verilator failed.*\n(.*\n)*.*syntax error"):
        verilated.compile_model(*texts)
    assert not verilated._place(*texts).exists()
