# SPDX-License-Identifier: BSD-2-Clause
"""Disconnects unused carry outputs at the ends of a netlist's carry chains: ``python carries.py NETLIST.json``.

Yosys connects the carry output of each chain's last cell, used or not. For each connected output, nextpnr adds a carry
cell that leads it out, which wastes two LUT4s a chain. This script disconnects the outputs that nothing reads.
"""

import json
import sys
from pathlib import Path

OPEN = "x"  # nextpnr treats a pin with the constant x as unconnected


def open_unused(netlist: Path) -> int:
    """Disconnects unused carry outputs in a netlist of Yosys' ``write_json``. Returns the number of these outputs."""
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
    print(f"{open_unused(Path(sys.argv[1]))} unused carries disconnected")
