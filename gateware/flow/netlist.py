# SPDX-License-Identifier: BSD-2-Clause
"""Translates a netlist of ECP5 cells, after synthesis or after place-and-route, into Verilog for simulation.

::

    netlist (JSON) ─┬─► LUT4, PFUMX, L6MUX21, CCU2C, TRELLIS_COMB: expressions
                    ├─► TRELLIS_FF: registers, grouped by clock, reset and enable
                    ├─► TRELLIS_DPR16X4, or TRELLIS_COMB and TRELLIS_RAMW: arrays
                    ├─► TRELLIS_IO, DELAYG, JTAGG: wires; delays take no time, no JTAG cable is connected
                    └─► DP16KD, MULT18X18D, EHXPLLL, DCCA, IDDRX1F, ODDRX1F, and SIOLOGIC as what it was packed from:
                        instances of the models in the folder `cells`

Verilator compiles expressions much faster than instances, and they run many times as fast. The expressions are equal to
Yosys' own models of the cells (`tests/gateware/flow/test_netlist.py` proves it); Yosys has no models of the other
cells. Registers and memories begin with their configured values; undefined bits are 0. Unconnected inputs are 0. Where
nextpnr leaves a choice (a multiplexer of its constants, a slice's LUT), they are 1, as on the device.
"""

from collections import defaultdict

from . import constraints
from .cells import (
    Cell,
    chosen_net,
    contents,
    declaration,
    input_net,
    input_nets,
    literal,
    lookup,
    multiplexer,
    net,
    number,
    output_net,
    require,
    vector,
)

INSTANCES = ("DCCA", "DP16KD", "EHXPLLL", "IDDRX1F", "MULT18X18D", "ODDRX1F")
# A slice passes on the write data and write address of a distributed RAM without change. Maps each output pin of the
# slice to the input pin with the same value.
RAMW = {"WDO0": "C1", "WDO1": "A1", "WDO2": "D1", "WDO3": "B1"}
RAMW |= {"WADO0": "D0", "WADO1": "B0", "WADO2": "C0", "WADO3": "A0"}


class NetlistError(RuntimeError):
    """The netlist contains a cell, or a mode of a cell, that this module cannot simulate."""


def verilog(name: str, module: Cell) -> tuple[str, dict[str, str]]:
    """Returns a netlist as a Verilog module that can be simulated.

    Combinational rings, which a simulation in cycles cannot run, stand still at 0.

    Parameters
    ----------
    name : str
        The module's name.
    module : dict
        The module, in the form of Yosys' ``write_json`` or nextpnr's ``--write``.

    Returns
    -------
    str
        The text; it needs the models in the folder of `gateware.flow.cells`.
    dict of str
        Files by their names. Block RAMs read them at the start, from the folder that the simulation runs in.

    Raises
    ------
    NetlistError
        A cell is of an unknown kind, or in a mode that is not simulated; the message names it.
    """
    return _Writer(module).write(name)


