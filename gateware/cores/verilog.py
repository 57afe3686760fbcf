# SPDX-License-Identifier: BSD-2-Clause
"""Writes a core as one Verilog-2001 file that people can read.

One module contains everything except the S-boxes, sorted by the parts of the Migen design. Each part begins with its
name and its class's first sentence. S-boxes are instances of modules at the end of the file (`gateware.cores.shared`).
Constant tables become functions. Logic on which no output depends is left out, and so are signals that nothing drives.
Memories carry their contents, so no other file is needed.

Combinational logic is an `assign`, or a block with blocking assignments whose targets it does not read. Registers start
with their reset values, which an `initial` block gives them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from litex.gen.fhdl.namer import build_signal_namespace
from migen import Case, Constant, If, Instance, Memory, Module, Signal
from migen.fhdl.specials import READ_FIRST, WRITE_FIRST
from migen.fhdl.structure import _Assign, _Slice
from migen.fhdl.tools import (
    group_by_targets,
    list_signals,
    list_special_ios,
    list_targets,
    lower_basics,
    lower_complex_slices,
)
from migen.fhdl.visit import NodeTransformer

from .expressions import INDENT, Writer, chosen, constant
from .keywords import KEYWORDS
from .ports import IN, Design
from .shared import Shared, Specials, take_out

# Verilator's warnings that generated files switch off, each with the reason. The generated files contain the reasons.
WAIVERS = {
    "DECLFILENAME": "this file also contains the modules that the core instantiates",
    "CMPCONST": "comparisons that logic makes for each byte of a block are constant for its last byte",
    "UNOPTFLAT": "simulators may evaluate blocks that assign several signals more than once, which costs only time",
    "UNUSED": "some words have bits, and some streams have fields, that this core does not use",
}
# Models of ECP5 cells for linters and simulators; synthesis tools have their own models.
CELLS = {
    "LUT4": """module LUT4 #(
    parameter [15:0] INIT = 16'h0000
) (input wire A, input wire B, input wire C, input wire D, output wire Z);
    assign Z = INIT[{D, C, B, A}];
endmodule
""",
    "PFUMX": """module PFUMX (input wire ALUT, input wire BLUT, input wire C0, output wire Z);
    assign Z = C0 ? ALUT : BLUT;
endmodule
""",
    "L6MUX21": """module L6MUX21 (input wire D0, input wire D1, input wire SD, output wire Z);
    assign Z = SD ? D1 : D0;
endmodule
""",
    "TRELLIS_FF": """module TRELLIS_FF #(
    parameter GSR = "DISABLED", parameter CEMUX = "1", parameter CLKMUX = "CLK", parameter LSRMUX = "LSR",
    parameter REGSET = "RESET"
) (input wire CLK, input wire LSR, input wire CE, input wire DI, output reg Q);
    always @(posedge CLK) Q <= DI;
endmodule
""",
}
TABLE_FROM = 8  # a `Case` that assigns at least this number of constants becomes a Verilog function


@dataclass
class _Part:
    """A part of the Verilog file: the statements of one Migen module, with the module's path in the design."""

    path: str
    module: Module
    comb: list
    sync: list
    specials: list


def convert(design: Design, name: str, header: str) -> str:
    """Return the text of the Verilog file.

    Parameters
    ----------
    design : Design
        Not finalized.
    name : str
        Of the module.
    header : str
        Comment at the beginning, without slashes.

    Raises
    ------
    ValueError
        Ports of the design do not agree with its logic.
    """
    return _File(design, name).text(header)


