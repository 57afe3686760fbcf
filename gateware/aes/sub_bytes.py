# SPDX-License-Identifier: BSD-2-Clause
"""SubBytes on several bytes at once, with one or more pipeline registers (FIPS-197, 5.1.1).

::

    i ─► register ─► S-box ─► o                    table, ecp5, tower, onehot
    i ─► block RAM's own address register ─► o     block_ram
    i ─► register ─► ... ─► o                      tower_cut, tower_cut_ecp5: `gateware.aes.tower_sbox`

The register is part of the module because a block RAM contains it. The module that holds a state or a word feeds its
next value in here, and every S-box then takes the same one cycle. With two stages, `o` is a register too. The cut tower
allows up to four stages, with the registers inside.

Latency: `stages` cycles from `i` to `o`. Throughput: all bytes, each cycle.
"""

from migen import If, Module, Signal

from . import sbox as combinational
from .sbox_ram import PORTS, BlockRAMSBox
from .tower_sbox import CUTS, TowerSBox

BLOCK_RAM = "block_ram"
# Maps the name of each S-box implementation to its maximum number of pipeline stages.
IMPLEMENTATIONS = {
    **{name: 2 for name in combinational.IMPLEMENTATIONS},
    BLOCK_RAM: 2,
    "tower_cut": max(CUTS),
    "tower_cut_ecp5": max(CUTS),
}


def check_implementation(sbox: str, stages: int = 1) -> None:
    """Raise `ValueError` unless `sbox` names an S-box in `IMPLEMENTATIONS` that supports this number of stages."""
    if sbox not in IMPLEMENTATIONS:
        raise ValueError(f"S-box implementation {sbox!r} is not one of {', '.join(IMPLEMENTATIONS)}")
    if not 1 <= stages <= IMPLEMENTATIONS[sbox]:
        raise ValueError(f"stages is {stages}; S-box implementation {sbox!r} takes 1 to {IMPLEMENTATIONS[sbox]}")


class SubBytes(Module):
    """Applies SubBytes to several bytes; the result is valid `stages` cycles later.

    Parameters
    ----------
    count : int
        Number of bytes.
    sbox : str
        One of `IMPLEMENTATIONS`.
    stages : int
        Registers from `i` to `o`.

    Attributes
    ----------
    i : Signal(8 * count), in
        Bytes to substitute.
    enable : Signal(stages), in
        Bit n: the registers of stage n take their inputs.
    o : Signal(8 * count), out
        The substituted bytes.
    doubled : Signal(8 * count) or None, out
        {02} times each substituted byte, if a block RAM stores it; otherwise None.
    """

    def __init__(self, count: int, *, sbox: str = "table", stages: int = 1):
        check_implementation(sbox, stages)
        self.i = Signal(8 * count)
        self.enable = Signal(stages)
        self.o = Signal(8 * count, reset_less=True)
        self.doubled = Signal(8 * count, reset_less=True) if sbox == BLOCK_RAM else None

        # # #

        lanes = [slice(8 * n, 8 * n + 8) for n in range(count)]
        if sbox.startswith("tower_cut"):
            for lane in lanes:
                box = TowerSBox(stages=stages, portable=sbox == "tower_cut")
                self.submodules += box
                self.comb += [box.i.eq(self.i[lane]), box.enable.eq(self.enable), self.o[lane].eq(box.o)]
            return
        substituted = Signal(8 * count)
        results = [self.o.eq(substituted)]
        if self.doubled is not None:
            doubled = Signal(8 * count)
            results.append(self.doubled.eq(doubled))
            for first in range(0, count, PORTS):
                pair = BlockRAMSBox(has_enable=True)
                self.submodules += pair
                for port, lane in enumerate(lanes[first : first + PORTS]):
                    self.comb += [
                        pair.i[port].eq(self.i[lane]),
                        pair.enable[port].eq(self.enable[0]),
                        substituted[lane].eq(pair.o[port]),
                        doubled[lane].eq(pair.doubled[port]),
                    ]
        else:
            taken = Signal(8 * count, reset_less=True)
            self.sync += If(self.enable[0], taken.eq(self.i))
            for lane in lanes:
                box = combinational.SBox(implementation=sbox)
                self.submodules += box
                self.comb += [box.i.eq(taken[lane]), substituted[lane].eq(box.o)]
        if stages == 2:
            self.sync += If(self.enable[1], *results)
        else:
            self.comb += results
