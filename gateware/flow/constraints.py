"""What place-and-route is told of clocks and loops, checked against the netlist and against its report.

nextpnr knows a clock by the name of a port or net (`FREQUENCY` in the LPF file). It only warns of a name that is not in
the netlist, and times a clock that has no frequency, nor one derived by a PLL, for 12 MHz. It judges a clock by the
paths from that clock to itself, so that paths between clocks need no exception: what makes those right is their
structure (`tests/gateware/soc/test_crossings.py`). It is told not to mind combinational loops, which are the random
source's rings: that there is no other one is checked here.
"""

import re
from collections import Counter

_FREQUENCY = re.compile(r'^FREQUENCY (PORT|NET) "([^"]+)" ([\d.]+) MHz;$', re.MULTILINE)
# Cells with paths from any input to any output; of distributed RAM, from the read address alone.
_LOGIC = ("LUT4", "CCU2C", "PFUMX", "L6MUX21")
_MEMORY, _MEMORY_INPUTS = "TRELLIS_DPR16X4", {"RAD"}
# What place-and-route makes of all these: a LUT with its carry, and a multiplexer behind it and another.
_SLICE, _LUT_INPUTS, _LUT_OUTPUTS = "TRELLIS_COMB", {"A", "B", "C", "D", "FCI"}, {"F", "FCO"}
_MULTIPLEXER_INPUTS, _MULTIPLEXER_OUTPUTS = {"F", "F1", "FXA", "FXB", "M"}, {"OFX"}
_TOLERANCE = 0.001
# TCK comes out of a chain of LUTs. Synthesis leaves none of its names that LiteX knows, so that the LPF file has none
# either, and nextpnr times it for 12 MHz: what it reaches counts, beside the most that an ECP5's TCK takes.
SYS_CLOCK, JTAG_CLOCK, JTAG_MHZ = "sys", "jtag_clk", 25.0
UNCONSTRAINED_MHZ = 12.0
# What starts a DDR3 PHY's delay lines, from the PLL as the system's clock is.
START_CLOCK, START_MHZ = "init_clk", 25.0


def frequencies(lpf: str) -> dict[str, float]:
    """MHz of each port and net that an LPF file constrains."""
    return {name: float(megahertz) for _, name, megahertz in _FREQUENCY.findall(lpf)}


def unknown_names(lpf: str, module: dict) -> list[str]:
    """Ports and nets that an LPF file constrains and that are not in the netlist.

    Parameters
    ----------
    lpf : str
        The file's text.
    module : dict
        The top module, with `ports` and `netnames` as Yosys' ``write_json`` has them.
    """
    names = {"PORT": module["ports"], "NET": module["netnames"]}
    return [name for kind, name, _ in _FREQUENCY.findall(lpf) if name not in names[kind]]


def unconstrained(clocks: list[dict], wanted: dict[str, float]) -> list[str]:
    """Clocks that place-and-route did not time for the frequency that is wanted of them, or that nobody named.

    Among them are the system's clock if it was not timed at all, and what two clocks have as their name.

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
    """Nextpnr names a net after any of its users: the pad's clock keeps its name, the PLL's output is `sys`.

    TCK, behind its delay, is `JTAG_CLOCK`; that of DDR3's start, `START_CLOCK`. Where LiteX crosses from one clock to
    another it has a further name for each, with a number: of those the one that was timed for no frequency, in MHz, is
    TCK.
    """
    if net.endswith(f"${START_CLOCK}"):
        return START_CLOCK
    if pad := re.match(r"(?:\$glbnet\$)?(\w+)\$TRELLIS_IO_IN$", net):
        return pad[1]
    is_crossed = timed_for == UNCONSTRAINED_MHZ and re.search(r"\b(from|to)\d+_clk$", net)
    return JTAG_CLOCK if is_crossed or re.search(r"jtag\w*_tck\d*$", net) else SYS_CLOCK


def required_mhz(clock: str, timed_for: float) -> float:
    """What a clock must reach, in MHz: what place-and-route timed it for, or `JTAG_MHZ`."""
    return JTAG_MHZ if clock == JTAG_CLOCK else timed_for


def looping(module: dict) -> set[str]:
    """Names of the cells that are part of combinational loops, or between two of them."""
    cells = {(name, n): arcs for name, cell in module["cells"].items() for n, arcs in enumerate(_arcs(cell))}
    for backwards in (False, True):
        cells = _without_ends(cells, backwards)
    return {name for name, _ in cells}


def _arcs(cell: dict) -> list[tuple[set, set]]:
    """Nets from which and to which a cell, or each part of it, has combinational paths."""
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
    """What is left when cells that depend on no other cell that is left, or that none depends on, are taken away."""
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
