# SPDX-License-Identifier: BSD-2-Clause
"""Test a generated `cfu` core in a standard LiteX SoC: a C program takes the same number of cycles for AES as in our
SoC.
"""

import re
import sys
from pathlib import Path

import pytest

from gateware import targets
from gateware.cores import vectors
from gateware.soc.soc import CipherlaneSoC
from tests.gateware.cores import foreign_soc
from tests.gateware.cores.made import make, run

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
endmodule
"""


def _image(folder: Path, cfu: Path, console: str) -> Path:
    """Compile the test program for an SoC with its console at the address `console`; return the binary's path."""
    command = ["riscv64-unknown-elf-gcc", "-march=rv32im", "-mabi=ilp32", "-misa-spec=2.2", "-O2", "-ffreestanding"]
    command += ["-nostdlib", f"-DCONSOLE_ADDRESS={console}", "-I", str(cfu), f"-Wl,--defsym=_stack={SRAM + 0x800}"]
    command += ["-Wl,-Ttext=0", "-Wl,--section-start=.init=0", "-Wl,-Ttext=0x40", "-Wl,--build-id=none"]
    status, output = run([*command, "-o", "program.elf", str(HERE / "foreign_program.c")], folder)
    assert status == 0, output
    status, output = run(["riscv64-unknown-elf-objcopy", "-O", "binary", "program.elf", "program.bin"], folder)
    assert status == 0, output
    return folder / "program.bin"


def _simulate(folder: Path, sources: list[str]) -> list[int]:
    """Run an SoC's Verilog in Verilator; return the words that the test program prints."""
    (folder / "bench.v").write_text(BENCH)
    files = [str(Path(source).resolve()) for source in sources if source.endswith(".v")]
    command = ["verilator", "--binary", "--timing", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-COMBDLY", "-O3"]
    status, output = run([*command, "--top-module", "bench", "bench.v", "top.v", *files], folder)
    assert status == 0, output
    status, output = run(["obj_dir/Vbench"], folder)
    assert status == 0, output
    return [int(word, 16) for word in re.findall(r"^word ([0-9a-f]+)$", output, re.M)]


@pytest.mark.thorough  # compiles two whole SoCs
def test_a_program_in_litex_soc_answers_as_in_ours(tmp_path):
    cfu, name = make(tmp_path, "cfu")
    script = [sys.executable, str(HERE / "foreign_soc.py"), str(cfu / f"{name}.v"), str(tmp_path / "foreign")]
    status, output = run(script, tmp_path)
    assert status == 0, output
    console = re.search(r"^console (\S+)$", output, re.M)[1]
    image = _image(tmp_path, cfu, console)
    status, output = run([*script, str(image)], tmp_path)
    assert status == 0, output
    sources = re.search(r"^sources (.*)$", output, re.M)[1].split()
    assert str(cfu / f"{name}.v") in sources
    words = _simulate(tmp_path / "foreign", sources)
    assert words[:4] == vectors.words(vectors.CIPHERTEXTS[128])
    assert words[4:] == _ours(tmp_path, cfu)


def _ours(folder: Path, cfu: Path) -> list[int]:
    """Return how many cycles the test program needs in our SoC for a key schedule, and how many for a block."""
    words = [0]
    for out in (folder / "addresses", folder / "ours"):  # the first SoC only shows the console's address
        soc = CipherlaneSoC(targets.load("sim", "default"), words)
        soc.console = foreign_soc.Console()
        sources, console = foreign_soc.write(soc, out)
        data = _image(folder, cfu, hex(console)).read_bytes()
        words = [int.from_bytes(data[n : n + 4], "little") for n in range(0, len(data), 4)]
    printed = _simulate(folder / "ours", sources)
    assert printed[:4] == vectors.words(vectors.CIPHERTEXTS[128])
    return printed[4:]
