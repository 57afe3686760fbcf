# SPDX-License-Identifier: BSD-2-Clause
"""Test `make explore-fpgas` with fake tools: the tools' command lines, the values read from the tools' output, and the
table.
"""

import json
import os
import re
from pathlib import Path

import pytest

from gateware.cores import catalogue
from lab.explore import fpga_families, fpgas
from lab.explore.fpga_families import FAMILIES, PINS, Failure
from lab.results.tables import explore_fpgas

catalogue.load()
CORE = "ghash cycles=16"
UP5K = FAMILIES["up5k"]
REQUIREMENTS = (Path(fpgas.__file__).parent / "requirements.txt").read_text()
# Maps an FPGA family to an example netlist (a list of cell types) and three numbers. The command must count these
# numbers of logic cells, flip-flops and block RAMs in the netlist.
NETLISTS = {
    "up5k": ("SB_LUT4 SB_LUT4 SB_CARRY SB_DFFESR SB_DFF SB_RAM40_4K", (2, 2, 1)),
    "nexus": ("LUT4 WIDEFN9 DPR16X4 INV VLO FD1P3IX FD1P3JX PDPSC16K", (7, 2, 1)),
    "gowin": ("LUT1 LUT4 ALU MUX2_LUT5 RAM16SDP4 DFF DFFRE SDPX9B GND", (7, 2, 1)),
    "gatemate": ("CC_L2T4 CC_L2T5 CC_LUT2 CC_MX2 CC_MX4 CC_DFF CC_BRAM_20K", (7, 1, 1)),
}
# Maps an FPGA family to an excerpt of a nextpnr report: the clock with its frequency, and the use of two resources.
REPORTS = {
    "up5k": '{"fmax": {"clock$SB_IO_IN_$glb_clk": {"achieved": 21.1923, "constraint": 250}}, '
    '"utilization": {"ICESTORM_LC": {"available": 5280, "used": 2640}, "SB_IO": {"available": 39, "used": 3}}}',
    "nexus": '{"fmax": {"clock_IB_I_O$glb_clk": {"achieved": 133.8867, "constraint": 250}}, '
    '"utilization": {"OXIDE_COMB": {"available": 32256, "used": 16128}, "DCC": {"available": 62, "used": 1}}}',
    "gowin": '{"fmax": {"clock_IBUF_I_O": {"achieved": 184.0604, "constraint": 250}}, '
    '"utilization": {"LUT4": {"available": 20736, "used": 10368}, "DFF": {"available": 15552, "used": 1106}}}',
    "gatemate": '{"fmax": {"$iopadmap$clock": {"achieved": 26.5816, "constraint": 250}}, '
    '"utilization": {"CPE_LT": {"available": 40960, "used": 20480}, "CPE_MX4": {"available": 0, "used": 96}}}',
}
TOO_LARGE = (
    "Info: Device utilisation:\n"
    "Info: \t         ICESTORM_LC:    6012/   5280   113%\n"
    "Info: \t             CPE_MX4:      96/      0     0%\n"
    "ERROR: Unable to place cell 'x_LC', no BELs remaining to implement cell type 'ICESTORM_LC'\n"
)


def report(device: str, mhz: float | None = None) -> dict:
    found = json.loads(REPORTS[device])
    for clock in found["fmax"].values():
        clock["achieved"] = mhz or clock["achieved"]
    return found


@pytest.mark.parametrize("core", fpgas.CORES)
def test_a_core_is_valid_and_portable(core):
    _, values, name = fpgas.job(core)
    assert not any("ecp5" in str(value) for value in values.values()), name


def test_cores_have_files_of_their_own():
    assert len({fpgas.job(core)[2] for core in fpgas.CORES}) == len(fpgas.CORES)


def test_cycles_of_a_block():
    assert [fpgas.cycles_per_block(core) for core in fpgas.CORES] == [40, 10, 40, 16, 8, 40]


@pytest.mark.parametrize("device", FAMILIES)
def test_commands_of_a_family(device):
    fpga = FAMILIES[device]
    assert f"\n{fpga.program}==" in REQUIREMENTS, "make explore-fpgas installs the program"
    assert "ecp5" not in fpga.core_script("core").replace("core_ecp5", "")
    assert "-top core_ecp5 -json harness.json" in fpga.harness_script("core")
    command = fpga.place_command(7, 250)
    assert command[0] == fpga.program and command[-4:] == ["--seed", "7", "--report", "7.json"]
    for name, text in fpga.constraints.items():
        assert any(name in word for word in command), "nextpnr is given the file"
        assert all(pin in text for pin in PINS) and "{pin}" not in text


@pytest.mark.parametrize("device", FAMILIES)
def test_resources_of_a_netlist(device):
    kinds, (logic, ff, bram) = NETLISTS[device]
    cells = {str(n): {"type": kind} for n, kind in enumerate(kinds.split())}
    assert FAMILIES[device].resources({"cells": cells}) == {"logic": logic, "ff": ff, "bram": bram}


