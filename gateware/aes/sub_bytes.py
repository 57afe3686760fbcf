"""SubBytes on several bytes at once, with the register in front of it (FIPS-197, 5.1.1).

::

    i ─► register ─► S-box ─► o                    table, ecp5, canright
    i ─► block RAM's own address register ─► o     block_ram

The register is part of the module because a block RAM has it inside: whatever holds a state or a word
feeds the next value here, and every S-box then costs the same one cycle.

Latency: `stages` cycles from `i` to `o`. Throughput: all bytes, each cycle.
"""

from migen import If, Module, Signal

from gateware.aes import sbox as combinational
from gateware.aes.sbox_ram import PORTS, BlockRAMSBox

BLOCK_RAM = "block_ram"
IMPLEMENTATIONS = (*combinational.IMPLEMENTATIONS, BLOCK_RAM)


def check_implementation(sbox: str) -> None:
    """Raise `ValueError` unless `sbox` is one of `IMPLEMENTATIONS`."""
    if sbox not in IMPLEMENTATIONS:
        raise ValueError(f"S-box implementation {sbox!r} is not one of {', '.join(IMPLEMENTATIONS)}")


class SubBytes(Module):
    """Registered S-boxes.

    Parameters
    ----------
    count : int
        Number of bytes.
    sbox : str
        One of `IMPLEMENTATIONS`.

    Attributes
    ----------
    i : Signal(8 * count), in
        Bytes to substitute, taken at the clock edge where `enable` is 1.
    enable : Signal(), in
        Take `i`.
    o : Signal(8 * count), out
        Substitution of the bytes that were taken last.
    """

    def __init__(self, count: int, *, sbox: str = "table"):
        check_implementation(sbox)
        self.i = Signal(8 * count)
        self.enable = Signal()
        self.o = Signal(8 * count)

        # # #

        if sbox == BLOCK_RAM:
            for first in range(0, count, PORTS):
                pair = BlockRAMSBox(has_enable=True)
                self.submodules += pair
                for port in range(min(PORTS, count - first)):
                    byte = slice(8 * (first + port), 8 * (first + port) + 8)
                    self.comb += [
                        pair.i[port].eq(self.i[byte]),
                        pair.enable[port].eq(self.enable),
                        self.o[byte].eq(pair.o[port]),
                    ]
        else:
            taken = Signal(8 * count)
            self.sync += If(self.enable, taken.eq(self.i))
            for n in range(count):
                substitution = combinational.SBox(implementation=sbox)
                self.submodules += substitution
                byte = slice(8 * n, 8 * n + 8)
                self.comb += [substitution.i.eq(taken[byte]), self.o[byte].eq(substitution.o)]
