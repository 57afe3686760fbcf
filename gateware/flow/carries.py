"""Carry chains of a netlist that end where their carry does: ``python carries.py NETLIST.json``.

Yosys connects the carry out of each chain's last cell, used or not, and nextpnr gives each that is connected a carry
cell more, to lead it out: two LUT4s a chain for nothing. One that nobody reads is left open here.
"""

import json
import sys
from pathlib import Path

OPEN = "x"  # nextpnr connects no net


def open_unused(netlist: Path) -> int:
    """Opens the carries of a netlist, as Yosys' ``write_json`` has it, that nobody reads; returns how many."""
    design = json.loads(netlist.read_text())
    opened = 0
    for module in design["modules"].values():
        cells = module["cells"].values()
        read = {bit for port in module["ports"].values() for bit in port["bits"]}
        for cell in cells:
            directions = cell["port_directions"]
            read.update(bit for pin, bits in cell["connections"].items() if directions[pin] != "output" for bit in bits)
        for cell in cells:
            if cell["type"] == "CCU2C" and not read.intersection(cell["connections"]["COUT"]):
                cell["connections"]["COUT"] = [OPEN]
                opened += 1
    netlist.write_text(json.dumps(design))
    return opened


if __name__ == "__main__":
    print(f"{open_unused(Path(sys.argv[1]))} carries are read by nobody")