@pytest.mark.parametrize("device", FAMILIES)
def test_record_of_several_seeds(device):
    reports = {seed: report(device, mhz) for seed, mhz in ((1, 30.0), (2, 20.0), (3, 50.0))}
    area = {"logic": 9, "ff": 8, "bram": 7}
    found = fpgas.record(CORE, FAMILIES[device], area, reports, {})
    assert (found["fmax_least_mhz"], found["fmax_mhz"], found["fmax_most_mhz"]) == (20.0, 30.0, 50.0)
    assert (found["filled"], found["mbps"], found["seeds"]) == (0.5, 240.0, [1, 2, 3])


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        (TOO_LARGE, "does not fit: 6,012 of 5,280 ICESTORM_LC"),
        ("ERROR: Unable to place cell 'x', no BELs remaining to implement cell type 'DFF'\n", "does not fit: .*"),
        ("ERROR: Failed to route arc 0.0 of net 'clock', from X0/Y30/A to X0/Y28/B.\n", "no route found"),
        ("ERROR: no valid mapping found for memory ghash8.table_3\n", "yosys fails"),
        ("Warning: Max frequency (FAIL at 250.00 MHz)\nERROR: 0: memory fault at wasm address 0x1\n", "yosys crashes"),
        ("terminated\n", "yosys fails"),
    ],
)
def test_why_a_tool_fails(log, reason, tmp_path):
    (tmp_path / "log").write_text(log)
    found = fpga_families.failure("yosys", tmp_path / "log")
    assert re.fullmatch(reason, found.reason)
    assert found.error == next((line for line in log.splitlines() if line.startswith("ERROR")), "a tool failed")


@pytest.fixture
def tools(tmp_path):
    """Return an environment with a fake Yosys and a fake nextpnr that record their calls. nextpnr fails with seed 2."""
    folder = tmp_path / "tools"
    folder.mkdir()
    ports = {"clk": {"direction": "input", "bits": [2]}}
    core = {"attributes": {"top": "1"}, "ports": ports, "cells": {"a": {"type": "SB_LUT4"}}}
    name = fpgas.job(CORE)[2]
    (folder / "netlist.json").write_text(json.dumps({"modules": {name: core}}))
    (folder / "report.json").write_text(REPORTS["up5k"])
    (folder / "too-large").write_text(TOO_LARGE)
    scripts = {
        "yosys": f"echo yosys >>{folder}/calls\ncp {folder}/netlist.json core.json\ncp core.json harness.json\n",
        UP5K.program: f"echo place >>{folder}/calls\n"
        f'case "$*" in *"--seed 2 "*) cat {folder}/too-large; exit 1;; esac\n'
        f"for report; do :; done\ncp {folder}/report.json $report\n",
    }
    for tool, script in scripts.items():
        (folder / tool).write_text(f"#!/bin/sh\n{script}")
        (folder / tool).chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def calls(tmp_path: Path) -> list[str]:
    return (tmp_path / "tools" / "calls").read_text().split()


def test_a_build_resumes_and_repeats_what_failed(tools, tmp_path):
    records = [fpgas.build(CORE, UP5K, range(1, 4), tmp_path / "out", tools, "1") for _ in range(2)]
    assert records[0] == records[1]
    assert (records[0]["placed"], records[0]["logic"], records[0]["fmax_mhz"]) == (2, 1, 21.19)
    (failed,) = records[0]["failures"]
    assert (failed["seed"], failed["reason"]) == (2, "does not fit: 6,012 of 5,280 ICESTORM_LC")
    assert calls(tmp_path) == ["yosys", "yosys", "place", "place", "place", "place"]


def test_what_yosys_refuses_is_a_record(tools, tmp_path):
    (tmp_path / "tools" / "yosys").write_text("#!/bin/sh\necho 'ERROR: no valid mapping'\nexit 1\n")
    found = fpgas.build(CORE, UP5K, range(1, 4), tmp_path / "out", tools, "1")
    assert (found["placed"], found["logic"], found["mbps"]) == (0, None, None)
    assert found["failures"] == [{"seed": 1, "reason": "yosys fails", "error": "ERROR: no valid mapping"}]


def test_no_seed_is_tried_after_one_that_takes_too_long(tools, tmp_path, monkeypatch):
    (tmp_path / "tools" / UP5K.program).write_text("#!/bin/sh\nsleep 600\n")
    fpgas.synthesise(CORE, UP5K, tmp_path / "out", tools, "1")
    monkeypatch.setattr(fpgas, "LIMIT_S", 0)
    found = fpgas.build(CORE, UP5K, range(1, 4), tmp_path / "out", tools, "1")
    assert (found["placed"], found["seeds"]) == (0, [1])
    assert found["failures"][0]["reason"] == "nextpnr-ice40 is not done after 0 minutes"


def test_rows_of_what_failed():
    area = {"logic": 5100, "ff": 90, "bram": 2}
    small = Failure("does not fit: 6,012 of 5,280 ICESTORM_LC", "ERROR: no BELs")
    lost = Failure("no route found", "ERROR: Failed to route arc")
    placed = {seed: report("up5k", mhz) for seed, mhz in ((1, 20.0), (3, 30.0))}
    records = [
        fpgas.record(CORE, UP5K, area, placed, {2: lost}),
        fpgas.record(CORE, UP5K, area, {1: report("up5k", 20.0)}, {}),
        fpgas.record(CORE, UP5K, area, {}, {1: small, 2: small}),
        fpgas.record(CORE, UP5K, None, {}, {1: Failure("yosys fails", "ERROR: memory")}),
    ]
    kept = explore_fpgas.keep({"kind": "est", "target_mhz": 250, "records": records})
    rows = [line.split(" | ")[2:] for line in explore_fpgas.render({"explore-fpgas": kept})[4:]]
    assert rows == [
        ["5100 LUT4", "90", "2", "50%", "25.0 (20.0 to 30.0), 2 of 3 seeds (no route found)", "16", "200 (est) |"],
        ["5100 LUT4", "90", "2", "50%", "20.0 (one seed)", "16", "160 (est) |"],
        ["5100 LUT4", "90", "2", "-", "does not fit: 6,012 of 5,280 ICESTORM_LC", "16", "- |"],
        ["-", "-", "-", "-", "yosys fails", "16", "- |"],
    ]
    assert kept["records"][3]["failures"] == [{"seed": 1, "reason": "yosys fails", "error": "ERROR: memory"}]
