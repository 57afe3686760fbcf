# SPDX-License-Identifier: BSD-2-Clause
"""Moves each kind of S-box into its own Verilog module, which the core instantiates once for each byte.

A pipelined core has 228 S-boxes. Without modules of their own, most of the core's file would be copies of one S-box.
"""

from dataclasses import dataclass

from migen import ClockSignal, Instance, Module, ResetSignal, Signal
from migen.fhdl.tools import list_signals, list_special_ios, list_targets

from ..aes.sbox import SBox
from ..aes.sbox_pair import SBoxPair
from ..aes.sbox_ram import BlockRAMSBox
from ..aes.tower_sbox import TowerSBox
from .ports import IN, OUT, Design, Port

# Maps each Migen class of an S-box to the suffix of its Verilog module's name.
CLASSES = {SBox: "sbox", TowerSBox: "sbox", SBoxPair: "sbox_pair", BlockRAMSBox: "sbox_ram"}


@dataclass
class Specials:
    """Wraps a set of specials (Migen's memories and instances), for Migen functions that read `specials`."""

    specials: set


@dataclass(frozen=True)
class Shared:
    """An S-box in Migen that becomes a Verilog module of its own.

    Attributes
    ----------
    label : str
        End of the Verilog module's name.
    design : Design
        The Migen module with its ports.
    reads : frozenset of Signal
        Signals that the module reads and does not drive, except its ports.
    """

    label: str
    design: Design
    reads: frozenset[Signal]


def take_out(module: Module) -> dict[Instance, Shared]:
    """Replace every S-box in `module` by an instance of a Verilog module. `module` must not be finalized yet.

    Return the replaced module for each instance. The instances have no module's name yet.
    """
    found = {}
    for entry in list(module._submodules):
        inner = entry[1]
        label = CLASSES.get(type(inner))
        if label is None:
            found |= take_out(inner)
            continue
        module._submodules.remove(entry)
        shared = _describe(inner, label)
        pins = [_pin(shared.design, port) for port in shared.design.ports]
        instance = Instance("", *pins, name=f"u_{label}")
        module.specials += instance
        found[instance] = shared
    return found


def _pin(design: Design, port: Port):
    if port.name in (design.clock, design.reset):
        return Instance.Input(port.name, ClockSignal() if port.name == design.clock else ResetSignal())
    return (Instance.Input if port.direction == IN else Instance.Output)(port.name, port.signal)


def _describe(inner: Module, label: str) -> Shared:
    """Find the ports of a module: the public signals that its logic reads or drives, in the order of its attributes."""
    design = Design()
    design.submodules.box = inner
    inner.finalize()
    fragment = inner._fragment
    specials = Specials(fragment.specials)
    statements = [fragment.comb, *fragment.sync.values()]
    driven = list_targets(statements) | list_special_ios(specials, ins=False, outs=True, inouts=True)
    used = list_signals(statements) | list_special_ios(specials, ins=True, outs=True, inouts=True)
    clocked = bool(fragment.sync) or any(special.list_clock_domains() for special in fragment.specials)
    resets = any(not signal.reset_less for signal in list_targets(list(fragment.sync.values())))
    design.ports = [port for port, needed in zip(design.ports, (clocked, resets), strict=True) if needed]
    for name, value in vars(inner).items():
        signals = {name: value} if isinstance(value, Signal) else {}
        if isinstance(value, list):
            signals = {f"{name}{n}": each for n, each in enumerate(value) if isinstance(each, Signal)}
        for port, signal in signals.items():
            if signal in used and not name.startswith("_"):
                design.add(port, signal, OUT if signal in driven else IN, "")
    ports = {port.signal for port in design.ports}
    return Shared(label, design, frozenset(used - driven - ports))
