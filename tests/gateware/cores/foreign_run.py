# SPDX-License-Identifier: BSD-2-Clause
"""Compile C programs for standard LiteX SoCs, and run them in Verilator."""

import re
from pathlib import Path

from tests.gateware.cores.made import run

HERE = Path(__file__).parent
SRAM = 0x1000_0000
BENCH = """`timescale 1ns / 1ps
module bench;
    reg clk = 1'b0;
    integer cycles = 0;
    always #5 clk = ~clk;
    always @(posedge clk) begin
        cycles = cycles + 1;
        if (cycles > 100000) $fatal(1, "the program does not end");
    end
    top soc (.sys_clk(clk));
    CHECKS
endmodule
"""
# Verilog that stops the simulation if the CPU sends a command while it executes no instruction of the vector unit.
COMMANDS = """
    always @(posedge clk)
        if (soc.VexRiscv.CfuPlugin_bus_cmd_valid && !soc.VexRiscv.execute_CfuPlugin_scheduleWish)
            $fatal(1, "a command without an instruction");
"""


def image(folder: Path, program: str, *options: str) -> Path:
    """Compile a C program of this folder; return the path of the binary, which starts at address 0."""
    command = ["riscv64-unknown-elf-gcc", "-march=rv32im", "-mabi=ilp32", "-misa-spec=2.2", "-O2", "-ffreestanding"]
    command += ["-nostdlib", *options, f"-Wl,--defsym=_stack={SRAM + 0x800}"]
    command += ["-Wl,-Ttext=0", "-Wl,--section-start=.init=0", "-Wl,-Ttext=0x40", "-Wl,--build-id=none"]
    status, output = run([*command, "-o", "program.elf", str(HERE / program)], folder)
    assert status == 0, output
    status, output = run(["riscv64-unknown-elf-objcopy", "-O", "binary", "program.elf", "program.bin"], folder)
    assert status == 0, output
    return folder / "program.bin"


def simulate(folder: Path, sources: list[str], checks: str = "") -> list[int]:
    """Run the Verilog of an SoC in Verilator. `checks` is additional Verilog that checks the SoC. Return the words that
    the test program prints.
    """
    (folder / "bench.v").write_text(BENCH.replace("CHECKS", checks))
    files = [str(Path(source).resolve()) for source in sources if source.endswith(".v")]
    command = ["verilator", "--binary", "--timing", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-COMBDLY", "-O3"]
    status, output = run([*command, "--top-module", "bench", "bench.v", "top.v", *files], folder)
    assert status == 0, output
    status, output = run(["obj_dir/Vbench"], folder)
    assert status == 0, output
    return [int(word, 16) for word in re.findall(r"^word ([0-9a-f]+)$", output, re.M)]
