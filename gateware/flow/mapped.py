# SPDX-License-Identifier: BSD-2-Clause
"""Simulates a core that Yosys has mapped to ECP5 cells, and counts how often its wires switch.

It reads the netlist that Yosys wrote for nextpnr, so it simulates exactly what was placed, for any core. One model thus
provides cycle counts, a check of the results after synthesis, and switching activity.

Lanes: each wire holds an integer with one bit for each lane. Lane n of all wires together is one copy of the core, with
its own data. All lanes share the control inputs.

Switching activity: transitions of the outputs of all cells. After each clock edge every LUT4, multiplexer, carry and
memory output follows its inputs after one unit of time, so a wire may change several times a cycle, as in the silicon.
Real delays differ. The lengths of wires, the clock nets and the insides of memories do not count. So the result is an
indicator of dynamic power, not a measurement.

Cells: LUT4, PFUMX, L6MUX21, CCU2C, TRELLIS_FF, TRELLIS_DPR16X4, DP16KD (as a memory with one or two ports for reading,
written through port A or B). Asynchronous resets act at the clock edge.
"""

from collections.abc import Callable
from graphlib import CycleError, TopologicalSorter

from .cells import expression
from .mapped_memories import BlockRAM, DistributedRAM, same

# Tells how to compute one wire: the wire's number, its input wires, and an expression in which {n} stands for input n.
Node = tuple[int, list[int], str]
# Maximum number of steps after which the wires must be stable. Wires that change for longer oscillate.
STEPS = 500


class NetlistError(RuntimeError):
    """The netlist contains a cell, or an arrangement of cells, that this module cannot simulate."""


