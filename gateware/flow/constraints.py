# SPDX-License-Identifier: BSD-2-Clause
"""Checks that place-and-route timed every clock of the netlist, and that only expected combinational loops exist.

nextpnr knows a clock by the name of a port or net (`FREQUENCY` in the LPF file). It only warns of a name that is not in
the netlist. It times a clock for 12 MHz if the clock has no frequency of its own and none derived by a PLL. It judges a
clock by the paths from that clock to itself, so paths between clocks need no exception; their structure keeps them
correct (`tests/gateware/soc/test_crossings.py`). nextpnr is told to ignore combinational loops, because the random
source contains rings. This module checks that there are no other loops.
"""

import re
from collections import Counter

_FREQUENCY = re.compile(r'^FREQUENCY (PORT|NET) "([^"]+)" ([\d.]+) MHz;$', re.MULTILINE)
# Types of cells with combinational paths from each input to each output. Distributed RAM has such paths only from its
# read address.
_LOGIC = ("LUT4", "CCU2C", "PFUMX", "L6MUX21")
_MEMORY, _MEMORY_INPUTS = "TRELLIS_DPR16X4", {"RAD"}
# nextpnr packs LUTs, carries and multiplexers into cells of type TRELLIS_COMB. Such a cell contains one LUT with its
# carry, and one multiplexer.
_SLICE, _LUT_INPUTS, _LUT_OUTPUTS = "TRELLIS_COMB", {"A", "B", "C", "D", "FCI"}, {"F", "FCO"}
_MULTIPLEXER_INPUTS, _MULTIPLEXER_OUTPUTS = {"F", "F1", "FXA", "FXB", "M"}, {"OFX"}
_TOLERANCE = 0.001
# The JTAG clock TCK passes through a chain of LUTs. LiteX does not know the name of TCK's net after synthesis, so the
# LPF file cannot constrain TCK. nextpnr then assumes 12 MHz for TCK. We compare the frequency that TCK reaches with the
# limit of the ECP5.
SYS_CLOCK, JTAG_CLOCK, JTAG_MHZ = "sys", "jtag_clk", 25.0
UNCONSTRAINED_MHZ = 12.0
# The clock with which a DDR3 PHY starts its delay lines. The PLL that makes the system clock also makes this clock.
START_CLOCK, START_MHZ = "init_clk", 25.0


def frequencies(lpf: str) -> dict[str, float]:
    """Returns the frequency in MHz of each port and net that an LPF file constrains."""
    return {name: float(megahertz) for _, name, megahertz in _FREQUENCY.findall(lpf)}


def unknown_names(lpf: str, module: dict) -> list[str]:
    """Returns the ports and nets that an LPF file constrains but the netlist does not contain.

    Parameters
    ----------
    lpf : str
        The file's text.
    module : dict
        The top module, with `ports` and `netnames` in the form that Yosys' ``write_json`` writes.
    """
    names = {"PORT": module["ports"], "NET": module["netnames"]}
    return [name for kind, name, _ in _FREQUENCY.findall(lpf) if name not in names[kind]]


def unconstrained(clocks: list[dict], wanted: dict[str, float]) -> list[str]:
    """Returns the names of clocks that nextpnr timed for a wrong frequency, and of clocks that are not in `wanted`.

    The list includes the system's clock if nextpnr did not time it at all, and any name that two clocks share.

    Parameters
    ----------
    clocks : list of dict
        `name` and `required_mhz` of each clock in the report.
    wanted : dict
        MHz by name.
    """
    count = Counter(clock["name"] for clock in clocks)
    return [SYS_CLOCK] * (SYS_CLOCK not in count) + [
        name
        for name, required in ((clock["name"], clock["required_mhz"]) for clock in clocks)
        if count[name] > 1 or abs(required - wanted.get(name, 0)) > _TOLERANCE * wanted.get(name, 0)
    ]


def clock_name(net: str, timed_for: float) -> str:
    """Returns this project's name for a clock; nextpnr's report gives the clock the name of a net.

    nextpnr names a net after any of its users. The pad's clock keeps its name, and the PLL's output is `sys`. TCK,
    after its delay, is `JTAG_CLOCK`. The clock that starts DDR3 is `START_CLOCK`. LiteX gives clocks that take part in
    a crossing a further name with a number. Of the nets with such names, TCK is the one that was timed without a
    constraint (`timed_for`, in MHz).
    """
    if net.endswith(f"${START_CLOCK}"):
        return START_CLOCK
    if pad := re.match(r"(?:\$glbnet\$)?(\w+)\$TRELLIS_IO_IN$", net):
        return pad[1]
    is_crossed = timed_for == UNCONSTRAINED_MHZ and re.search(r"\b(from|to)\d+_clk$", net)
    return JTAG_CLOCK if is_crossed or re.search(r"jtag\w*_tck\d*$", net) else SYS_CLOCK


def required_mhz(clock: str, timed_for: float) -> float:
    """Returns the MHz that a clock must reach: `JTAG_MHZ` for TCK, else the frequency for which nextpnr timed it."""
    return JTAG_MHZ if clock == JTAG_CLOCK else timed_for


def looping(module: dict) -> set[str]:
    """Returns the names of the cells in a combinational loop, or on a path from one loop to another."""
    cells = {(name, n): arcs for name, cell in module["cells"].items() for n, arcs in enumerate(_arcs(cell))}
    for backwards in (False, True):
        cells = _without_ends(cells, backwards)
    return {name for name, _ in cells}


def _arcs(cell: dict) -> list[tuple[set, set]]:
    """Returns pairs (input nets, output nets) of a cell. A combinational path leads from each input to each output."""
    pins, directions = cell["connections"], cell["port_directions"]
    if cell["type"] == _SLICE:
        return [
            (_nets(pins, _LUT_INPUTS), _nets(pins, _LUT_OUTPUTS)),
            (_nets(pins, _MULTIPLEXER_INPUTS), _nets(pins, _MULTIPLEXER_OUTPUTS)),
        ]
    if cell["type"] == _MEMORY:
        inputs = _MEMORY_INPUTS
    elif cell["type"] in _LOGIC:
        inputs = {pin for pin in pins if directions[pin] == "input"}
    else:
        return []
    return [(_nets(pins, inputs), _nets(pins, {pin for pin in pins if directions[pin] == "output"}))]


def _nets(pins: dict, names: set[str]) -> set:
    return {bit for pin in names for bit in pins.get(pin, ()) if isinstance(bit, int)}


def _without_ends(cells: dict, backwards: bool) -> dict:
    """Removes cells without a driving cell (with `backwards`: cells that drive no cell), until no such cell remains."""
    sources = {name: sides[backwards] for name, sides in cells.items()}
    users: dict[int, list[str]] = {}
    for name, nets in sources.items():
        for net in nets:
            users.setdefault(net, []).append(name)
    drivers = Counter(net for sides in cells.values() for net in sides[not backwards])
    waiting = {name: sum(drivers[net] for net in nets) for name, nets in sources.items()}
    free = [name for name, count in waiting.items() if count == 0]
    left = dict(cells)
    while free:
        name = free.pop()
        for net in left.pop(name)[not backwards]:
            for user in users.get(net, ()):
                waiting[user] -= 1
                if waiting[user] == 0:
                    free.append(user)
    return left
