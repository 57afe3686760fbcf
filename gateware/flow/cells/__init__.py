"""Cells of a netlist of the ECP5 (JSON of Yosys and nextpnr): their pins and parameters in Verilog.

Models of those that become instances are beside this. What block RAM does is as Yosys describes it to its own mapping
(`lattice/brams_16kd.txt` and `brams_map_16kd.v` of its share), for Lattice's guide, FPGA-TN-02204, was not at hand.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

Cell = dict[str, Any]
MODELS = Path(__file__).parent
# Of a block RAM: its INITVALs, rows in each, bits from one row to the next, bits of a unit, of which a row has two.
INITVALS, ROWS, ROW_PITCH, UNIT = 64, 16, 20, 9


@cache
def expression(truth: int, inputs: int) -> str:
    """A function of `inputs` inputs as a Python expression over {0}, {1}, ... and the mask of all lanes, M.

    Bit n of `truth` is the value where the inputs, the first one the least significant, are n.
    """
    if inputs == 0:
        return "M" if truth else "0"
    half = 1 << inputs - 1
    every = (1 << half) - 1
    low, high = truth & every, truth >> half
    x = f"{{{inputs - 1}}}"
    zero, one = expression(low, inputs - 1), expression(high, inputs - 1)
    if low == high:
        return zero
    if low == high ^ every:
        return {"0": x, "M": f"(M ^ {x})"}.get(zero, f"({x} ^ {zero})")
    if low == 0:
        return f"({x} & {one})"
    if high == 0:
        return f"(~{x} & {zero})"
    if low == every:
        return f"((M ^ {x}) | {one})"
    if high == every:
        return f"({x} | {zero})"
    return f"({x} & {one} | ~{x} & {zero})"


def contents(parameters: dict[str, str]) -> str:
    """What a block RAM begins with, by its parameters, as the file that its model reads: units of 9 bits."""
    units = []
    for block in range(INITVALS):
        rows = number(parameters.get(f"INITVAL_{block:02X}", "0"))
        for row in range(ROWS):
            units += [rows >> ROW_PITCH * row + UNIT * half & (1 << UNIT) - 1 for half in range(2)]
    return "".join(f"{unit:03x}\n" for unit in units)


def declaration(port: str, described: dict) -> str:
    """A module's port; one that goes both ways is an input."""
    direction = "output" if described["direction"] == "output" else "input"
    return f"{direction} [{len(described['bits']) - 1}:0] {port}"


def net(bit: int | str) -> str:
    """A net, by its number, or a constant; an undefined one is 0."""
    return f"n{bit}" if isinstance(bit, int) else "1'b1" if bit == "1" else "1'b0"


def vector(bits: list) -> str:
    """Nets together, the first one the least significant."""
    return f"{{{', '.join(net(bit) for bit in reversed(bits))}}}"


def input_net(cell: Cell, pin: str, unconnected: str = "0") -> str:
    """What a pin is connected to."""
    (bit, *_) = cell["connections"].get(pin) or [unconnected]
    return net(bit)


def input_nets(cell: Cell, pins: Iterable[str], unconnected: str = "0") -> list[str]:
    """What each of some pins is connected to."""
    return [input_net(cell, pin, unconnected) for pin in pins]


def chosen_net(cell: Cell, pin: str, choice: str) -> str:
    """What an input gets by the multiplexer that a parameter is of: its net, the net's inverse or a constant."""
    connected = input_net(cell, pin, "1")
    inverse = {"1'b0": "1'b1", "1'b1": "1'b0"}.get(connected, f"~{connected}")
    return {"0": "1'b0", "1": "1'b1", pin: connected, "INV": inverse}[choice]


def output_net(cell: Cell, pin: str) -> str | None:
    """What an output drives; None if nothing."""
    (bit, *_) = cell["connections"].get(pin) or ["x"]
    return net(bit) if isinstance(bit, int) else None


def number(digits: str) -> int:
    """A parameter's binary digits, undefined ones as 0."""
    return int(digits.replace("x", "0"), 2)


def literal(value: str) -> str:
    """A parameter in Verilog: Yosys has numbers as binary digits, and texts that look like some with a space behind."""
    return f"{len(value)}'b{value.replace('x', '0')}" if value and set(value) <= set("01x") else f'"{value.rstrip()}"'


def require(parameters: dict[str, str], name: str, *values: str) -> None:
    """That a parameter has one of these values, the first of which it has where it is not given.

    Raises
    ------
    KeyError
        It has not.
    """
    if (value := parameters.get(name, values[0])) not in values:
        raise KeyError(f"{name} {value}")


def lookup(table: int, nets: list[str]) -> str:
    """A function of nets; bit n of `table` is its value where they, the first one the least significant, are n."""
    text = expression(table, len(nets))
    return {"0": "1'b0", "M": "1'b1"}.get(text, text.replace("M", "1'b1")).format(*nets)


def multiplexer(select: str, one: str, zero: str) -> str:
    """One of two nets."""
    return f"{zero} ^ ({select} & ({one} ^ {zero}))"
