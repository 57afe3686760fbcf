# SPDX-License-Identifier: BSD-2-Clause
"""Runs a short `make bench-host`: checks the measured speeds, and that the command fails if they are too low."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import HANG_S

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="it is a command of this repository's, on Linux")
def test_figures_and_their_bars(tmp_path):
    results = tmp_path / "results.json"
    command = [sys.executable, "-m", "tests.bench_host", "--rounds", "1", "--seconds", "0.1", "--results", results]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=HANG_S)
    records = json.loads(results.read_text())["records"]
    assert [each["datagrams_a_call"] for each in records] == [44, 8, 1]
    for each in records:
        assert each["kind"] == "null" and each["window_records"] == 256
        assert 0 < each["tool_wall_mbps"] <= 1.1 * each["tool_core_mbps"], "no process runs longer than the clock"
        assert each["ratio"] == pytest.approx(each["tool_core_mbps"] / each["echo_core_mbps"], abs=1e-3)
    full = records[0]
    missed = {"the tool": full["tool_core_mbps"] < 1000, "the bare echo": full["echo_core_mbps"] < 2000}
    assert done.returncode == any(missed.values())
    for name, below in missed.items():
        assert (f"error: {name} is below" in done.stderr) == below
