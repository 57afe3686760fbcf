"""Yosys, nextpnr and ecppack: native ones when on PATH, else those that PyPI's yowasp packages bring."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

TOOLS = ("yosys", "nextpnr-ecp5", "ecppack")
# What makes a simulated board.
SIMULATION = ("verilator", "riscv64-unknown-elf-gcc")
# LUT4s that each cell of the ECP5 takes: LUTs themselves, carry cells and distributed RAM.
LUT4_OF_CELL = {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 4}


class ToolError(RuntimeError):
    """A tool is missing or failed."""


def environment(directory: Path) -> dict[str, str]:
    """An environment whose PATH has the tools under their usual names.

    Parameters
    ----------
    directory : Path
        Where wrappers are written that call the yowasp commands.

    Raises
    ------
    ToolError
        A tool is neither on PATH nor in the Python environment.
    """
    scripts = Path(sys.executable).parent
    directory.mkdir(parents=True, exist_ok=True)
    for tool in TOOLS:
        wrapper = directory / tool
        yowasp = scripts / f"yowasp-{tool}"
        if shutil.which(tool):
            wrapper.unlink(missing_ok=True)
        elif yowasp.exists():
            wrapper.write_text(f'#!/bin/sh\nexec "{yowasp}" "$@"\n')
            wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
        else:
            raise ToolError(f"{tool} is missing: run `make setup`, or put it on PATH")
    return {**os.environ, "PATH": f"{directory}{os.pathsep}{scripts}{os.pathsep}{os.environ['PATH']}"}


def lut4s(cells: Mapping[str, int]) -> int:
    """LUT4s that cells occupy, from the number of each type; wide multiplexers (PFUMX, L6MUX21) are no LUTs."""
    return sum(count * cells.get(cell, 0) for cell, count in LUT4_OF_CELL.items())


def versions(environment: Mapping[str, str], tools: Iterable[str] = TOOLS) -> dict[str, str]:
    """The version that each tool reports, by name."""
    found = {}
    for tool in tools:
        result = subprocess.run([tool, "--version"], env=environment, capture_output=True, text=True, timeout=300)
        lines = (result.stdout + result.stderr).strip().splitlines()
        named = [line for line in lines if "ersion" in line or "Yosys" in line]
        found[tool] = (named or lines or ["unknown"])[0].strip()
    return found
