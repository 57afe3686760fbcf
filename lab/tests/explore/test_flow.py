# SPDX-License-Identifier: BSD-2-Clause
"""Test the build flow of the exploration: with fake tools, and with real synthesis and simulation of one core."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from gateware.flow import toolchain
from lab.explore import flow
from lab.explore.flow import DEVICES, Design, FlowError
from lab.explore.measure import WrongResult, measure
from lab.explore.members import Member

REPOSITORY = Path(__file__).resolve().parents[3]
DESIGN = Design("core", "clk", {"core.v": "module core(input clk, input d); endmodule\n"})
NETLIST = {
    "attributes": {"top": "1"},
    "ports": {"clk": {"direction": "input", "bits": [2]}},
    "cells": {
        str(n): {"type": kind}
        for n, kind in enumerate(["LUT4"] * 3 + ["PFUMX", "CCU2C", "TRELLIS_DPR16X4", "TRELLIS_FF", "DP16KD"])
    },
}


@pytest.fixture
def tools(tmp_path):
    """Return environment variables that select a fake Yosys, which writes `NETLIST` and records each call."""
    folder = tmp_path / "tools"
    folder.mkdir()
    (folder / "netlist.json").write_text(json.dumps({"modules": {"LUT4": {"attributes": {}}, "core": NETLIST}}))
    yosys = folder / "yosys"
    yosys.write_text(f"#!/bin/sh\necho call >>{folder}/calls\ncp {folder}/netlist.json core.json\n")
    yosys.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def calls(tmp_path) -> int:
    return len((tmp_path / "tools" / "calls").read_text().splitlines())


def test_area_counts_what_cells_occupy():
    assert flow.area(NETLIST) == {"lut4": 3 + 2 + 4, "ff": 1, "bram": 1}


def test_synthesis_is_repeated_only_for_other_contents(tools, tmp_path):
    folder = tmp_path / "out"
    assert flow.synthesise(DESIGN, folder, tools, "1")["lut4"] == 9
    flow.synthesise(DESIGN, folder, tools, "1")
    assert calls(tmp_path) == 1
    other = replace(DESIGN, sources={"core.v": "module core(input clk); endmodule\n"})
    assert other.digest() != DESIGN.digest()
    flow.synthesise(other, folder, tools, "1")
    flow.synthesise(other, folder, tools, "2")
    assert calls(tmp_path) == 3


def test_digest_covers_data_and_top():
    digests = {DESIGN.digest(), replace(DESIGN, top="other").digest(), replace(DESIGN, data={"rom.init": "0"}).digest()}
    assert len(digests) == 3


def test_a_tool_that_fails_is_quoted(tools, tmp_path):
    (tmp_path / "tools" / "yosys").write_text("#!/bin/sh\necho 'ERROR: first'\necho 'ERROR: too large'\nexit 1\n")
    with pytest.raises(FlowError, match=r"^yosys: too large$"):
        flow.synthesise(DESIGN, tmp_path / "out", tools, "1")
    # The flow must not treat a failed synthesis as done: a second call runs Yosys again and fails again.
    with pytest.raises(FlowError):
        flow.synthesise(DESIGN, tmp_path / "out", tools, "1")


def test_a_result_of_place_and_route_is_kept(tools, tmp_path):
    folder = tmp_path / "out"
    flow.synthesise(DESIGN, folder, tools, "1")
    (folder / "top.digest").write_text((folder / "netlist.digest").read_text())
    nextpnr = tmp_path / "tools" / "nextpnr-ecp5"
    report = folder / "LFE5UM5G-85F-8-1.json"
    nextpnr.write_text(f'#!/bin/sh\necho \'{{"fmax": {{"clk": {{"achieved": 123.5}}}}}}\' >{report}\n')
    nextpnr.chmod(0o755)
    assert flow.place(DESIGN, folder, DEVICES["85F-8"], 1, tools) == 123.5
    nextpnr.write_text("#!/bin/sh\nexit 1\n")
    assert flow.place(DESIGN, folder, DEVICES["85F-8"], 1, tools) == 123.5
    with pytest.raises(FlowError, match=r"exit status 1, see LFE5U-25F-6-1\.log"):
        flow.place(DESIGN, folder, DEVICES["25F-6"], 1, tools)


@pytest.fixture(scope="module")
def mapped():
    """Return three values: the netlist of a small AES core in ECP5 cells, the name of the core's clock, and the core's
    bus protocol.
    """
    environment = toolchain.environment(REPOSITORY / "build" / "tools")
    folder = REPOSITORY / "build" / "explore-test"
    design, protocol = Member("32", "block_ram").design()
    flow.synthesise(design, folder, environment, "tested")
    return flow.load(folder / "core.json"), design.clock, protocol


def test_cycles_and_correctness_after_synthesis(mapped):
    (found,) = measure(*mapped, key_lengths=(128,))
    assert (found.cycles_first, found.cycles_per_block) == (4 * 10 + 8, 40)  # as gateware.aes.cores says
    assert 0 < found.key_cycles < 60
    assert found.toggles_per_block > 1000


def test_a_core_that_encrypts_wrongly_has_no_figures(mapped):
    module, clock, protocol = mapped
    broken = json.loads(json.dumps(module))
    # Make the core encrypt wrongly: invert the output of a LUT that computes the XOR of four bits. Such a LUT is part
    # of the datapath. Other LUTs may be in use only with keys of 192 or 256 bits, which this test does not load.
    xor = "".join(str(n.bit_count() % 2) for n in reversed(range(16)))
    cell = next(c for c in broken["cells"].values() if c["type"] == "LUT4" and c["parameters"]["INIT"] == xor)
    cell["parameters"]["INIT"] = "".join("10"[int(bit)] for bit in cell["parameters"]["INIT"])
    with pytest.raises((WrongResult, RuntimeError)):
        measure(broken, clock, protocol, key_lengths=(128,))
