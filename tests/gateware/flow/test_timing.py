# SPDX-License-Identifier: BSD-2-Clause
"""Test `make timing`: how it reads nextpnr's reports, which results it stores, and a run of the real tools on a small
design.
"""

import json
import shutil
import subprocess

import pytest

from gateware import targets
from gateware.flow import place, timing, toolchain
from gateware.flow.firmware import REPOSITORY
from gateware.flow.sweep import Workers

DESIGN = """
module top(input clk, input [7:0] a, output reg [7:0] q);
    reg [7:0] taken;
    always @(posedge clk) begin taken <= a; q <= q + taken; end
endmodule
"""
OPTIONS = ["--package", "CABGA554", "--speed", "8", "--json", "top.json", "--lpf", "top.lpf"]


def step(kind, delay, begin, end, **more):
    return {"type": kind, "delay": delay, "from": {"cell": begin}, "to": {"cell": end}, **more}


RX = "$glbnet$eth_clocks_rx$TRELLIS_IO_IN"
REPORT = {
    "fmax": {"sys_clk": {"achieved": 98.158, "constraint": 100.0}, RX: {"achieved": 128.504, "constraint": 125.0}},
    "critical_paths": [
        {"from": "<async>", "to": "posedge sys_clk", "path": [step("routing", 99, "pin", "x", net="n")]},
        {"from": "posedge sys_clk", "to": f"posedge {RX}", "path": [step("routing", 98, "x", "y", net="n")]},
        {
            "from": "posedge sys_clk",
            "to": "posedge sys_clk",
            "path": [
                step("clk-to-q", 0.5, "cpu_TRELLIS_FF_Q_7", "cpu_TRELLIS_FF_Q_7"),
                step("routing", 6.25, "cpu_TRELLIS_FF_Q_7", "hit_LUT4_Z_1", net="compare"),
                step("logic", 0.25, "hit_LUT4_Z_1", "hit_LUT4_Z_1"),
                step("routing", 3.0, "hit_LUT4_Z_1", "rom.0.3", net="fetch"),
                step("setup", 0.19, "rom.0.3", "rom.0.3"),
            ],
        },
        {
            "from": f"posedge {RX}",
            "to": f"negedge {RX}",
            "path": [step("clk-to-q", 0.5, "rx_a_TRELLIS_FF_Q", "rx_a_TRELLIS_FF_Q")]
            + [step("routing", 7.0, "rx_a_TRELLIS_FF_Q", "rx_b_TRELLIS_FF_Q", net="rx_a")],
        },
    ],
}


def test_records_are_of_each_clock_with_the_path_that_ends_it():
    rx, sys = place.records(REPORT)
    assert sys == {
        "clock": "sys",
        "required_mhz": 100.0,
        "achieved_mhz": 98.16,
        "path_from": "cpu_TRELLIS_FF_Q_7",
        "path_to": "rom.0.3",
        "path_nets": ["compare", "fetch"],
        "logic_ns": 0.94,
        "routing_ns": 9.25,
    }
    assert (rx["clock"], rx["achieved_mhz"], rx["path_to"]) == ("eth_clocks_rx", 128.5, "rx_b_TRELLIS_FF_Q")


def record(seed, database, achieved, begin="a_TRELLIS_FF_Q_3"):
    return {"seed": seed, "database": database, "clock": "sys", "required_mhz": 100.0, "achieved_mhz": achieved} | {
        "path_from": begin,
        "path_to": "rom.0.1",
    }


def test_a_seed_counts_with_its_slower_database_and_a_failed_one_with_nothing():
    reached = [(1, 101.0, 97.0), (2, 99.0, 105.0), (3, 110.0, 108.0)]
    found = [record(s, d, mhz) for s, *both in reached for d, mhz in zip(timing.DATABASES, both, strict=True)]
    (spread,) = timing.spreads(found)
    assert spread == {
        "clock": "sys",
        "required_mhz": 100.0,
        "seeds": 3,
        "median_mhz": 99.0,
        "min_mhz": 97.0,
        "max_mhz": 108.0,
    }
    (spread,) = timing.spreads([*found, {"seed": 2, "database": "LFE5U", "error": "no route"}])
    assert (spread["seeds"], spread["median_mhz"], spread["min_mhz"]) == (3, 97.0, 0.0)


def test_endings_are_counted_without_numbers_of_bits():
    found = [record(n, "LFE5U", 90.0, begin=f"a_TRELLIS_FF_Q_{n}_DI_LUT4_Z") for n in range(3)]
    found += [record(3, "LFE5U", 90.0, begin="b_TRELLIS_FF_Q"), {"seed": 4, "error": "no route"}]
    assert timing.endings(found) == [(("sys", "a", "rom"), 3), (("sys", "b", "rom"), 1)]


@pytest.fixture(scope="module")
def design():
    """Return a folder with the netlist of a small design. YoWASP's tools can read this folder."""
    folder = REPOSITORY / "build" / "tests" / "timing"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "top.v").write_text(DESIGN)
    (folder / "top.lpf").write_text('FREQUENCY PORT "clk" 500 MHz;\n')
    (folder / "top.ys").write_text("read_verilog top.v\nsynth_ecp5 -top top -json top.json\n")
    environment = toolchain.environment(REPOSITORY / "build" / "tools")
    command = ["yosys", "-q", "top.ys"]
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, timeout=300)
    return folder


def placed(design, seed, database, options=(*OPTIONS, "--lpf-allow-unconstrained")):
    files = [design / "top.json", design / "top.lpf"]
    options = ["--um5g-85k", *options]
    return timing.placed(design / "kept", files, options, [seed], [database], Workers(), {})


def test_a_seed_is_placed_once_with_each_database(design):
    (first,) = placed(design, 1, "LFE5U")
    assert (first["seed"], first["database"], first["clock"], first["required_mhz"]) == (1, "LFE5U", "clk", 500.0)
    assert first["achieved_mhz"] == pytest.approx(1000 / (first["logic_ns"] + first["routing_ns"]), rel=0.01)
    (kept,) = (design / "kept").glob("1-*.json")
    assert b"Program finished normally" in kept.with_suffix(".log").read_bytes()
    changed = [{**json.loads(kept.read_text())[0], "achieved_mhz": 7.0}]
    kept.write_text(json.dumps(changed))
    assert placed(design, 1, "LFE5U")[0]["achieved_mhz"] == 7.0, "placed again"
    assert placed(design, 1, "LFE5UM5G")[0]["achieved_mhz"] > 7.0


def test_what_nextpnr_refuses_is_a_record_too(design):
    (refused,) = placed(design, 2, "LFE5U", OPTIONS)
    assert refused["seed"] == 2 and "unconstrained" in refused["error"] and "achieved_mhz" not in refused


def test_a_simulated_board_is_refused(tmp_path):
    with pytest.raises(timing.TimingError, match="simulated"):
        timing.run(targets.load("sim"), tmp_path, tmp_path, [1], list(timing.DATABASES), Workers())


@pytest.mark.parametrize("seeds", ["0", "many"])
def test_a_number_of_seeds_that_is_none_is_refused(seeds, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["timing", "ecpix5", "--seeds", seeds])
    with pytest.raises(SystemExit):
        timing.main()
    assert f"{seeds!r} is not a valid number: give 1 or more" in capsys.readouterr().err
