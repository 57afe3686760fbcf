"""Simulates a design with a fault, where `tests.mutants` asks for it through the environment.

A design is known by the name under which its model is kept. All faults drawn for it are in one Verilog, each behind the
number by which it is chosen when the model is made: so a design is compiled once. Number 0 chooses none: so it can be
shown that what kills a mutant is its fault, and not the way through Yosys.
"""

import os
import re
import subprocess
import tempfile
from functools import partial
from pathlib import Path

from gateware.soc import toolchain

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mutants"  # YoWASP's Yosys sees no /tmp
RECORD = "CIPHERLANE_RECORD_DESIGNS"  # folder for the Verilog of each design that is simulated, and for its tests
FAULTY = "CIPHERLANE_FAULTY_DESIGNS"  # folder with the Verilog to simulate in place of a design's
NUMBER = "CIPHERLANE_FAULT"  # of the fault in it
FAULT = "injected_fault"
WIDTH = 16  # of its number
TIMEOUT_S = 600


def substitute(name: str, verilog: str, data_files: dict[str, str]) -> str:
    """The Verilog to simulate in place of that of the design `name`: the same, unless it is to have a fault."""
    if folder := os.environ.get(RECORD):
        Path(folder, f"{name}.v").write_text(_whole(verilog, data_files))
    faulty = Path(os.environ.get(FAULTY, ""), f"{name}.v")
    return faulty.read_text() if FAULTY in os.environ and faulty.exists() else verilog


def simulated(model: Path) -> None:
    """Note that the present test simulates a model."""
    folder = os.environ.get(RECORD)
    if folder:
        with Path(folder, f"{model.name}.tests").open("a") as tests:
            tests.write(os.environ["PYTEST_CURRENT_TEST"].rsplit(" ", 1)[0] + "\n")


def with_faults(verilog: str, count: int, seed: int) -> tuple[str, list[str]]:
    """Verilog with `count` faults drawn by `seed`, numbered from 1, and the commands of Yosys that made them.

    What memories hold at first is left as it is: standards' vectors check every entry of an S-box.

    Raises
    ------
    subprocess.CalledProcessError
        Yosys failed.
    """
    listed = f"mutate -list {count} -seed {seed} -ctrl {FAULT} {WIDTH} 1 -o list.txt t:$meminit* %n"
    commands = _yosys(verilog, [listed], "list.txt").splitlines()
    changed = _yosys(verilog, [*commands, "write_verilog -noattr out.v"], "out.v")
    changed = changed.replace(f", {FAULT}", "", 1).replace(f"  wire [{WIDTH - 1}:0] {FAULT};\n", "", 1)
    chosen = f'reg [{WIDTH - 1}:0] {FAULT}; initial {FAULT} = $c32("atoi(getenv(\\"{NUMBER}\\"))");'
    return changed.replace(f"input [{WIDTH - 1}:0] {FAULT};", chosen, 1), commands


def _yosys(verilog: str, commands: list[str], result: str) -> str:
    """The text of the file that commands write."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        (Path(folder) / "in.v").write_text(verilog)
        script = ["read_verilog in.v", "hierarchy -top top", "proc", "opt_clean", *commands]
        (Path(folder) / "run.ys").write_text("\n".join(script) + "\n")
        environment = toolchain.environment(ROOT / "build" / "tools")
        yosys = ["yosys", "-q", "run.ys"]
        subprocess.run(yosys, cwd=folder, env=environment, check=True, capture_output=True, timeout=TIMEOUT_S)
        return (Path(folder) / result).read_text()


def _whole(verilog: str, data_files: dict[str, str]) -> str:
    """The Verilog with what its memories hold at first in it."""
    return re.sub(r'\$readmemh\("(.*)", (\w+)\);', partial(_contents, data_files), verilog)


def _contents(files: dict[str, str], match: re.Match) -> str:
    """What a memory holds at first, as assignments."""
    values = files[match[1]].split()
    return " ".join(f"{match[2]}[{n}] = {4 * len(value)}'h{value};" for n, value in enumerate(values))
