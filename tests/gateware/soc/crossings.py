# SPDX-License-Identifier: BSD-2-Clause
"""Finds signals that go from one clock domain into another, by analysing the statements of an elaborated design.

Each register, memory port, I/O cell and instance with a clock must take values only from its own domain. Any other
value crosses domains. Crossings through a `MultiReg`, an `AsyncResetSynchronizer` or the memory of an `AsyncFIFO` are
intended. They are collected too, with two checks: a `MultiReg` must sample a register, not logic that may glitch, and
may sample several bits only if they are a Gray counter. Signals are analysed whole, not bit by bit.

The origin of a value is a set. It holds names of clock domains, `PADS` for inputs of the chip, and `LOOP` for ring
oscillators. Constants, and values that depend only on constants, have an empty set.
"""

from dataclasses import dataclass, field

from migen import ClockSignal, Memory, Module, Signal
from migen.fhdl.specials import SPECIAL_INPUT, Tristate, _MemoryPort
from migen.fhdl.structure import Case, If, _ArrayProxy, _Assign, _Fragment, _Slice
from migen.fhdl.tools import list_signals
from migen.fhdl.visit import NodeVisitor
from migen.genlib.cdc import GrayCounter, MultiReg
from migen.genlib.fifo import AsyncFIFO
from migen.genlib.resetsync import AsyncResetSynchronizer

PADS, LOOP = "pads", "loop"
# Cells that forward or divide a clock, each with (clock input pin, clock output pin). Each clock edge at the output pin
# coincides with an edge at the input pin.
IN_STEP = {"ECLKSYNCB": ("ECLKI", "ECLKO"), "CLKDIVF": ("CLKI", "CDIVX")}


@dataclass(frozen=True)
class Crossing:
    """The signal or cell `name`, in the clock domain `target`, samples a value of the clock domain `source`."""

    source: str
    target: str
    name: str


@dataclass
class Found:
    """The crossings and the faults in a design. `synchronised` lists each crossing with a synchroniser as
    (synchroniser, source domain, target domain). `unguarded` lists the crossings without a synchroniser. The other
    fields list faults of synchronisers and resets.
    """

    synchronised: set[tuple[str, str, str]] = field(default_factory=set)
    unguarded: list[Crossing] = field(default_factory=list)
    glitching: list[str] = field(default_factory=list)
    skewing: list[str] = field(default_factory=list)
    never_reset: list[str] = field(default_factory=list)  # clock domains with a reset that nothing drives


def modules(top: Module):
    """Yield a module and all its submodules, at every depth."""
    yield top
    for _, submodule in top._submodules:
        yield from modules(submodule)


