"""Simulates a design with one fault, where `tests.mutants` asks for it through the environment.

A design is known by the digest of its Verilog. An empty command sends it through Yosys without a fault: so it can be
shown that what kills a mutant is its fault, and not the way through Yosys.
"""

import hashlib
import json
import os
import re
import subprocess
import tempfile
from functools import partial
from pathlib import Path

from gateware.soc import toolchain

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mutants"  # YoWASP's Yosys sees no /tmp
RECORD = "CIPHERLANE_RECORD_DESIGNS"  # folder for the Verilog of each design that is simulated
MUTANT = "CIPHERLANE_MUTANT"  # {"design": digest, "command": Yosys' command, or empty for none}
TIMEOUT_S = 600


def substitute(verilog: str, data_files: dict[str, str]) -> str:
    """The Verilog to simulate in place of `verilog`: the same, unless it is the design that is to have a fault."""
    folder, wanted = os.environ.get(RECORD), os.environ.get(MUTANT)
    if not folder and not wanted:
        return verilog
    whole = re.sub(r'\$readmemh\("(.*)", (\w+)\);', partial(_contents, data_files), verilog)
    name = hashlib.sha256(whole.encode()).hexdigest()[:12]
    if folder:
        Path(folder, f"{name}.v").write_text(whole)
        return verilog
    mutant = json.loads(wanted)
    return run(whole, mutant["command"]) if mutant["design"] == name else verilog


def run(verilog: str, command: str) -> str:
    """The Verilog after a command of Yosys.

    Raises
    ------
    subprocess.CalledProcessError
        Yosys failed.
    """
    BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        (Path(folder) / "in.v").write_text(verilog)
        script = ["read_verilog in.v", "hierarchy -top top", "proc -norom", "opt_clean", command]
        (Path(folder) / "run.ys").write_text("\n".join([*script, "write_verilog -noattr out.v"]) + "\n")
        environment = toolchain.environment(ROOT / "build" / "tools")
        yosys = ["yosys", "-q", "run.ys"]
        subprocess.run(yosys, cwd=folder, env=environment, check=True, capture_output=True, timeout=TIMEOUT_S)
        return (Path(folder) / "out.v").read_text()


def commands(verilog: str, count: int, seed: int) -> list[str]:
    """`count` commands of Yosys that make a fault each, drawn by `seed`."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("r", dir=BUILD) as listed:
        run(verilog, f"mutate -list {count} -seed {seed} -o ../{Path(listed.name).name}")
        return Path(listed.name).read_text().splitlines()


def _contents(files: dict[str, str], match: re.Match) -> str:
    """What a memory holds at first, as assignments."""
    values = files[match[1]].split()
    return " ".join(f"{match[2]}[{n}] = {4 * len(value)}'h{value};" for n, value in enumerate(values))
