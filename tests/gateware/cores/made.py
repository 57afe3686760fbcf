# SPDX-License-Identifier: BSD-2-Clause
"""Generate cores for tests, and run their test benches."""

import shutil
import subprocess
from pathlib import Path

from gateware.cores import catalogue
from gateware.cores.__main__ import job
from gateware.cores.write import files, write
from tests.waiting import HANG_S

HAS_ICARUS = shutil.which("iverilog") is not None
NO_ICARUS = "Icarus is missing: apt-get install iverilog"


def make(folder: Path, core: str, **options) -> tuple[Path, str]:
    """Generate a core into a folder named after the core; return the folder and the core's name."""
    catalogue.load()
    kind, values, name = job(core, options)
    write(folder / name, files(kind, values, name))
    return folder / name, name


def run(command: list[str], folder: Path) -> tuple[int, str]:
    """Run a command; return its exit status and output."""
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=HANG_S)
    return result.returncode, result.stdout + result.stderr


def lint(folder: Path, name: str) -> str:
    """Return the warnings and errors that Verilator's lint prints for a core."""
    status, output = run(["verilator", "--lint-only", "-Wall", f"{name}.v"], folder)
    return output if status or output else ""


def icarus(folder: Path, name: str) -> tuple[int, str]:
    """Run a core's test bench in Icarus; return exit status and output."""
    status, output = run(["iverilog", "-g2012", "-Wall", "-o", "tb.vvp", f"{name}_tb.v", f"{name}.v"], folder)
    return (status, output) if status or output else run(["vvp", "-N", "tb.vvp"], folder)


def verilator(folder: Path, name: str) -> tuple[int, str]:
    """Run a core's test bench in Verilator; return exit status and output."""
    build = ["verilator", "--binary", "--timing", "-O0", "--top-module", f"{name}_tb", f"{name}_tb.v", f"{name}.v"]
    status, output = run(build, folder)
    return (status, output) if status else run([f"obj_dir/V{name}_tb"], folder)