class Netlist:
    """Finds what drives each signal of a design (a Migen fragment).

    Parameters
    ----------
    fragment : _Fragment
        The design, elaborated; its specials not lowered.
    pads : set of Signal
        Inputs of the chip.
    """

    def __init__(self, fragment: _Fragment, pads: set[Signal]):
        self.pads = pads
        self.registers: dict[Signal, str] = {}
        # maps each signal to its assignments: (inputs, value); a conditional assignment has the value None
        self.logic: dict[Signal, list[tuple[set, object]]] = {}
        self.sinks: list[tuple[str, str, set]] = []  # domain, name, inputs
        for statement in _assignments(fragment.comb, set()):
            self._add_logic(*statement)
        for special in fragment.specials:
            if pins := IN_STEP.get(getattr(special, "of", "")):
                taken, given = map(special.get_io, pins)
                self._add_logic(given, {given}, taken)
        self.clocks = {domain.clk: domain.name for domain in fragment.clock_domains}
        self.domains = self._name_domains(fragment)
        for name, statements in fragment.sync.items():
            domain = self.domains[name]
            for target, inputs, _ in _assignments(statements, set()):
                for signal in _targets(target):
                    self.registers[signal] = domain
                    self.sinks.append((domain, _name(signal), inputs))
        for domain in fragment.clock_domains:
            if domain.rst is not None:
                self.sinks.append((self.domains[domain.name], f"reset of {domain.name}", {domain.rst}))
        luts: dict[Signal, set[Signal]] = {}
        for special in fragment.specials:
            self._add_special(special, luts)
        self.loops = {signal for signal in luts if signal in _reachable(signal, luts)}
        self._origins: dict[Signal, frozenset] = {}

    def _name_domains(self, fragment: _Fragment) -> dict[str, str]:
        """Map each clock domain to a name. Domains that share a clock get the same name. This name is `sys` if one of
        these domains is `sys`, and otherwise the shortest name of these domains.
        """
        signals = {name: clock for clock, name in self.clocks.items()}
        groups: dict[Signal, list[str]] = {}
        for clock, name in self.clocks.items():
            root = clock
            while len(drivers := self.logic.get(root, [])) == 1:
                ((_, value),) = drivers
                if isinstance(value, ClockSignal):
                    root = signals[value.cd]
                elif isinstance(value, Signal):
                    root = value
                else:
                    break
            groups.setdefault(root, []).append(name)
        return {
            name: min(names, key=lambda name: (name != "sys", len(name), name))
            for names in groups.values()
            for name in names
        }

    def _add_logic(self, target, inputs: set, value):
        for signal in _targets(target):
            self.logic.setdefault(signal, []).append((inputs, value if target is signal else None))

    def _add_special(self, special, luts):
        if isinstance(special, Memory):
            self._add_memory(special)
            return
        if isinstance(special, MultiReg):
            self.registers |= dict.fromkeys(list_signals(special.o), self.domains[special.odomain])
            return
        if isinstance(special, AsyncResetSynchronizer):
            self.registers[special.cd.rst] = self.domains[special.cd.name]
            return
        if isinstance(special, Tristate):
            self.pads = self.pads | _inputs(special.i)
            return
        if isinstance(special, _MemoryPort):
            return
        expressions = [(getattr(owner, name), direction) for owner, name, direction in special.iter_expressions()]
        expressions = [(expression, direction) for expression, direction in expressions if expression is not None]
        clocks = {clock for expression, _ in expressions if (clock := self._clock(expression))}
        inputs, outputs = set(), set()
        for expression, direction in expressions:
            if direction != SPECIAL_INPUT:
                outputs |= list_signals(expression)
            elif not self._clock(expression):
                inputs |= _inputs(expression)
        name = getattr(special, "of", type(special).__name__)
        if clocks:
            assert len(clocks) == 1, f"{name} has clocks of several domains"
            (domain,) = clocks
            self.sinks.append((domain, name, inputs))
            self.registers |= dict.fromkeys(outputs, domain)
            return
        for output in outputs:
            self._add_logic(output, inputs, None)
            if name == "LUT4":
                luts[output] = inputs

    def _add_memory(self, memory: Memory):
        """Record the origins of the data at each read port of a memory. For a synchronous port, the origin is the
        port's clock domain. For an asynchronous port, the origins are the port's address and the clock domains of all
        write ports.
        """
        writes = {self.domains[port.clock.cd] for port in memory.ports if port.we is not None}
        for port in memory.ports:
            domain = self.domains[port.clock.cd]
            inputs = set().union(*(_inputs(e) for e in (port.adr, port.we, port.dat_w, port.re) if e is not None))
            if port.we is not None or not port.async_read:
                self.sinks.append((domain, f"port of {memory.name_override}", inputs))
            if port.async_read:
                self._add_logic(port.dat_r, {port.adr, *writes}, None)
            else:
                self.registers[port.dat_r] = domain

    def _clock(self, expression) -> str | None:
        if isinstance(expression, ClockSignal):
            return self.domains[expression.cd]
        return self.domains.get(self.clocks.get(expression)) if isinstance(expression, Signal) else None

    def origins(self, signal) -> frozenset:
        """Return the origins of a signal's value: the clock domains of its registers, `PADS` for inputs of the chip,
        and `LOOP` for ring oscillators.
        """
        if signal in self._origins:
            return self._origins[signal]
        found, seen, pending = set(), set(), [signal]
        while pending:
            one = pending.pop()
            if one in seen:
                continue
            seen.add(one)
            if isinstance(one, str):
                found.add(self.domains[one])
            elif one in self.loops:
                found.add(LOOP)
            elif one in self.registers:
                found.add(self.registers[one])
            elif one in self.logic:
                for inputs, _ in self.logic[one]:
                    pending += inputs
            elif one in self.pads:
                found.add(PADS)
        self._origins[signal] = frozenset(found)
        return self._origins[signal]

    def driver(self, expression):
        """Follow plain assignments back from an expression. Return the register, chip input or ring oscillator that the
        expression copies. Return None if logic computes the expression.
        """
        while True:
            while isinstance(expression, _Slice):
                expression = expression.value
            if not isinstance(expression, Signal):
                return None
            if expression in self.registers or expression in self.loops or expression not in self.logic:
                return expression
            if len(self.logic[expression]) != 1:
                return None
            ((_, expression),) = self.logic[expression]