class _File:
    def __init__(self, design: Design, name: str, shared: dict[Instance, Shared] | None = None):
        self.design, self.name = design, name
        self.shared = take_out(design) if shared is None else shared
        for port in design.ports:
            port.signal.name_override = port.name
        fragment = design.get_fragment()
        owners, self.parts = _owners(design)
        first_of_lowering = Signal().duid
        fragment = lower_basics(lower_complex_slices(_fold_slices(fragment)))
        if set(fragment.sync) - {"sys"}:
            raise ValueError(f"clock domains other than sys: {sorted(fragment.sync)}")
        kept = (Memory, Instance)
        specials = sorted((s for s in fragment.specials if isinstance(s, kept)), key=lambda special: special.duid)
        comb, sync = group_by_targets(fragment.comb), group_by_targets(fragment.sync.get("sys", []))
        comb, sync, specials = self._live(comb, sync, specials)
        self.modules = self._modules_of(specials)
        for signal in {s for _, statements in comb + sync for s in list_signals(statements)}:
            if signal.duid > first_of_lowering:
                signal.name_override = "whole" if signal.backtrace[-1][0] == "slice_proxy" else "chosen"
        self._assign_parts(comb, sync, specials, owners)
        self.driven = set().union(*(targets for targets, _ in comb + sync))
        for special in specials:
            self.driven |= _outputs(special)
        self.ports = [port.signal for port in design.ports]
        self.inputs = {port.signal for port in design.ports if port.direction == IN}
        for port in design.ports:
            if (port.signal in self.driven) == (port.direction == IN):
                raise ValueError(f"port {port.name} is an {port.direction}put, but the logic does not agree")
        for special in specials:
            outside = self.driven & self.shared[special].reads if special in self.shared else None
            if outside:
                raise ValueError(f"{special.of} reads signals of other modules: {outside}")
        clocked = {signal for targets, _ in sync for signal in targets}
        self.held = {signal for signal in clocked if signal.variable}
        clocked -= self.held
        self.clocked = sorted(clocked, key=lambda signal: signal.duid)
        self._name(comb, sync, specials)
        known = self.driven | self.inputs
        self.writer = Writer(self.names.get_name, lambda signal: signal not in known, self.held)
        self.tables: dict[tuple, str] = {}
        self.registers: set[Signal] = set(clocked)  # signals that Verilog declares as `reg`

    def _modules_of(self, specials: list) -> dict[str, "_File"]:
        """Write the S-boxes' Verilog modules. Return them by name, and write the names into the S-boxes' instances.

        S-boxes with the same text share one module.
        """
        names: dict[tuple, str] = {}
        modules = {}
        for special in specials:
            shared = self.shared.get(special)
            if shared is None:
                continue
            overrides = [(port.signal, port.signal.name_override) for port in shared.design.ports]
            file = _File(shared.design, "", {})
            text = tuple(file.body())
            for signal, override in overrides:
                signal.name_override = override
            if (shared.label, text) not in names:
                number = sum(label == shared.label for label, _ in names) + 1
                name = f"{self.name}_{shared.label}" + (f"_{number}" if number > 1 else "")
                names[shared.label, text] = name
                modules[name] = text, file.cells()
            special.of = names[shared.label, text]
        return modules

    # Which statements are kept, and their order ---------------------------------------------------------------------

    def _live(self, comb: list, sync: list, specials: list) -> tuple[list, list, list]:
        """Return the logic on which outputs depend: combinational groups, clocked groups, memories and instances."""
        # maps each signal to its drivers: tuples of (group number, statements), or (memory or instance, None)
        makers: dict[Signal, list] = {}
        for n, (targets, statements) in enumerate(comb + sync):
            for signal in targets:
                makers.setdefault(signal, []).append((n, statements))
        for special in specials:
            for signal in _outputs(special):
                makers.setdefault(signal, []).append((special, None))
        needed = {port.signal for port in self.design.outputs()}
        waiting = list(needed)
        kept = set()
        while waiting:
            for maker, statements in makers.get(waiting.pop(), ()):
                if maker not in kept:
                    kept.add(maker)
                    read = (_inputs(maker) if statements is None else list_signals(statements)) - needed
                    needed |= read
                    waiting += read
        self.needed = needed
        groups = [group for n, group in enumerate(comb) if n in kept]
        clocked = [group for n, group in enumerate(sync, len(comb)) if n in kept]
        return groups, clocked, [special for special in specials if special in kept]

    def _assign_parts(self, comb, sync, specials, owners) -> None:
        # Migen creates some signals while it simplifies statements. These signals belong to no Migen module. So the
        # file contains each such signal next to the statements of a Migen module that reads the signal.
        for _ in range(2):
            for targets, statements in comb + sync:
                number = min((owners[s] for s in targets if s in owners), default=None)
                for signal in list_signals(statements) if number is not None else ():
                    owners.setdefault(signal, number)
        for groups, field in ((comb, "comb"), (sync, "sync")):
            for targets, statements in groups:
                number = min((owners[s] for s in targets if s in owners), default=0)
                getattr(self.parts[number], field).append((targets, statements))
        for special in specials:
            self.parts[owners.get(special, 0)].specials.append(special)

    def _name(self, comb, sync, specials) -> None:
        signals = set(self.ports)
        for _, statements in comb + sync:
            signals |= list_signals(statements)
        for special in specials:
            signals |= _outputs(special) | _inputs(special)
        ordered = sorted(signals, key=lambda signal: signal.duid)
        ports = set(self.ports)
        self.names = build_signal_namespace(ordered, reserved_keywords=KEYWORDS)
        for item in [*self.ports, *ordered, *specials]:
            self.names.get_name(item)
        self.signals = [
            signal for signal in ordered if signal in self.driven and signal not in ports and signal not in self.held
        ]

    # Text --------------------------------------------------------------------------------------------------

    def text(self, header: str) -> str:
        """Return the text of the Verilog file."""
        body = self.body()
        cells = sorted(self.cells().union(*(cells for _, cells in self.modules.values())))
        lines = [
            *(f"// {line}".rstrip() for line in header.splitlines()),
            "",
            "`timescale 1ns / 1ps",
            "`default_nettype none",
            "",
        ]
        waivers = dict(WAIVERS)
        if not cells and not self.modules:
            del waivers["DECLFILENAME"]
        lines += [f"/* verilator lint_off {key} */ // {reason}" for key, reason in waivers.items()]
        lines += ["", f"module {self.name} (", *body]
        for name, (text, _) in self.modules.items():
            lines += [f"module {name} (", *text]
        if cells:
            lines += [
                "`ifndef SYNTHESIS",
                "`ifndef CIPHERLANE_NO_CELLS",
                "// Cells of the ECP5, for linters and simulators.",
            ]
            lines += [CELLS[cell] for cell in cells] + ["`endif", "`endif"]
        lines += [f"/* verilator lint_on {key} */" for key in waivers] + ["`default_nettype wire", ""]
        return "\n".join(lines)

    def cells(self) -> set[str]:
        """Return the names of the ECP5 cells in this module. Cells inside the S-boxes' Verilog modules do not count."""
        specials = [special for part in self.parts for special in part.specials]
        return {s.of for s in specials if isinstance(s, Instance) and s not in self.shared}

    def body(self) -> list[str]:
        """Return the lines of the module after the line with its name."""
        parts = [text for part in self.parts if (text := list(self._part(part)))]
        logic = [line for part in parts for line in part]
        return [*self._ports(), *self._declarations(), *self._functions(), *logic, "endmodule", ""]

    def _ports(self) -> Iterator[str]:
        for n, port in enumerate(self.design.ports):
            kind = "input  wire" if port.direction == IN else "output " + self._kind(port.signal)
            comma = "," if n < len(self.design.ports) - 1 else ""
            about = f" // {port.text.splitlines()[0]}" if port.text else ""
            yield f"{INDENT}{kind} {_range(port.width)}{port.name}{comma}{about}"
        yield ");"
        yield ""

    def _kind(self, signal: Signal) -> str:
        return "reg " if signal in self.registers else "wire"

    def _declarations(self) -> Iterator[str]:
        for signal in self.signals:
            sign = "signed " if signal.signed else ""
            yield f"{self._kind(signal)} {sign}{_range(len(signal))}{self.names.get_name(signal)};"
        for part in self.parts:
            for special in part.specials:
                if isinstance(special, Memory):
                    yield from self._memory_declaration(special)
        yield ""
        if self.clocked:
            yield "initial begin"
            for signal in self.clocked:
                yield f"{INDENT}{self.names.get_name(signal)} = {_reset(signal)};"
            yield "end"
            yield ""

    def _functions(self) -> Iterator[str]:
        for (width, result, cases, otherwise), name in self.tables.items():
            yield f"function {_range(result)}{name}(input {_range(width)}x);"
            yield f"{INDENT}case (x)"
            for key, value in cases:
                yield f"{INDENT * 2}{constant(key, width)}: {name} = {constant(value, result)};"
            if len(cases) < 1 << width:
                yield f"{INDENT * 2}default: {name} = {constant(otherwise, result)};"
            yield f"{INDENT}endcase"
            yield "endfunction"
            yield ""

    def _part(self, part: _Part) -> Iterator[str]:
        lines = []
        for targets, statements in part.comb:
            lines += self._combinational(targets, statements)
        if part.sync:
            lines += self._clocked(part.sync)
        for special in part.specials:
            lines += self._memory(special) if isinstance(special, Memory) else self._instance(special)
        if not lines:
            return
        about = (type(part.module).__doc__ or "").strip().split("\n\n")[0].split("\n")[0]
        title = f"{part.path or self.name} ({type(part.module).__name__})" if part.path else self.name
        yield f"// {'-' * 100}"
        yield f"// {title}" + (f": {about}" if part.path and about else "")
        yield f"// {'-' * 100}"
        yield from lines
        yield ""

    def _combinational(self, targets: set, statements: list) -> Iterator[str]:
        statements = list(self._simple(statements))
        if _are_slices(targets, statements):
            yield from (f"assign {self.writer.assignment(statement, '=')}" for statement in statements)
            return
        table = self._table(targets, statements)
        if table:
            yield table
            return
        ordered = sorted(targets, key=lambda signal: signal.duid)
        reads = set().union(*(list_signals(_conditions_and_values(s)) for s in statements)) if statements else set()
        groups = [(ordered, None)] if not reads & targets else [([signal], signal) for signal in ordered]
        for signals, only in groups:
            self.registers |= set(signals)
            yield "always @(*) begin"
            yield from (f"{INDENT}{self.names.get_name(signal)} = {_reset(signal)};" for signal in signals)
            yield from self.writer.statements(statements, 1, "=", only)
            yield "end"

    def _simple(self, statements) -> Iterator:
        """Yield statements as a flat list; a `Case` with a constant test is replaced by the branch that is taken."""
        for statement in _flat(statements):
            certain = chosen(statement, self.writer.is_constant) if isinstance(statement, Case) else None
            if certain is None:
                yield statement
            else:
                yield from self._simple(certain)

    def _table(self, targets: set, statements: list) -> str | None:
        """Return an assignment that calls a Verilog function, or None if `statements` are not a table of constants."""
        if len(statements) != 1 or len(targets) != 1 or not isinstance(statements[0], Case):
            return None
        (signal,), case = targets, statements[0]
        bodies = {key: list(_flat(body)) for key, body in case.cases.items()}
        simple = all(
            len(body) == 1 and isinstance(body[0], _Assign) and body[0].l is signal and isinstance(body[0].r, Constant)
            for body in bodies.values()
        )
        if not simple or len(bodies) < TABLE_FROM or signal.signed:
            return None
        mask = (1 << len(signal)) - 1
        default = bodies.pop("default", None)
        cases = tuple(sorted((key.value, body[0].r.value & mask) for key, body in bodies.items()))
        otherwise = default[0].r.value & mask if default else signal.reset.value
        key = (len(case.test), len(signal), cases, otherwise)
        name = self.tables.setdefault(key, f"lookup_{len(self.tables)}_of_{len(case.test)}_bits")
        return f"assign {self.names.get_name(signal)} = {name}({self.writer.value(case.test)});"

    def _clocked(self, groups: list) -> Iterator[str]:
        yield f"always @(posedge {self.design.clock}) begin"
        reset = []
        for targets, statements in groups:
            yield from self.writer.statements(statements, 1, "<=")
            reset += [signal for signal in targets if not signal.reset_less and signal not in self.held]
        if reset:
            yield f"{INDENT}if ({self.design.reset}) begin"
            for signal in sorted(reset, key=lambda signal: signal.duid):
                yield f"{INDENT * 2}{self.names.get_name(signal)} <= {_reset(signal)};"
            yield f"{INDENT}end"
        yield "end"

    # Memories and cells ------------------------------------------------------------------------------------

    def _memory_declaration(self, memory: Memory) -> Iterator[str]:
        name = self.names.get_name(memory)
        attributes = [
            f"{key} = {value if isinstance(value, int) else chr(34) + value + chr(34)}"
            for key, value in sorted(getattr(memory, "attr", ()), key=str)
        ]
        prefix = f"(* {', '.join(attributes)} *) " if attributes else ""
        yield f"{prefix}reg {_range(memory.width)}{name} [0:{memory.depth - 1}];"
        for n, port in enumerate(memory.ports):
            if not port.async_read and port.dat_r in self.needed:
                width = len(port.adr) if port.mode == WRITE_FIRST else memory.width
                yield f"reg {_range(width)}{name}_{_register(port)}{n};"
        if memory.init is not None:
            yield "initial begin"
            for n, value in enumerate(memory.init):
                yield f"{INDENT}{name}[{n}] = {constant(value, memory.width)};"
            yield "end"
        else:  # zeros, for simulators only: an unknown value in a memory would make later results unknown
            index = f"{name}_index"
            yield from ["`ifndef SYNTHESIS", f"integer {index};", "initial"]
            yield f"{INDENT}for ({index} = 0; {index} < {memory.depth}; {index} = {index} + 1)"
            yield f"{INDENT * 2}{name}[{index}] = {constant(0, memory.width)};"
            yield "`endif"

    def _memory(self, memory: Memory) -> Iterator[str]:
        name, value = self.names.get_name(memory), self.writer.value
        for n, port in enumerate(memory.ports):
            reads = port.dat_r in self.needed
            address = value(port.adr)
            clocked = []
            if port.we is not None:
                grain = port.we_granularity or memory.width
                for k in range(memory.width // grain):
                    part = f"[{(k + 1) * grain - 1}:{k * grain}]" if grain < memory.width else ""
                    enable = value(port.we) + (f"[{k}]" if grain < memory.width else "")
                    clocked.append(f"if ({enable}) {name}[{address}]{part} <= {value(port.dat_w)}{part};")
            if reads and not port.async_read:
                register = f"{name}_{_register(port)}{n}"
                source = address if port.mode == WRITE_FIRST else f"{name}[{address}]"
                enables = [value(port.re)] if port.re is not None else []
                if port.mode not in (WRITE_FIRST, READ_FIRST) and port.we is not None:
                    enables.append(f"!{value(port.we)}")
                condition = f"if ({' && '.join(enables)}) " if enables else ""
                clocked.append(f"{condition}{register} <= {source};")
            if clocked:
                yield f"always @(posedge {self.design.clock}) begin"
                yield from (INDENT + line for line in clocked)
                yield "end"
            if reads:
                if port.async_read:
                    source = f"{name}[{address}]"
                else:
                    register = f"{name}_{_register(port)}{n}"
                    source = f"{name}[{register}]" if port.mode == WRITE_FIRST else register
                yield f"assign {self.names.get_name(port.dat_r)} = {source};"

    def _instance(self, instance: Instance) -> Iterator[str]:
        parameters, pins = [], []
        for item in instance.items:
            if isinstance(item, Instance.Parameter):
                value = item.value
                text = constant(value.value, value.nbits) if isinstance(value, Constant) else f'"{value}"'
                parameters.append(f".{item.name}({text})")
            else:
                pins.append(f".{item.name}({self.writer.value(item.expr)})")
        given = f" #({', '.join(parameters)})" if parameters else ""
        yield f"{instance.of}{given} {self.names.get_name(instance)} ({', '.join(pins)});"


def _owners(design: Design) -> tuple[dict, list[_Part]]:
    """Number the Migen modules of a design, outer modules first. Return a dictionary and the list of the modules. The
    dictionary maps each signal and each special (Migen's term for a memory or an instance) to the number of its module.
    """
    parts: list[_Part] = []
    owners: dict = {}

    def visit(module: Module, path: str) -> None:
        number = len(parts)
        parts.append(_Part(path, module, [], [], []))
        counts: dict[str, int] = {}
        for name, inner in module._submodules:
            name = name or type(inner).__name__.lower()
            counts[name] = counts.get(name, 0) + 1
            visit(inner, ".".join(filter(None, [path, name if counts[name] == 1 else f"{name}{counts[name]}"])))
        fragment = module._fragment
        for signal in list_targets([fragment.comb, *fragment.sync.values()]):
            owners.setdefault(signal, number)
        for special in fragment.specials:
            owners.setdefault(special, number)
            for signal in _outputs(special):
                owners.setdefault(signal, number)

    visit(design, "")
    return owners, parts


class _SliceFolder(NodeTransformer):
    """Replaces a slice of a slice by a single slice of the signal."""

    def visit_Slice(self, node):
        node = super().visit_Slice(node)
        if isinstance(node.value, _Slice):
            inner = node.value
            return _Slice(inner.value, inner.start + node.start, inner.start + node.stop)
        return node


def _fold_slices(fragment):
    """Replace each slice of a slice by a single slice, in statements and in connections of memories and instances."""
    folder = _SliceFolder()
    for special in fragment.specials:
        for owner, attribute, _ in special.iter_expressions():
            setattr(owner, attribute, folder.visit(getattr(owner, attribute)))
    return folder.visit(fragment)


def _outputs(special) -> set[Signal]:
    if isinstance(special, Memory):
        return {port.dat_r for port in special.ports}
    return list_special_ios(Specials({special}), ins=False, outs=True, inouts=True)


def _inputs(special) -> set[Signal]:
    if isinstance(special, Memory):
        ends = [end for port in special.ports for end in (port.adr, port.we, port.dat_w, port.re) if end is not None]
        return list_signals(ends)
    return list_special_ios(Specials({special}), ins=True, outs=False, inouts=True)


def _flat(statements) -> Iterator:
    """Yield the statements of nested lists, as one flat sequence."""
    for statement in statements:
        if isinstance(statement, (list, tuple)):
            yield from _flat(statement)
        else:
            yield statement


def _conditions_and_values(statement) -> list:
    """Return the expressions that a statement reads: the conditions and the values that it assigns."""
    if isinstance(statement, _Assign):
        return [statement.r]
    if isinstance(statement, If):
        return [statement.cond, *(e for s in _flat([statement.t, statement.f]) for e in _conditions_and_values(s))]
    if isinstance(statement, Case):
        return [statement.test, *(e for s in _flat(statement.cases.values()) for e in _conditions_and_values(s))]
    raise TypeError(f"no Verilog for {type(statement).__name__}")


def _are_slices(targets: set, statements: list) -> bool:
    """Return True if the statements assign each bit of a single signal exactly once, without conditions."""
    if len(targets) != 1 or not all(isinstance(s, _Assign) and isinstance(s.l, (Signal, _Slice)) for s in statements):
        return False
    (signal,) = targets
    if any(isinstance(s.l, _Slice) and s.l.value is not signal for s in statements):
        return False
    ranges = sorted((s.l.start, s.l.stop) if isinstance(s.l, _Slice) else (0, len(signal)) for s in statements)
    return [0, *(stop for _, stop in ranges)] == [*(start for start, _ in ranges), len(signal)]


def _reset(signal: Signal) -> str:
    value = signal.reset.value
    if signal.signed:
        return f"{'-' if value < 0 else ''}{len(signal)}'sd{abs(value)}"
    return constant(value & (1 << len(signal)) - 1, len(signal))


def _range(width: int) -> str:
    return f"[{width - 1}:0] " if width > 1 else ""


def _register(port) -> str:
    """Return what the register of a memory port stores: "address" or "data". The register's name contains this word."""
    return "address" if port.mode == WRITE_FIRST else "data"
