# SPDX-License-Identifier: BSD-2-Clause
"""Translates cells of an ECP5 netlist (JSON of Yosys and nextpnr), with their pins and parameters, into Verilog.

Models of the cells that become instances are in this folder. Block RAM behaves as Yosys describes it to its own mapping
(`lattice/brams_16kd.txt` and `brams_map_16kd.v` of its share). Lattice's guide, FPGA-TN-02204, was not available.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

Cell = dict[str, Any]
MODELS = Path(__file__).parent
# 64 parameters (INITVALS) store the initial contents of a block RAM. Each parameter contains 16 rows (ROWS), one in
# every 20 bits (ROW_PITCH). A row consists of two units of 9 bits (UNIT).
INITVALS, ROWS, ROW_PITCH, UNIT = 64, 16, 20, 9


@cache
def expression(truth: int, inputs: int) -> str:
    """Returns a Boolean function as the text of a Python expression; {0}, {1}, ... stand for its inputs.

    Bit n of `truth` is the function's value when the inputs form the number n; the first input is the least
    significant. The expression computes all simulated copies at once, one in each bit. In it, `M` is a number with
    a 1 for each copy.
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
    """Returns a block RAM's initial contents as the text of a file for its Verilog model: one 9-bit unit per line."""
    units = []
    for block in range(INITVALS):
        rows = number(parameters.get(f"INITVAL_{block:02X}", "0"))
        for row in range(ROWS):
            units += [rows >> ROW_PITCH * row + UNIT * half & (1 << UNIT) - 1 for half in range(2)]
    return "".join(f"{unit:03x}\n" for unit in units)


def declaration(port: str, described: dict) -> str:
    """Returns the Verilog declaration of a module's port; a bidirectional port becomes an input."""
    direction = "output" if described["direction"] == "output" else "input"
    return f"{direction} [{len(described['bits']) - 1}:0] {port}"


def net(bit: int | str) -> str:
    """Returns the Verilog text of one bit: the name of the net with this number, or a constant (0 if undefined)."""
    return f"n{bit}" if isinstance(bit, int) else "1'b1" if bit == "1" else "1'b0"


def vector(bits: list) -> str:
    """Returns a Verilog vector of nets; the first net is the least significant bit."""
    return f"{{{', '.join(net(bit) for bit in reversed(bits))}}}"


def input_net(cell: Cell, pin: str, unconnected: str = "0") -> str:
    """Returns the net that is connected to a pin."""
    (bit, *_) = cell["connections"].get(pin) or [unconnected]
    return net(bit)


def input_nets(cell: Cell, pins: Iterable[str], unconnected: str = "0") -> list[str]:
    """Returns the nets that are connected to pins."""
    return [input_net(cell, pin, unconnected) for pin in pins]


def chosen_net(cell: Cell, pin: str, choice: str) -> str:
    """Returns a Verilog expression for a pin. `choice` selects the pin's net, the inverse of the net, or a constant."""
    connected = input_net(cell, pin, "1")
    inverse = {"1'b0": "1'b1", "1'b1": "1'b0"}.get(connected, f"~{connected}")
    return {"0": "1'b0", "1": "1'b1", pin: connected, "INV": inverse}[choice]


def output_net(cell: Cell, pin: str) -> str | None:
    """Returns the net that an output drives; None if it drives none."""
    (bit, *_) = cell["connections"].get(pin) or ["x"]
    return net(bit) if isinstance(bit, int) else None


def number(digits: str) -> int:
    """Returns the number in a parameter's binary digits; undefined digits count as 0."""
    return int(digits.replace("x", "0"), 2)


def literal(value: str) -> str:
    """Returns a parameter of a cell as a Verilog literal.

    Yosys writes numbers as binary digits, and adds a space to texts that look like binary digits.
    """
    return f"{len(value)}'b{value.replace('x', '0')}" if value and set(value) <= set("01x") else f'"{value.rstrip()}"'


def require(parameters: dict[str, str], name: str, *values: str) -> None:
    """Checks that a parameter has one of the given values; a missing parameter counts as the first value.

    Raises
    ------
    KeyError
        It has another value.
    """
    if (value := parameters.get(name, values[0])) not in values:
        raise KeyError(f"{name} {value}")


def lookup(table: int, nets: list[str]) -> str:
    """Returns a Verilog expression for a Boolean function of nets.

    Bit n of `table` is the function's value when the nets form the number n; the first net is its lowest bit.
    """
    text = expression(table, len(nets))
    return {"0": "1'b0", "M": "1'b1"}.get(text, text.replace("M", "1'b1")).format(*nets)


def multiplexer(select: str, one: str, zero: str) -> str:
    """Returns a Verilog expression for a multiplexer of two nets."""
    return f"{zero} ^ ({select} & ({one} ^ {zero}))"
