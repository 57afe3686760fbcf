# SPDX-License-Identifier: BSD-2-Clause
"""Counts the cells of each unit of the SoC in a netlist, to show which units use the LUTs.

Yosys names a cell after a net near it, and nets carry the names of the SoC's modules. Some names tell no unit, such as
the names of LiteX's memories, or `LUT4_7`. Their cells count for the unit to which most of their neighbours belong. A
LUT between two units may count for either, so read the numbers as estimates. With two accelerators, both count as one
unit. LiteX puts the name of the function that made the SoC before all names.
"""

import re
from collections import Counter, defaultdict

from ..extensions import configurations
from .toolchain import LUT4_OF_CELL

# Maps each unit to prefixes of the names of its cells. A cell belongs to the first unit with a matching prefix.
UNITS = {
    "cpu": ("VexRiscv",),
    "vector_unit": ("cipherlanesoc_aes_", "aes_unit", "lane_registers", "column_table"),
    "accelerator": ("cipherlanesoc_ctraccelerator", "accelerator_ctraccelerator", "ctraccelerator"),
    "ctr_service": (
        "ctrservice",
        "counterblocks",
        "keyloader",
        "keyexpansion",
        "iterativecipher",
        "pipelined",
        "output_queue",
        "round_keys",
        "keystream",
        "key_words",
        "sbox_table",
    ),
    "fast_path": (
        "add_ethernet_fastpath",
        "session_",
        "window_",
        "statistics_",
        "event_counters",
    ),
    "ethernet": ("add_ethernet_", "add_slots_", "fastpathethernet", "liteeth", "sharedmac"),
}
UNITS |= {part.name: (f"cipherlanesoc_{part.name}",) for each in configurations().values() for part in each.parts}
_MAKER = "write_sources_"
REST = "rest"  # all cells that belong to no unit in UNITS: buses, memories, CSRs, UART, timer, random source
_COMMON = ("CLK", "WCK", "CLKA", "CLKB", "LSR", "RSTA", "RSTB")
RESOURCES = {"lut4": LUT4_OF_CELL, "ff": {"TRELLIS_FF": 1}, "bram": {"DP16KD": 1}, "dsp": {"MULT18X18D": 1}}
# Names of memories in several units, of logic that LiteX moved, and of cells for which Yosys found no name of a net.
# These names do not tell to which unit a cell belongs. In the name of a cell, more text can follow.
_NAMELESS = re.compile(r"(storage|mem|table|packet_words|held_text|subkeys|comb_[a-z_]+|f_rhs_[a-z_]+|LUT4)(_?\d+)?")


def by_unit(module: dict) -> dict[str, dict[str, int]]:
    """Returns the numbers of LUT4s, flip-flops, block RAMs and DSPs of each unit, in a dictionary. `REST` comes last.

    Parameters
    ----------
    module : dict
        The top module, in the form that Yosys' ``write_json`` writes.
    """
    groups: dict[str, list[dict]] = defaultdict(list)
    for name, cell in module["cells"].items():
        groups[_group(name)].append(cell)
    at_net: dict[int, Counter] = defaultdict(Counter)  # units at each net
    for group, cells in groups.items():
        if group in UNITS:
            for net in _nets(cells):
                at_net[net][group] += 1
    found = {unit: dict.fromkeys(RESOURCES, 0) for unit in (*UNITS, REST)}
    for group, cells in groups.items():
        unit = group
        if group not in found:
            votes = sum((at_net[net] for net in _nets(cells)), Counter())
            unit = votes.most_common(1)[0][0] if votes else REST
        for cell in cells:
            for resource, weights in RESOURCES.items():
                found[unit][resource] += weights.get(cell["type"], 0)
    return {unit: used for unit, used in found.items() if any(used.values())}


def _group(name: str) -> str:
    """Returns the unit of the cell with this name. For a name that tells no unit, returns LiteX's name or `REST`."""
    name = name.removeprefix(_MAKER)
    for unit, beginnings in UNITS.items():
        if name.startswith(beginnings):
            return unit
    nameless = _NAMELESS.match(name)
    return nameless[0] if nameless else REST


def _nets(cells: list[dict]) -> set[int]:
    """Returns the numbers of the nets that are connected to these cells, except clocks and resets."""
    pins = (item for cell in cells for item in cell["connections"].items())
    return {bit for pin, bits in pins if pin not in _COMMON for bit in bits if isinstance(bit, int)}
