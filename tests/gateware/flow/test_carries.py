# SPDX-License-Identifier: BSD-2-Clause
"""Test the removal of unused carry outputs from a netlist. Carry outputs in use stay connected. nextpnr needs one cell
less for each removed carry output.
"""

import json
import shutil
import subprocess

import pytest

from gateware import targets
from gateware.flow import bitstream, carries, toolchain
from gateware.flow.firmware import REPOSITORY

# The carry output of the addition is unused. The carry output of the comparison is used.
DESIGN = """
module top(input clk, input [15:0] a, output reg [15:0] q, output reg more);
    reg [15:0] taken;
    always @(posedge clk) begin taken <= a; q <= q + taken; more <= q < taken; end
endmodule
"""
NEXTPNR = ["--85k", "--package", "CABGA554", "--speed", "8", "--lpf-allow-unconstrained", "--pack-only"]


@pytest.fixture
def design():
    """Write a small design. Return a function that runs a tool in the design's folder and returns the tool's output."""
    folder = REPOSITORY / "build" / "tests" / "carries"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "top.v").write_text(DESIGN)
    environment = toolchain.environment(REPOSITORY / "build" / "tools")

    def run(*command):
        result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, result.stderr[-2000:]
        return result.stdout + result.stderr

    run.folder = folder
    return run


def luts(run) -> int:
    lines = run("nextpnr-ecp5", *NEXTPNR, "--json", "top.json").splitlines()
    (used,) = [line.split(":")[2].split("/")[0] for line in lines if "TRELLIS_COMB:" in line]
    return int(used)


def test_a_carry_that_nobody_reads_costs_nothing(design):
    design("yosys", "-q", "-p", "read_verilog top.v; synth_ecp5 -top top -json top.json")
    before = luts(design)
    netlist = design.folder / "top.json"
    cells = json.loads(netlist.read_text())["modules"]["top"]["cells"]
    assert carries.open_unused(netlist) == 1
    after = json.loads(netlist.read_text())["modules"]["top"]["cells"]
    changed = [name for name in cells if cells[name] != after[name]]
    assert len(changed) == 1 and after[changed[0]]["connections"].pop("COUT") == [carries.OPEN]
    (sums,) = [name for name in changed if cells[name]["connections"].pop("COUT")]
    assert cells == after and sums.startswith("q_")
    assert luts(design) == before - 2
    assert carries.open_unused(netlist) == 1, "it may be run again"


def test_the_script_of_a_bitstream_has_it_and_short_sums_in_luts(tmp_path):
    target = targets.load("ecpix5")
    bitstream.write_sources(target, tmp_path, {"firmware": [0]})
    steps = (tmp_path / "gateware" / "build_ecpix5.sh").read_text().splitlines()
    (place,) = [n for n, line in enumerate(steps) if line.startswith("nextpnr-ecp5")]
    assert steps[place - 1].endswith(f"{carries.__file__} ecpix5.json") and steps[place - 2].startswith("yosys")
    synthesis = (tmp_path / "gateware" / "ecpix5.ys").read_text().splitlines()
    (first,) = [n for n, line in enumerate(synthesis) if line.endswith("-run begin:map_gates")]
    assert synthesis[first + 1 : first + 3] == [
        "techmap t:$alu r:Y_WIDTH<=8 %i",
        synthesis[first].replace("begin:map_gates", "map_gates:"),
    ]
