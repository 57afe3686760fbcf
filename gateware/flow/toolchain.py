# SPDX-License-Identifier: BSD-2-Clause
"""Finds Yosys, nextpnr and ecppack: native programs on PATH, else the programs of PyPI's yowasp packages."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

from . import tethered

TOOLS = ("yosys", "nextpnr-ecp5", "ecppack")
UNPACKER = "ecpunpack"  # a program that reads bitstreams, from the same package as ecppack
# Tools that build a simulated board.
SIMULATION = ("verilator", "riscv64-unknown-elf-gcc")
# Maps types of ECP5 cells (LUT, carry cell, distributed RAM) to the number of LUT4s that a cell of this type takes.
LUT4_OF_CELL = {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 4}
# Time limit of a tool in seconds. nextpnr's router2 can try forever to meet a clock that cannot be met.
LIMIT_S = 2 * 3600


class ToolError(RuntimeError):
    """A tool is missing or failed."""


def environment(directory: Path) -> dict[str, str]:
    """Returns environment variables with a PATH that finds the tools under their usual names.

    Parameters
    ----------
    directory : Path
        Folder for the wrappers that call the yowasp commands.

    Raises
    ------
    ToolError
        A tool is neither on PATH nor in the Python environment.
    """
    scripts = Path(sys.executable).parent
    directory.mkdir(parents=True, exist_ok=True)
    for tool in (*TOOLS, UNPACKER):
        wrapper = directory / tool
        yowasp = scripts / f"yowasp-{tool}"
        if shutil.which(tool):
            wrapper.unlink(missing_ok=True)
        elif yowasp.exists():
            _write_program(wrapper, f'#!/bin/sh\nexec "{yowasp}" "$@"\n')
        else:
            raise ToolError(f"{tool} is missing: run `make setup`, or put it on PATH")
    return {**os.environ, "PATH": f"{directory}{os.pathsep}{scripts}{os.pathsep}{os.environ['PATH']}"}


def _write_program(path: Path, text: str) -> None:
    """Writes a missing or outdated program atomically, so that other processes can start the program at any time."""
    if path.exists() and path.read_text() == text:
        return
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(text)
    os.chmod(file.name, 0o755)
    os.replace(file.name, path)


def lut4s(cells: Mapping[str, int]) -> int:
    """Returns how many LUT4s some cells take. `cells` maps each type of cell to the number of cells of this type."""
    return sum(count * cells.get(cell, 0) for cell, count in LUT4_OF_CELL.items())


def versions(environment: Mapping[str, str], tools: Iterable[str] = TOOLS) -> dict[str, str]:
    """Maps the name of each tool to the version that the tool reports, or to `missing`."""
    found = {}
    for tool in tools:
        if not shutil.which(tool, path=environment["PATH"]):
            found[tool] = "missing"
            continue
        result = subprocess.run([tool, "--version"], env=environment, capture_output=True, text=True, timeout=300)
        lines = (result.stdout + result.stderr).strip().splitlines()
        named = [line for line in lines if "ersion" in line or "Yosys" in line]
        found[tool] = (named or lines or ["unknown"])[0].strip()
    return found


def run(
    command: list[str], folder: Path, environment: dict[str, str], output: BinaryIO, limit_s: float | None = None
) -> int | None:
    """Runs a command; returns its exit status, or None if the command was killed at the time limit.

    The limit is in seconds; by default it is `LIMIT_S`.
    """
    limit_s = LIMIT_S if limit_s is None else limit_s
    try:
        return tethered.run(command, limit_s, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return None


def failure(log: Path) -> str:
    """Returns the last error that a log reports, and the log's path."""
    return f"{error(log)}: see {log}"


def error(log: Path) -> str:
    """Returns the last error that a log reports."""
    lines = log.read_text(errors="replace").splitlines()
    errors = [line for line in lines if re.match(r"(?i)error|.*FAIL at", line)]
    return errors[-1] if errors else "a tool failed"
