# SPDX-License-Identifier: BSD-2-Clause
"""Test the check that a bitstream contains the result of place-and-route. The check accepts the right bitstream, and
reports wrong memory contents and wrong settings.
"""

import copy
import json
import shlex

import pytest

from gateware.flow import toolchain, unpacked
from gateware.flow.cache import REPOSITORY

# These tests run only in the thorough suite, because place-and-route, packing and unpacking take 15 seconds. `make
# netlist` finds the same faults.
pytestmark = pytest.mark.thorough
# This folder is not in /tmp, because YoWASP's tools cannot read files there.
FOLDER = REPOSITORY / "build" / "tests" / "unpacked"
SOURCE = """
module top(input clock, input [7:0] address, output reg [7:0] read);
    (* ram_style = "block" *) reg [7:0] memory [0:255];
    integer n;
    initial for (n = 0; n < 256; n = n + 1) memory[n] = 7 * n + 1;
    always @(posedge clock) read <= memory[address];
endmodule
"""
SCRIPT = """yosys -q -p 'read_verilog top.v; synth_ecp5 -top top; write_json top.json'
nextpnr-ecp5 -q --25k --json top.json --lpf-allow-unconstrained --textcfg top.config --write top-routed.json --seed 1
ecppack --compress top.config --bit top.bit
"""


@pytest.fixture(scope="module")
def built():
    """Build the bitstream of a small design that contains a memory. Return the design's routed netlist."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "top.v").write_text(SOURCE)
    (FOLDER / "build_top.sh").write_text(SCRIPT)
    for line in SCRIPT.splitlines():
        unpacked.run(shlex.split(line), FOLDER, _environment())
    return json.loads((FOLDER / "top-routed.json").read_text())["modules"]["top"]


def _environment():
    return toolchain.environment(REPOSITORY / "build" / "tools")


def test_a_bitstream_is_what_it_was_made_of(built):
    assert unpacked.check(FOLDER, "top", built, _environment()) == 1


def test_other_contents_of_a_memory_are_found(built):
    other = copy.deepcopy(built)
    (memory,) = [cell for cell in other["cells"].values() if cell["type"] == "DP16KD"]
    contents = memory["parameters"]["INITVAL_00"]
    memory["parameters"]["INITVAL_00"] = contents[:-1] + str(1 - int(contents[-1]))
    with pytest.raises(unpacked.BitstreamDiffersError, match=r"block RAMs \d+ of top.bit differ from the netlist"):
        unpacked.check(FOLDER, "top", other, _environment())


def test_another_setting_is_found(built):
    config = FOLDER / "top.config"
    text = config.read_text()
    config.write_text(".sysconfig MCCLK_FREQ 38.8\n" + text)
    try:
        with pytest.raises(unpacked.BitstreamDiffersError, match=r"contents of top\.bit, differs from it"):
            unpacked.check(FOLDER, "top", built, _environment())
    finally:
        config.write_text(text)
