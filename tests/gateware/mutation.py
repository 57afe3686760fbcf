# SPDX-License-Identifier: BSD-2-Clause
"""Replaces the Verilog of a simulated design by Verilog with a fault. `tests.mutants` requests this through environment
variables.

A design is known by the name under which its model is kept. One Verilog contains all faults drawn for a design. A
number selects one of them when the model is created, so a design is compiled once. Number 0 selects none. This shows
that the fault kills a mutant, and not the way through Yosys.

As a plug-in of pytest it gives a design the same name whichever tests run first. It ends with status 3 if a design
that should have a fault was not simulated.
"""

import os
import re
import subprocess
import tempfile
from functools import partial
from pathlib import Path

import pytest
from migen.fhdl.structure import DUID

from gateware.flow import toolchain

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mutants"  # this folder is not in /tmp, because YoWASP's Yosys cannot read /tmp
RECORD = "CIPHERLANE_RECORD_DESIGNS"  # environment variable: folder in which to store simulated designs
FAULTY = "CIPHERLANE_FAULTY_DESIGNS"  # environment variable: folder with the faulty Verilog to simulate
NUMBER = "CIPHERLANE_FAULT"  # environment variable: number of the fault; 1 is the first, 0 means no fault
NOT_SIMULATED = 3  # exit status if no test simulated the faulty design
FAULT = "injected_fault"
WIDTH = 16  # width of the fault's number, in bits
SIMPLER = ["opt_expr", "wreduce", "opt_clean"]  # these passes remove unused logic, where a fault would have no effect
TIMEOUT_S = 600
LARGEST = 1_000_000  # maximum size of the Verilog in characters; larger designs take minutes to compile

_substituted = set()


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup():
    _count_anew()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call():
    _count_anew()


def pytest_sessionfinish(session):
    if FAULTY in os.environ and not _substituted:
        session.exitstatus = NOT_SIMULATED


def _count_anew() -> None:
    """Make Migen number signals as in a new process, so that the Verilog is the same in every test run."""
    # Set the number of the next signal to a multiple of `step`. `step` is larger than the number of signals in any
    # design. A larger `step` would waste memory, because Migen's simulator allocates memory for every number up to the
    # last.
    step = 1 << 17
    DUID._DUID__next_uid = -(-DUID.get_max_duid() // step) * step


def substitute(name: str, verilog: str, data_files: dict[str, str]) -> str:
    """Return the Verilog to simulate for the design `name`: the given Verilog, or a faulty version if an environment
    variable requests a fault.
    """
    if folder := os.environ.get(RECORD):
        whole = _whole(verilog, data_files)
        if len(whole) > LARGEST:
            pytest.skip("no mutants are drawn of so large a design")
        Path(folder, f"{name}.v").write_text(whole)
    faulty = Path(os.environ.get(FAULTY, ""), f"{name}.v")
    if FAULTY not in os.environ or not faulty.exists():
        return verilog
    _substituted.add(name)
    return faulty.read_text()


def simulated(model: Path) -> None:
    """If recording is on, add the current test to the list of tests that simulate this model."""
    folder = os.environ.get(RECORD)
    if folder:
        with Path(folder, f"{model.name}.tests").open("a") as tests:
            tests.write(os.environ["PYTEST_CURRENT_TEST"].rsplit(" ", 1)[0] + "\n")


def with_faults(verilog: str, count: int, seed: int) -> tuple[str, list[str]]:
    """Return Verilog with `count` random faults, numbered from 1, and the Yosys commands that made them. `seed` selects
    the faults.

    The initial contents of memories get no faults, because standards' vectors check every entry of an S-box.

    Raises
    ------
    subprocess.CalledProcessError
        Yosys failed.
    """
    drawn = {}
    for asked in range(count, 8 * count + 8, count):  # Yosys repeats itself
        listed = f"mutate -list {asked} -seed {seed} -o list.txt t:$meminit* %n"
        drawn = dict.fromkeys(_yosys(verilog, [listed], "list.txt").splitlines())
        if len(drawn) >= count:
            break
    commands = [f"{command} -ctrl {FAULT} {WIDTH} {n}" for n, command in enumerate([*drawn][:count], 1)]
    changed = _yosys(verilog, [*commands, "write_verilog -noattr out.v"], "out.v")
    changed = changed.replace(f", {FAULT}", "", 1).replace(f"  wire [{WIDTH - 1}:0] {FAULT};\n", "", 1)
    chosen = f'reg [{WIDTH - 1}:0] {FAULT}; initial {FAULT} = $c32("atoi(getenv(\\"{NUMBER}\\"))");'
    return changed.replace(f"input [{WIDTH - 1}:0] {FAULT};", chosen, 1), commands


def _yosys(verilog: str, commands: list[str], result: str) -> str:
    """Run Yosys commands on the Verilog; return the text of the file `result` that they write."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        (Path(folder) / "in.v").write_text(verilog)
        script = ["read_verilog in.v", "hierarchy -top top", "proc", *SIMPLER, *commands]
        (Path(folder) / "run.ys").write_text("\n".join(script) + "\n")
        environment = toolchain.environment(ROOT / "build" / "tools")
        yosys = ["yosys", "-q", "run.ys"]
        subprocess.run(yosys, cwd=folder, env=environment, check=True, capture_output=True, timeout=TIMEOUT_S)
        return (Path(folder) / result).read_text()


def _whole(verilog: str, data_files: dict[str, str]) -> str:
    """Return the Verilog without data files: assignments set the initial contents of the memories."""
    return re.sub(r'\$readmemh\("(.*)", (\w+)\);', partial(_contents, data_files), verilog)


def _contents(files: dict[str, str], match: re.Match) -> str:
    """Return the initial contents of a memory as Verilog assignments."""
    values = files[match[1]].split()
    return " ".join(f"{match[2]}[{n}] = {4 * len(value)}'h{value};" for n, value in enumerate(values))