def find(top: Module, pads: set[Signal]) -> Found:
    """Return the crossings of a finalized design, whose chip inputs are `pads`."""
    fragment = top.get_fragment()
    netlist = Netlist(fragment, pads)
    found = Found()
    for domain in fragment.clock_domains:
        if domain.rst is not None and domain.rst not in netlist.registers.keys() | netlist.logic.keys() | pads:
            found.never_reset.append(domain.name)
    for domain, name, inputs in netlist.sinks:
        for source in set().union(*map(netlist.origins, inputs)) - {domain}:
            found.unguarded.append(Crossing(source, domain, name))
    gray = {module.q for module in modules(top) if isinstance(module, GrayCounter)}
    for special in fragment.specials:
        if isinstance(special, MultiReg):
            driver = netlist.driver(special.i)
            domain = netlist.domains[special.odomain]
            name = f"MultiReg of {domain} from {_name(special.i)}"
            if driver is None:
                found.glitching.append(name)
            if len(special.i) > 1 and driver not in gray:
                found.skewing.append(name)
            for source in set().union(*map(netlist.origins, _inputs(special.i))) - {domain}:
                found.synchronised.add(("MultiReg", source, domain))
        elif isinstance(special, AsyncResetSynchronizer):
            for source in set().union(*map(netlist.origins, _inputs(special.async_reset))):
                found.synchronised.add(("AsyncResetSynchronizer", source, netlist.domains[special.cd.name]))
    fifos = {
        memory
        for module in modules(top)
        if isinstance(module, AsyncFIFO)
        for memory in module._fragment.specials
        if isinstance(memory, Memory)
    }
    for memory in (special for special in fragment.specials if isinstance(special, Memory)):
        domain_of = {port: netlist.domains[port.clock.cd] for port in memory.ports}
        for source in {domain for port, domain in domain_of.items() if port.we is not None}:
            for target in set(domain_of.values()) - {source}:
                if memory in fifos:
                    found.synchronised.add(("AsyncFIFO", source, target))
                else:
                    found.unguarded.append(Crossing(source, target, f"memory {memory.name_override}"))
    return found


def _assignments(statements, conditions: set):
    """Yield (target, inputs, value) for each assignment. The inputs are all signals on which the assignment depends.
    The value is None if the assignment is conditional.
    """
    if isinstance(statements, _Assign):
        inputs = conditions | _inputs(statements.r) | _index(statements.l)
        yield statements.l, inputs, None if conditions else statements.r
    elif isinstance(statements, If):
        conditions = conditions | _inputs(statements.cond)
        yield from _assignments(statements.t, conditions)
        yield from _assignments(statements.f, conditions)
    elif isinstance(statements, Case):
        conditions = conditions | _inputs(statements.test)
        for case in statements.cases.values():
            yield from _assignments(case, conditions)
    elif isinstance(statements, (list, tuple)):
        for statement in statements:
            yield from _assignments(statement, conditions)
    else:  # the statement has an effect only in simulations: it is a display or an assertion
        return


class _InputLister(NodeVisitor):
    """Collects the signals in an expression, and the names of the clock domains whose resets the expression uses."""

    def __init__(self):
        self.found = set()

    def visit_Signal(self, node):
        self.found.add(node)

    def visit_ResetSignal(self, node):
        self.found.add(node.cd)


def _inputs(expression) -> set:
    lister = _InputLister()
    lister.visit(expression)
    return lister.found


def _targets(target) -> set:
    if isinstance(target, _ArrayProxy):
        return set().union(*map(_targets, target.choices))
    if isinstance(target, _Slice):
        return _targets(target.value)
    return list_signals(target)


def _index(target) -> set:
    return _inputs(target.key) if isinstance(target, _ArrayProxy) else set()


def _reachable(start, graph) -> set:
    seen, pending = set(), list(graph[start])
    while pending:
        one = pending.pop()
        if one not in seen:
            seen.add(one)
            pending += graph.get(one, ())
    return seen


def _name(signal) -> str:
    return "_".join(name for name, _ in signal.backtrace[-3:]) if isinstance(signal, Signal) else "logic"
