# SPDX-License-Identifier: BSD-2-Clause
"""Reads a bitstream with ecpunpack, and checks that it contains the output of place-and-route.

ecpunpack names some bits differently from nextpnr (a multiplexer's default, tiles of one group), so the texts differ.
This module therefore packs ecpunpack's output again, which must produce the same bytes. ecpunpack reads neither the
configuration's clock nor its voltages, so these come from nextpnr. Contents of block RAMs are compared with the routed
netlist, by their numbers, so that the simulated contents are the bitstream's contents.
"""

import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

from . import toolchain
from .cells import Cell, contents

TIMEOUT_S = 600


class BitstreamDiffersError(RuntimeError):
    """A bitstream differs from the inputs that it was made from."""


def check(gateware: Path, name: str, module: Cell, environment: Mapping[str, str]) -> int:
    """Compares a bitstream with the inputs that it was made from; returns the number of compared block RAMs.

    Parameters
    ----------
    gateware : Path
        Folder with `<name>.bit`, nextpnr's `<name>.config` and the script `build_<name>.sh` that made them.
    name : str
        The target's name.
    module : dict
        The routed netlist.
    environment : mapping
        Environment with the tools on its PATH.

    Returns
    -------
    int
        Number of compared block RAMs.

    Raises
    ------
    BitstreamDiffersError
        They differ.
    ToolError
        A tool failed.
    """
    unpacked, again = gateware / f"{name}-unpacked.config", gateware / f"{name}-again.bit"
    run(["ecpunpack", "--input", f"{name}.bit", "--textcfg", unpacked.name], gateware, environment)
    text = unpacked.read_text()
    written = (gateware / f"{name}.config").read_text()
    settings = [line for line in written.splitlines() if line.startswith(".sysconfig ")]
    unpacked.write_text("\n".join([*settings, text]))
    (packing,) = [line for line in (gateware / f"build_{name}.sh").read_text().splitlines() if line[:8] == "ecppack "]
    files = {f"{name}.config": unpacked.name, f"{name}.bit": again.name, f"{name}.svf": f"{name}-again.svf"}
    run([files.get(word, word) for word in shlex.split(packing)], gateware, environment)
    if again.read_bytes() != (gateware / f"{name}.bit").read_bytes():
        raise BitstreamDiffersError(f"{again}, packed from the contents of {name}.bit, differs from it")
    found = _block_rams(text)
    expected = {
        int(cell["attributes"]["WID"], 2): contents(cell["parameters"]).split()
        for cell in module["cells"].values()
        if cell["type"] == "DP16KD"
    }
    if wrong := [str(number) for number in expected.keys() | found.keys() if found.get(number) != expected.get(number)]:
        raise BitstreamDiffersError(f"block RAMs {', '.join(sorted(wrong))} of {name}.bit differ from the netlist")
    return len(found)


def _block_rams(text: str) -> dict[int, list[str]]:
    """Maps the number of each block RAM to its contents: 9-bit units in hexadecimal."""
    found: dict[int, list[str]] = {}
    units: list[str] | None = None
    for line in text.splitlines():
        if line.startswith("."):
            kind, *values = line.split()
            units = found.setdefault(int(values[0]), []) if kind == ".bram_init" else None
        elif units is not None:
            units += line.split()
    return found


def run(command: list[str], folder: Path, environment: Mapping[str, str]) -> None:
    """Runs a tool in a folder.

    Raises
    ------
    ToolError
        The tool failed; the message contains the last line of its output.
    """
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S
    )
    if result.returncode:
        reason = (result.stderr + result.stdout).strip().splitlines() or [f"status {result.returncode}"]
        raise toolchain.ToolError(f"{command[0]} failed: {reason[-1]}")
