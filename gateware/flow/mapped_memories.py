# SPDX-License-Identifier: BSD-2-Clause
"""Models the ECP5's memories for `gateware.flow.mapped`, which simulates several copies (lanes) of a netlist.

Contents and pins are integers with one bit for each lane. Reads are fast if the address is the same in all lanes.
Writes use the same address in all lanes.
"""

Pins = dict[str, list[int]]
ROW = 18  # bits of a row of block RAM
UNIT = 9  # bits of a unit, which is half a row; a write changes whole units
# Maps the width of a port in bits to the lowest address bit that selects a word of this width. In a write, lower
# address bits enable the units to write.
FIRST_ADDRESS_BIT = {9: 3, 18: 4, 36: 5}


def same(bits: list[int], mask: int) -> int | None:
    """Returns the number that `bits` form, least significant bit first, if it is the same in all lanes; otherwise None.

    Each of `bits` is an integer with one bit per lane (copy of the core); `mask` has a 1 for each lane.
    """
    number = 0
    for n, bit in enumerate(bits):
        if bit == mask:
            number |= 1 << n
        elif bit:
            return None
    return number


def initial(contents: str) -> int:
    """Returns the initial contents of a memory from bits in Yosys' notation; undefined bits are 0."""
    return int(contents.replace("x", "0"), 2)


class DistributedRAM:
    """The distributed RAM TRELLIS_DPR16X4: 16 rows of 4 bits, written at the clock edge, read without delay.

    Parameters
    ----------
    pins : dict
        Wires of each pin.
    parameters : dict
        Parameters of the cell.
    lanes : int
        Number of copies.
    """

    def __init__(self, pins: Pins, parameters: dict[str, str], lanes: int):
        self._pins = pins
        self._mask = (1 << lanes) - 1
        self._inverted = parameters.get("WREMUX") == "INV"
        contents = initial(parameters.get("INITVAL", "0"))
        self._rows = [[self._mask * (contents >> 4 * row + bit & 1) for bit in range(4)] for row in range(16)]

    def logic(self, number: int) -> list[tuple[int, list[int], str]]:
        """Returns (wire, input wires, expression) for each output of this memory.

        The expressions name this memory ``R[number]``.
        """
        address = self._pins["RAD"]
        arguments = ", ".join(f"{{{n}}}" for n in range(len(address)))
        return [(wire, address, f"R[{number}].read({bit}, {arguments})") for bit, wire in enumerate(self._pins["DO"])]

    def read(self, bit: int, *address: int) -> int:
        """Reads column `bit` of the memory in every lane. Bit n of the result is what lane n reads at its address."""
        row = same(address, self._mask)
        if row is not None:
            return self._rows[row][bit]
        value = 0
        for row, contents in enumerate(self._rows):
            selected = contents[bit]
            for n, wire in enumerate(address):
                selected &= wire if row >> n & 1 else ~wire
            value |= selected
        return value

    def edge(self, values: list[int]) -> list[tuple[int, int]]:
        """Performs a clock edge: writes a row if enabled. Returns an empty list: the memory has no output registers."""
        enabled = bool(values[self._pins["WRE"][0]]) != self._inverted
        if enabled:
            row = same([values[wire] for wire in self._pins["WAD"]], self._mask)
            self._rows[row] = [values[wire] for wire in self._pins["DI"]]
        return []


class BlockRAM:
    """The block RAM DP16KD: 1024 rows of 18 bits (two units of 9 bits). Both ports act at the clock edge.

    Ports have 9 or 18 bits, or one port writes 36 bits and the other reads 36.

    Parameters
    ----------
    pins, parameters, lanes :
        As `DistributedRAM`.

    Raises
    ------
    ValueError
        Another width, or a port that uses the falling edge.
    """

    def __init__(self, pins: Pins, parameters: dict[str, str], lanes: int):
        self._pins = pins
        self._lanes = lanes
        self._mask = (1 << lanes) - 1
        self._width = {port: int(parameters[f"DATA_WIDTH_{port}"], 2) for port in "AB"}
        self._mode = {port: parameters.get(f"WRITEMODE_{port}", "NORMAL") for port in "AB"}
        clocks = {parameters.get(f"CLK{port}MUX", f"CLK{port}") for port in "AB"}
        if not set(self._width.values()) <= set(FIRST_ADDRESS_BIT) or "INV" in clocks:
            raise ValueError(f"block RAM with widths {self._width} and clocks {clocks} is not simulated")
        self._units: list[list[int]] = []
        for block in range(64):
            contents = initial(parameters.get(f"INITVAL_{block:02X}", "0"))
            for half in range(32):
                unit = contents >> 20 * (half // 2) + UNIT * (half % 2)
                self._units.append([self._mask * (unit >> bit & 1) for bit in range(UNIT)])

    def logic(self, number: int) -> list[tuple[int, list[int], str]]:
        """Returns an empty list: outputs change only at clock edges, so they have no combinational logic."""
        return []

    def _wires(self, name: str, port: str, width: int) -> list[int | None]:
        return [self._pins.get(f"{name}{port}{n}", [None])[0] for n in range(width)]

    def edge(self, values: list[int]) -> list[tuple[int, int]]:
        """Performs a clock edge, given the wires' values before it; returns the changed wires with their new values."""
        changes: list[tuple[int, int]] = []
        writes = []
        for port, width in self._width.items():
            enable, write, reset = (values[self._pins.get(f"{pin}{port}", [0])[0]] for pin in ("CE", "WE", "RST"))
            # A port of 36 bits uses the data pins of both ports. The pins of port A carry the lower 18 bits.
            sides = "AB" if width == 36 else port
            units = width // UNIT
            address = [values[wire] for wire in self._wires("AD", port, 14)[FIRST_ADDRESS_BIT[width] :]]
            outputs = [wire for side in sides for wire in self._wires("DO", side, min(width, ROW))]
            if reset:
                changes += [(wire, 0) for wire in outputs if wire is not None]
            elif enable and (not write or self._mode[port] == "READBEFOREWRITE"):
                changes += self._read(outputs, units, address)
            if enable and write:
                data = [wire for side in sides for wire in self._wires("DI", side, min(width, ROW))]
                enables = self._wires("AD", port, units) if units > 1 else [1]
                writes.append((same(address, self._mask) * units, enables, data))
        for first, enables, data in writes:
            for n, enable in enumerate(enables):
                if values[enable]:
                    wires = data[UNIT * n : UNIT * n + UNIT]
                    self._units[first + n] = [0 if wire is None else values[wire] for wire in wires]
        return changes

    def _read(self, outputs: list[int | None], units: int, address: list[int]) -> list[tuple[int, int]]:
        row = same(address, self._mask)
        if row is not None:
            bits = [bit for n in range(units) for bit in self._units[row * units + n]]
        else:
            bits = [0] * (units * UNIT)
            for lane in range(self._lanes):
                row = sum((wire >> lane & 1) << n for n, wire in enumerate(address))
                for n in range(units):
                    for bit, content in enumerate(self._units[row * units + n]):
                        bits[n * UNIT + bit] |= content & 1 << lane
        return [(wire, bit) for wire, bit in zip(outputs, bits, strict=True) if wire is not None]
