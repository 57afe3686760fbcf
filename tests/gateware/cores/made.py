# SPDX-License-Identifier: BSD-2-Clause
"""Generate cores for tests, and run their test benches."""

import contextlib
import os
import shutil
import signal
import subprocess
from pathlib import Path

from gateware.cores import catalogue
from gateware.cores.__main__ import job
from gateware.cores.write import files, write
from tests.waiting import HANG_S

HAS_ICARUS = shutil.which("iverilog") is not None
NO_ICARUS = "Icarus is missing: apt-get install iverilog"


def make(folder: Path, core: str, **options) -> tuple[Path, str]:
    """Generate a core; return its folder and its name. The folder has the name of the core."""
    catalogue.load()
    kind, values, name = job(core, options)
    write(folder / name, files(kind, values, name))
    return folder / name, name


def run(command: list[str], folder: Path) -> tuple[int, str]:
    """Run a command; return its exit status and output.

    After `HANG_S` seconds, end the command and the processes that it has started, and return status 124.
    """
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, cwd=folder, start_new_session=True, **pipe) as process:
        try:
            output, _ = process.communicate(timeout=HANG_S)
        except subprocess.TimeoutExpired:
            return 124, f"{Path(command[0]).name} had not ended after {HANG_S:.0f} s"
        finally:  # Ctrl-C does not reach the command, because start_new_session puts it into its own process group
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, output


def lint(folder: Path, name: str) -> str:
    """Return the warnings and errors that Verilator's lint prints for a core."""
    status, output = run(["verilator", "--lint-only", "-Wall", f"{name}.v"], folder)
    return output or f"exit status {status}" if status or output else ""


def icarus(folder: Path, name: str) -> tuple[int, str]:
    """Run a core's test bench in Icarus; return exit status and output."""
    status, output = run(["iverilog", "-g2012", "-Wall", "-o", "tb.vvp", f"{name}_tb.v", f"{name}.v"], folder)
    return (status, output) if status or output else run(["vvp", "-N", "tb.vvp"], folder)


def verilator(folder: Path, name: str, library: Path | None = None) -> tuple[int, str]:
    """Run a core's test bench in Verilator; return exit status and output.

    `library` is a folder for the object files of Verilator's own library. They are compiled for the first core only.
    """
    model = f"V{name}_tb"
    translate = ["verilator", "--cc", "--exe", "--main", "--timing", "--top-module", f"{name}_tb"]
    status, output = run([*translate, f"{name}_tb.v", f"{name}.v"], folder)
    if status:
        return status, output
    objects = folder / "obj_dir"
    for path in library.glob("*.o") if library else ():
        shutil.copy(path, objects)
    # compile without optimisation, because compiling takes longer than the simulation
    compile_it = ["make", "-C", "obj_dir", "-f", f"{model}.mk", "OPT_FAST=-O0", "OPT_GLOBAL=-O0", model]
    status, output = run(compile_it, folder)
    if status:
        return status, output
    if library:
        library.mkdir(exist_ok=True)
        for path in objects.glob("verilated*.o"):
            shutil.copy(path, library)
    return run([f"obj_dir/{model}"], folder)
