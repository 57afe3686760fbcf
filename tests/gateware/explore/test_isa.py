"""What the exploration of the vector unit's parts makes of the tools' reports, and its harness."""

import json
import subprocess
import sys

import pytest

from gateware.explore import instruction_sets, isa
from gateware.explore.harness import Harness

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


REPORT = {
    "fmax": {CLOCK: {"achieved": 125.0, "constraint": 200.0}},
    "critical_paths": [
        path("<async>", CLOCK, ("routing", 9.0)),
        path(CLOCK, CLOCK, ("clk-to-q", 1.42), ("routing", 0.76), ("logic", 5.82), ("setup", 0)),
    ],
}


def test_record_of_a_part():
    assert isa.figures("part", (8, 12), STATISTICS, REPORT) == {
        "part": "part",
        "delay_ns": 8.0,
        "clock_to_output_ns": 1.42,
        "fmax_mhz": 125.0,
        "lut4": 100 + 2 * 10 - 12,
        "ff": 60 - 8 - 2 * 12 - 1,
        "bram": 2,
    }


def test_two_clocks_are_refused():
    with pytest.raises(ValueError, match="too many values"):
        isa.figures("part", (8, 12), STATISTICS, REPORT | {"fmax": {CLOCK: {}, "other": {}}})


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
    command = [sys.executable, "-m", "gateware.explore.isa", "no such part"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 2
    assert "unknown part 'no such part': choose of" in result.stderr
