# SPDX-License-Identifier: BSD-2-Clause
"""Speeds up simulation: the clock of a unit skips each edge at which the unit cannot change.

A unit in one clock domain reacts at an edge only to its registers, memories and inputs. Suppose the last edge changed
no register, no memory is being written, and the inputs are still the same as at that edge. Then the next edge changes
nothing either. Inputs that currently mean nothing do not count. The unit gets a clock domain of its own that skips such
edges. Whatever the unit does, it does in the same cycle as before. The unit's inputs must come from registers of `sys`,
or change together with it.

::

                  ┌─────────────────────┐
    sys_clk ─┬────┤ AND                 ├──► the unit's clock
             │    └──┬──────────────────┘
             └──► register at the falling edge ◄── something may change

On a board the unit's clock is `sys_clk`.
"""

from functools import reduce
from operator import or_

from migen import Cat, ClockDomain, ClockSignal, Module, ResetSignal, Signal
from migen.fhdl.decorators import ModuleTransformer
from migen.fhdl.specials import _MemoryPort
from migen.fhdl.tools import list_clock_domains, list_signals, list_special_ios, list_targets, rename_clock_domain

TERMS = 128  # maximum number of terms in an expression, because Migen recurses once for each term


class IdleEdgesLeftOut(ModuleTransformer):
    """Gives a unit of the clock domain `sys` its own clock, which skips edges at which the unit cannot change.

    Called with the unit, before the design is finalized.

    Parameters
    ----------
    name : str
        Name of the clock domain.
    while_valid : dict[Signal, Signal]
        Inputs that mean something only while another signal is 1. Their changes at other times do not wake the unit.

    Raises
    ------
    ValueError
        On finalization: the unit has a further clock domain, or parts that are neither statements nor memories.
    """

    def __init__(self, name: str, while_valid: dict[Signal, Signal]):
        self.name = name
        self.while_valid = while_valid

    def transform_fragment(self, unit: Module, fragment) -> None:
        """Moves the unit to a new clock domain. `fragment` contains the unit's statements, memories and domains."""
        strange = {type(special).__name__ for special in fragment.specials} - {"Memory", "_MemoryPort"}
        strange |= list_clock_domains(fragment) - {"sys"}
        if strange:
            raise ValueError(f"cannot tell when {self.name} is idle: it has {', '.join(sorted(strange))}")
        ports = [special for special in fragment.specials if isinstance(special, _MemoryPort)]
        ports.sort(key=lambda port: port.duid)  # fixed order, so that every build writes the same Verilog
        driven = list_targets(fragment) | list_special_ios(fragment, ins=False, outs=True, inouts=True)
        signals = list_signals(fragment) | list_special_ios(fragment, ins=True, outs=False, inouts=False)
        domain = ClockDomain(self.name)
        falling = ClockDomain(f"{self.name}_falling", reset_less=True)
        inputs = {*(signals - driven), domain.rst}
        registers = list_targets(fragment.sync) | {port.dat_r for port in ports if not port.async_read}

        # # #

        first = Signal(reset=1, reset_less=True)
        inside, outside, run = Signal(), Signal(), Signal(2, reset=1)
        writes = [port.we != 0 for port in ports if port.we is not None]
        for any_of, terms in (
            (inside, [first, *writes, *self._differences(fragment, registers)]),
            (outside, self._differences(fragment, inputs)),
        ):
            parts = [Signal() for _ in range(0, len(terms), TERMS)]
            fragment.comb += [
                *[part.eq(reduce(or_, terms[TERMS * n : TERMS * (n + 1)])) for n, part in enumerate(parts)],
                any_of.eq(reduce(or_, parts)),
            ]
        fragment.sync["sys"].append(first.eq(0))
        rename_clock_domain(fragment, "sys", self.name)
        fragment.comb += [
            falling.clk.eq(~ClockSignal("sys")),
            domain.clk.eq(ClockSignal("sys") & (run != 0)),
            domain.rst.eq(ResetSignal("sys")),
        ]
        # `run` changes at the falling edge of the system clock. So `run` is stable while the system clock is 1.
        fragment.sync[falling.name] = [run.eq(Cat(inside, outside))]
        fragment.clock_domains += [domain, falling]

    def _differences(self, fragment, signals: set) -> list:
        """Returns an expression for each signal: 1 if the signal is in use and has changed since the last edge."""
        pairs = [(signal, Signal(len(signal), reset_less=True)) for signal in sorted(signals, key=lambda s: s.duid)]
        fragment.sync["sys"] += [last.eq(signal) for signal, last in pairs]
        return [(signal != last) & self.while_valid.get(signal, 1) for signal, last in pairs]