class Netlist:
    """Simulates several copies (lanes) of one mapped module at once.

    Parameters
    ----------
    module : dict
        The module in the form of Yosys' JSON.
    clock : str
        The port of its only clock.
    lanes : int
        Number of copies of the core.

    Raises
    ------
    NetlistError
        It contains a cell that is not simulated, or a ring of combinational cells.

    Attributes
    ----------
    cycle : int
        Clock edges so far.
    is_counting : bool
        Count transitions; slower.
    transitions : int
        Transitions of all wires while counting, in all lanes together.
    """

    def __init__(self, module: dict, *, clock: str, lanes: int):
        self.lanes = lanes
        self.mask = (1 << lanes) - 1
        self.cycle = 0
        self._ports = {name: port["bits"] for name, port in module["ports"].items()}
        self._index: dict[object, int] = {"0": 0, "x": 0, "1": 1}
        self._values = [0, self.mask]
        for bits in self._ports.values():
            for bit in bits:
                self._wire(bit)
        self._clock = self._wire(self._ports[clock][0])
        self._flip_flops: list[tuple] = []
        self._memories: list[DistributedRAM | BlockRAM] = []
        logic: list[Node] = []
        for name, cell in module["cells"].items():
            if cell["type"] != "$scopeinfo":
                logic += self._add(name, cell)
        self._logic = _ordered(logic)
        self._settle = self._compile(self._logic, "v")
        self._step: Callable | None = None
        self.is_counting = False
        self.transitions = 0
        self.settle()

    # Building ----------------------------------------------------------------------------------------------

    def _wire(self, bit) -> int:
        if bit not in self._index:
            self._index[bit] = len(self._values)
            self._values.append(0)
        return self._index[bit]

    def _add(self, name: str, cell: dict) -> list[Node]:
        kind, parameters = cell["type"], cell["parameters"]
        pins = {pin: [self._wire(bit) for bit in bits] for pin, bits in cell["connections"].items()}
        one = {pin: wires[0] for pin, wires in pins.items() if wires}
        if kind == "LUT4":
            return [(one["Z"], [one[pin] for pin in "ABCD"], expression(int(parameters["INIT"], 2), 4))]
        if kind in ("PFUMX", "L6MUX21"):
            low, high, select = ("BLUT", "ALUT", "C0") if kind == "PFUMX" else ("D0", "D1", "SD")
            return [(one["Z"], [one[low], one[high], one[select]], "({2} & {1} | ~{2} & {0})")]
        if kind == "CCU2C":
            return _carry(one, parameters)
        if kind == "TRELLIS_FF":
            self._add_flip_flop(one, parameters)
            return []
        if kind in ("TRELLIS_DPR16X4", "DP16KD"):
            memory = (DistributedRAM if kind == "TRELLIS_DPR16X4" else BlockRAM)(pins, parameters, self.lanes)
            self._memories.append(memory)
            return memory.logic(len(self._memories) - 1)
        raise NetlistError(f"cell {name} is a {kind}, which is not simulated")

    def _add_flip_flop(self, pins: dict[str, int], parameters: dict[str, str]) -> None:
        enable = pins.get("CE", 1)
        constant = parameters.get("CEMUX", "CE").strip()
        if constant in ("0", "1"):
            enable = int(constant)
        reset = pins.get("LSR", 0)
        is_set = parameters.get("REGSET", "RESET") == "SET"
        over = parameters.get("SRMODE", "LSR_OVER_CE") in ("LSR_OVER_CE", "ASYNC")
        inverted = parameters.get("CEMUX") == "INV", parameters.get("LSRMUX") == "INV"
        if pins["CLK"] != self._clock or parameters.get("CLKMUX") == "INV" or not over:
            what = "on another clock or on its falling edge, or whose enable gates its reset"
            raise NetlistError(f"a flip-flop {what}, is not simulated")
        self._flip_flops.append((pins["Q"], pins["DI"], enable, reset, is_set, *inverted))
        self._values[pins["Q"]] = self.mask if is_set else 0

    @staticmethod
    def _compile(logic: list[Node], target: str) -> Callable:
        """Compiles the logic of wires to a Python function, which computes the values of these wires.

        The function `run(v, w, M, R)` reads the wires' values from the list `v`, and writes to the list that `target`
        names: `v` or `w`. `M` is the lane mask, and `R` contains the memories.
        """
        lines = [
            f"    {target}[{output}] = " + text.format(*(f"v[{wire}]" for wire in inputs))
            for output, inputs, text in logic
        ]
        scope: dict = {}
        exec(compile("\n".join(["def run(v, w, M, R):", "    pass", *lines]), "<netlist>", "exec"), scope)
        return scope["run"]

    @property
    def state(self) -> tuple:
        """All wires' values and all memories' contents. To save the state, copy it. To restore it, assign a copy."""
        return self._values, self._memories

    @state.setter
    def state(self, state: tuple) -> None:
        self._values, self._memories = state

    # Running -----------------------------------------------------------------------------------------------

    def poke(self, port: str, value: int) -> None:
        """Sets an input to the same value in all lanes."""
        for n, bit in enumerate(self._ports[port]):
            self._set(self._wire(bit), self.mask * (value >> n & 1))

    def poke_lanes(self, port: str, values: list[int]) -> None:
        """Sets an input to a separate value in each lane."""
        for n, bit in enumerate(self._ports[port]):
            self._set(self._wire(bit), sum((value >> n & 1) << lane for lane, value in enumerate(values)))

    def peek(self, port: str) -> int:
        """Returns the value of an output, which must be the same in all lanes.

        Raises
        ------
        NetlistError
            The lanes differ.
        """
        value = same([self._values[self._wire(bit)] for bit in self._ports[port]], self.mask)
        if value is None:
            raise NetlistError(f"{port} differs between lanes")
        return value

    def peek_lanes(self, port: str) -> list[int]:
        """Returns the value of an output in each lane."""
        wires = [self._values[self._wire(bit)] for bit in self._ports[port]]
        return [sum((wire >> lane & 1) << n for n, wire in enumerate(wires)) for lane in range(self.lanes)]

    def settle(self) -> None:
        """Updates the wires until they are stable with the present inputs and flip-flops.

        Raises
        ------
        NetlistError
            They never settle.
        """
        if not self.is_counting:
            self._settle(self._values, self._values, self.mask, self._memories)
            return
        self._step = self._step or self._compile(self._logic, "w")
        for _ in range(STEPS):
            after = list(self._values)
            self._step(self._values, after, self.mask, self._memories)
            if after == self._values:
                return
            self.transitions += sum((a ^ b).bit_count() for a, b in zip(self._values, after, strict=True) if a != b)
            self._values = after
        raise NetlistError(f"wires still change after {STEPS} steps")

    def edge(self) -> None:
        """Performs a rising edge of the clock: flip-flops and memories store their inputs. Call `settle` afterwards."""
        v, changes = self._values, []
        for output, data, enable, reset, is_set, enable_inverted, reset_inverted in self._flip_flops:
            enabled = v[enable] ^ (self.mask if enable_inverted else 0)
            cleared = v[reset] ^ (self.mask if reset_inverted else 0)
            value = v[output] & ~enabled | v[data] & enabled
            changes.append((output, value | cleared if is_set else value & ~cleared))
        for memory in self._memories:
            changes += memory.edge(v)
        for wire, value in changes:
            self._set(wire, value)
        self.cycle += 1

    def _set(self, wire: int, value: int) -> None:
        if self.is_counting:
            self.transitions += (self._values[wire] ^ value).bit_count()
        self._values[wire] = value


def _carry(pins: dict[str, int], parameters: dict[str, str]) -> list[Node]:
    """Returns the logic of each wire that a cell CCU2C drives. The cell computes two bits of a carry chain."""
    nodes = []
    carry, carry_inputs = "{0}", [pins.get("CIN", 0)]
    for n in range(2):
        table = int(parameters[f"INIT{n}"], 2)
        injected = parameters.get(f"INJECT1_{n}", "YES") == "YES"
        first = len(carry_inputs)
        places = [f"{{{first + m}}}" for m in range(4)]
        lut = expression(table, 4).format(*places)
        pair = "0" if injected else expression(table & 15, 2).format(*places)
        inputs = [*carry_inputs, *(pins[f"{pin}{n}"] for pin in "ABCD")]
        if f"S{n}" in pins:
            nodes.append((pins[f"S{n}"], inputs, lut if injected else f"({lut} ^ {carry})"))
        carry, carry_inputs = f"(~{lut} & {pair} | {lut} & {carry})", inputs
    if "COUT" in pins:
        nodes.append((pins["COUT"], carry_inputs, carry))
    return nodes


def _ordered(logic: list[Node]) -> list[Node]:
    """Sorts nodes (each the logic of one wire) so that each node follows the nodes that drive its inputs."""
    drivers = {node[0]: node for node in logic}
    waiting = {output: {wire for wire in inputs if wire in drivers} for output, inputs, _ in logic}
    try:
        return [drivers[output] for output in TopologicalSorter(waiting).static_order()]
    except CycleError as error:
        raise NetlistError("combinational cells drive each other in a ring") from error