class _Writer:
    """Writes Verilog for cells. Each kind of cell has a method with the kind's name in lower case."""

    def __init__(self, module: Cell):
        self._module = module
        self._read = {bit for port in module["ports"].values() for bit in port["bits"]}
        for cell in module["cells"].values():
            for pin, bits in cell["connections"].items():
                self._read.update(bits if cell["port_directions"][pin] != "output" else ())
        self._lines: list[str] = []
        self._files: dict[str, str] = {}
        # Maps (clock edge, reset, enable, mode) to the flip-flops that share them. A flip-flop is given as (output,
        # reset value, input).
        self._flip_flops: dict[tuple[str, ...], list[tuple[str, str, str]]] = defaultdict(list)
        self._writes: dict[tuple[str, str], list[str]] = defaultdict(list)

    def write(self, name: str) -> tuple[str, dict[str, str]]:
        rings = constraints.looping(self._module)
        ports = [declaration(port, described) for port, described in self._module["ports"].items()]
        self._connect_inputs()
        for place, (cell_name, cell) in enumerate(self._module["cells"].items()):
            kind = cell["type"]
            write = self._instance if kind in INSTANCES else getattr(self, f"_{kind.lower().strip('$')}", None)
            if write is None:
                raise NetlistError(f"cell {cell_name} is a {kind}, which is not simulated")
            try:
                if cell_name in rings:
                    self._stand_still(cell)
                else:
                    write(place, cell)
            except KeyError as error:
                raise NetlistError(f"{kind} {cell_name} is in a mode that is not simulated: {error}") from error
        self._write_registers()
        self._connect_outputs()
        return "\n".join([f"module {name}({', '.join(ports)});", *self._lines, "endmodule", ""]), self._files

    def _connect_inputs(self) -> None:
        for port, described in self._module["ports"].items():
            if described["direction"] != "output":
                for n, bit in enumerate(described["bits"]):
                    self._assign(net(bit), f"{port}[{n}]")

    def _connect_outputs(self) -> None:
        for port, described in self._module["ports"].items():
            if described["direction"] == "output":
                self._lines.append(f"assign {port} = {vector(described['bits'])};")

    def _assign(self, net: str | None, text: str) -> None:
        if net is not None:
            self._lines.append(f"wire {net} = {text};")

    def _stand_still(self, cell: Cell) -> None:
        for pin, direction in cell["port_directions"].items():
            if direction == "output":
                self._assign(output_net(cell, pin), "1'b0")

    # Logic -------------------------------------------------------------------------------------------------

    def _scopeinfo(self, place: int, cell: Cell) -> None:
        """Writes nothing, because this cell contains only a name and no logic."""

    def _lut4(self, place: int, cell: Cell) -> None:
        self._assign(output_net(cell, "Z"), lookup(number(cell["parameters"]["INIT"]), input_nets(cell, "ABCD")))

    def _pfumx(self, place: int, cell: Cell) -> None:
        self._assign(output_net(cell, "Z"), multiplexer(*input_nets(cell, ("C0", "ALUT", "BLUT"))))

    def _l6mux21(self, place: int, cell: Cell) -> None:
        self._assign(output_net(cell, "Z"), multiplexer(*input_nets(cell, ("SD", "D1", "D0"))))

    def _trellis_comb(self, place: int, cell: Cell) -> None:
        """Writes a slice's LUT and multiplexer. The LUT can be logic, half of a carry cell, or one bit of a memory."""
        parameters = cell["parameters"]
        mode = parameters.get("MODE", "LOGIC")
        pins, table = input_nets(cell, "ABCD", "1"), number(parameters.get("INITVAL", "0"))
        own = output_net(cell, "F") or f"f{place}"
        if mode == "DPRAM":
            self._column(place, cell, table, own)
        elif mode == "CCU2":
            injects = {"YES": True, "NO": False}[parameters.get("CCU2_INJECT1", "YES")]
            self._half_of_carry(f"l{place}", table, injects, pins, input_net(cell, "FCI"), own, output_net(cell, "FCO"))
        elif mode == "LOGIC":
            self._assign(own, lookup(table, pins))
        else:
            require(parameters, "MODE", "RAMW_BLOCK")
        if out := output_net(cell, "OFX"):
            is_first = bool(cell["connections"].get("F1"))  # true: inputs come from LUTs; false: from multiplexers
            one, zero = (input_net(cell, "F1"), own) if is_first else input_nets(cell, ("FXB", "FXA"))
            self._assign(out, multiplexer(input_net(cell, "M"), one, zero))

    def _trellis_ramw(self, place: int, cell: Cell) -> None:
        """Passes the write data and write address of a distributed RAM on to the slices that store its bits."""
        for output, pin in RAMW.items():
            self._assign(output_net(cell, output), input_net(cell, pin))

    def _column(self, place: int, cell: Cell, table: int, output: str) -> None:
        parameters = cell["parameters"]
        require(parameters, "WCKMUX", "WCK")
        enable = {"WRE": "", "INV": "~"}[parameters.get("WREMUX", "WRE")] + input_net(cell, "WRE")
        address = f"{{{', '.join(input_nets(cell, 'ACBD'))}}}"
        row = f"{{{', '.join(input_nets(cell, ('WAD3', 'WAD2', 'WAD1', 'WAD0')))}}}"
        # Two orders of address bits meet here. The LUT's contents have pin D as bit 3, C as bit 2, B as bit 1 and A as
        # bit 0. In the memory's address, D is bit 0, C is bit 2, B is bit 1 and A is bit 3.
        places = [(n & 1) << 3 | n & 4 | n & 2 | n >> 3 for n in range(16)]
        bits = sum((table >> lut & 1) << n for n, lut in enumerate(places))
        self._lines.append(f"reg [15:0] m{place} = 16'd{bits};")
        self._assign(output, f"m{place}[{address}]")
        self._writes[input_net(cell, "WCK"), enable].append(f"m{place}[{row}] <= {input_net(cell, 'WD')};")

    def _trellis_io(self, place: int, cell: Cell) -> None:
        """Writes an I/O pin. In the simulation, a bidirectional pin is only an input."""
        parameters = cell["parameters"]
        require(parameters, "DIR", "INPUT", "OUTPUT", "BIDIR")
        if parameters["DIR"] == "OUTPUT":
            source = {"PADDO": "I", "IOLDO": "IOLDO"}[parameters.get("DATAMUX_ODDR", "PADDO")]
            self._assign(output_net(cell, "B"), input_net(cell, source))
        else:
            self._assign(output_net(cell, "O"), input_net(cell, "B"))

    def _delayg(self, place: int, cell: Cell) -> None:
        self._assign(output_net(cell, "Z"), input_net(cell, "A"))

    def _siologic(self, place: int, cell: Cell) -> None:
        """Writes the I/O cell of a pin: a delay (simulated as zero), and registers for two bits per cycle."""
        require(cell["parameters"], "MODE", "IDDRX1_ODDRX1")
        for parameter, value in {"CLKIMUX": "CLK", "CLKOMUX": "CLK", "LSRIMUX": "0 ", "LSROMUX": "0 "}.items():
            require(cell["parameters"], parameter, value)
        clock = f".SCLK({input_net(cell, 'CLK')})"
        self._assign(output_net(cell, "INDD"), input_net(cell, "PADDI"))
        received = [output_net(cell, f"RXDATA{n}") for n in range(2)]
        pins = [f".Q{n}({bit})" for n, bit in enumerate(received) if bit]
        if pins:
            self._lines += [f"wire {bit};" for bit in received if bit]
            self._lines.append(f"IDDRX1F u{place} (.D({input_net(cell, 'DI')}), {clock}, {', '.join(pins)});")
        if sent := output_net(cell, "IOLDO"):
            first, second = input_nets(cell, ("TXDATA0", "TXDATA1"))
            self._lines += [f"wire {sent};", f"ODDRX1F o{place} (.D0({first}), .D1({second}), {clock}, .Q({sent}));"]

    def _jtagg(self, place: int, cell: Cell) -> None:
        self._stand_still(cell)

    def _ccu2c(self, place: int, cell: Cell) -> None:
        carry = input_net(cell, "CIN")
        for n, carry_out in enumerate((f"c{place}", output_net(cell, "COUT"))):
            table = number(cell["parameters"][f"INIT{n}"])
            injects = cell["parameters"].get(f"INJECT1_{n}", "YES") == "YES"
            pins = input_nets(cell, [f"{pin}{n}" for pin in "ABCD"])
            self._half_of_carry(f"l{place}_{n}", table, injects, pins, carry, output_net(cell, f"S{n}"), carry_out)
            carry = f"c{place}"

    def _half_of_carry(self, lut: str, table: int, injects: bool, pins: list, carry: str, total, carry_out) -> None:
        self._assign(lut, lookup(table, pins))
        self._assign(total, lut if injects else f"{lut} ^ {carry}")
        generated = "1'b0" if injects else f"({lookup(table & 15, pins[:2])})"
        self._assign(carry_out, f"{lut} & {carry}" if generated == "1'b0" else multiplexer(lut, carry, generated))

    # Registers and memories --------------------------------------------------------------------------------

    def _trellis_ff(self, place: int, cell: Cell) -> None:
        output = output_net(cell, "Q")
        if output is None:
            return
        parameters = {name: value.strip() for name, value in cell["parameters"].items()}
        edge = {"CLK": "posedge", "INV": "negedge"}[parameters.get("CLKMUX", "CLK")]
        reset = {"LSR": "", "INV": "~"}[parameters.get("LSRMUX", "LSR")] + input_net(cell, "LSR")
        mode = {"ASYNC": "ASYNC", "LSR_OVER_CE": "SYNC"}[parameters.get("SRMODE", "LSR_OVER_CE")]
        require(parameters, "LSRMODE", "LSR")
        enables = {"1": "1'b1", "0": "1'b0", "CE": input_net(cell, "CE"), "INV": "~" + input_net(cell, "CE")}
        value = {"SET": "1'b1", "RESET": "1'b0"}[parameters.get("REGSET", "RESET")]
        data = {"0": "M", "1": "DI"}[parameters.get("SD", "1")]
        self._lines.append(f"reg {output} = {value};")
        if reset == "1'b0":
            reset = mode = ""
        control = (f"{edge} {input_net(cell, 'CLK')}", reset, enables[parameters.get("CEMUX", "1")], mode)
        self._flip_flops[control].append((output, value, input_net(cell, data)))

    def _trellis_dpr16x4(self, place: int, cell: Cell) -> None:
        parameters, connections = cell["parameters"], cell["connections"]
        require(parameters, "WCKMUX", "WCK")
        enable = {"WRE": "", "INV": "~"}[parameters.get("WREMUX", "WRE")] + input_net(cell, "WRE")
        contents = number(parameters.get("INITVAL", "0"))
        rows = " ".join(f"m{place}[{row}] = 4'd{contents >> 4 * row & 15};" for row in range(16))
        self._lines += [f"reg [3:0] m{place} [0:15];", f"initial begin {rows} end"]
        self._lines.append(f"wire [3:0] o{place} = m{place}[{vector(connections['RAD'])}];")
        for n, bit in enumerate(connections["DO"]):
            self._assign(net(bit) if isinstance(bit, int) else None, f"o{place}[{n}]")
        write = f"m{place}[{vector(connections['WAD'])}] <= {vector(connections['DI'])};"
        self._writes[input_net(cell, "WCK"), enable].append(write)

    def _write_registers(self) -> None:
        for (clock, reset, enable, mode), registers in self._flip_flops.items():
            reset_edge = f"negedge {reset[1:]}" if reset.startswith("~") else f"posedge {reset}"
            self._lines.append(f"always @({clock}{f' or {reset_edge}' if mode == 'ASYNC' else ''})")
            if mode:
                cleared = [f"{output} <= {value};" for output, value, _ in registers]
                self._lines += [f"if ({reset}) begin", *cleared, "end else"]
            taken = [f"{output} <= {data};" for output, _, data in registers]
            self._lines += [f"if ({enable}) begin", *taken, "end"]
        for (clock, enable), writes in self._writes.items():
            self._lines += [f"always @(posedge {clock}) if ({enable}) begin", *writes, "end"]

    # Others ------------------------------------------------------------------------------------------------

    def _instance(self, place: int, cell: Cell) -> None:
        choices = {name: value.strip() for name, value in cell["parameters"].items() if name.endswith("MUX")}
        parameters = {name: literal(value) for name, value in cell["parameters"].items() if name not in choices}
        if cell["type"] == "DP16KD":
            self._files[f"bram{place}.hex"] = contents(cell["parameters"])
            parameters = {name: value for name, value in parameters.items() if not name.startswith("INITVAL_")}
            parameters["CONTENTS"] = f'"bram{place}.hex"'
            resets = [chosen_net(cell, pin, choices.get(f"{pin}MUX", pin)) for pin in ("RSTA", "RSTB")]
            if parameters.get("RESETMODE") == '"ASYNC"' and resets != ["1'b0", "1'b0"]:
                raise KeyError("asynchronous reset")
        pins = []
        for pin, bits in sorted(cell["connections"].items()):
            if cell["port_directions"][pin] == "output":
                if bits and bits[0] in self._read:
                    self._lines.append(f"wire {net(bits[0])};")
                    pins.append(f".{pin}({net(bits[0])})")
            elif bits or f"{pin}MUX" in choices:
                pins.append(f".{pin}({chosen_net(cell, pin, choices.get(f'{pin}MUX', pin))})")
        values = ", ".join(f".{name}({value})" for name, value in sorted(parameters.items()))
        self._lines.append(f"{cell['type']} #({values}) u{place} ({', '.join(pins)});")
