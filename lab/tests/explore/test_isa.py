# SPDX-License-Identifier: BSD-2-Clause
"""Test `make explore-isa`, which measures the parts of the vector unit. The command connects shift registers to all
ports of a part. The tests check these connections, the values read from the tools' reports, and the decision to run a
tool again.
"""

import json
import subprocess
import sys

import pytest

from lab.explore import instruction_sets, isa
from lab.explore.harness import Harness
from tests.waiting import HANG_S

CLOCK = "$glbnet$sys_clk"
STATISTICS = "end of a log\n" + json.dumps(
    {"design": {"num_cells_by_type": {"LUT4": 100, "CCU2C": 10, "TRELLIS_FF": 60, "DP16KD": 2, "PFUMX": 7}}}
)


def path(begin, end, *steps):
    return {
        "from": f"posedge {begin}",
        "to": f"posedge {end}",
        "path": [{"type": kind, "delay": delay} for kind, delay in steps],
    }


def report(mhz: float, clock_to_output: float) -> dict:
    return {
        "fmax": {CLOCK: {"achieved": mhz, "constraint": 200.0}},
        "critical_paths": [
            path("<async>", CLOCK, ("routing", 9.0)),
            path(CLOCK, CLOCK, ("clk-to-q", clock_to_output), ("routing", 0.76), ("logic", 5.82), ("setup", 0)),
        ],
    }


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_record_of_a_part_is_that_of_the_median_seed(order):
    reports = [report(140.25, 0.52), report(125.0, 1.42), report(101.0, 0.5)]
    assert isa.figures("part", (8, 12), STATISTICS, [reports[n] for n in order]) == {
        "part": "part",
        "delay_ns": 8.0,
        "clock_to_output_ns": 1.42,
        "fmax_mhz": 125.0,
        "fmax_least_mhz": 101.0,
        "fmax_most_mhz": 140.2,
        "lut4": 100 + 2 * 10 - 12,
        "ff": 60 - 8 - 2 * 12 - 1,
        "bram": 2,
    }


def test_two_clocks_are_refused():
    with pytest.raises(ValueError, match="too many values"):
        isa.figures("part", (8, 12), STATISTICS, [report(125.0, 1.42) | {"fmax": {CLOCK: {}, "other": {}}}])


def test_what_is_made_again(tmp_path):
    """The exploration must run a tool again if the tool's report is missing, if the sources or the command have
    changed, or if the last run failed.
    """

    def made(number: int, sources="one", words="true") -> bool:
        before = list((tmp_path / "log").read_text())
        command = ["sh", "-c", f"echo x >> log; echo y > report-{number}.json; {words}"]
        isa._step("placing", tmp_path, f"report-{number}.json", sources, command, {})
        return list((tmp_path / "log").read_text()) != before

    (tmp_path / "log").touch()
    assert made(1) and made(2) and not made(1) and made(1, sources="other") and made(1, words="exit 0")
    (tmp_path / "report-2.json").unlink()
    assert made(2) and not made(2)
    for _ in range(2):
        with pytest.raises(isa.ExploreError, match=r"placing failed: see .*report-2\.json\.log"):
            made(2, words="exit 3")


ONE_OF_EACH = ("SubBytes, block RAM", "MixColumns", "shuffle", "lane, table", "multiplier 16x16")


@pytest.mark.parametrize("part", [*ONE_OF_EACH, *instruction_sets.PARTS])
def test_harness_reaches_every_port(part):
    module, inputs, outputs = (isa.PARTS | instruction_sets.PARTS)[part]()
    text = Harness(module, inputs, outputs).verilog("top").main_source
    width_in, width_out = (sum(len(signal) for signal in signals) for signals in (inputs, outputs))
    assert f"[{width_in - 1}:0] stimulus" in text
    assert f"[{width_out - 1}:0] observed" in text


def test_block_ram_is_timed_with_both_databases():
    assert isa.DEVICES[isa.OTHER_TIMING][0] == "--um-85k"
    assert isa.DEVICES[isa.OTHER_TIMING][1:] == isa.DEVICE[1:]


def test_unknown_part():
    command = [sys.executable, "-m", "lab.explore.isa", "no such part"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=False)
    assert result.returncode == 2
    assert "unknown part 'no such part': choose from" in result.stderr
