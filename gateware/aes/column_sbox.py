# SPDX-License-Identifier: BSD-2-Clause
"""Applies SubBytes, InvSubBytes or no change to a column, with one register (FIPS-197, 5.1.1 and 5.3.2).

::

    i ─► S-boxes ─┤ register ├─┬─► o
                               └─► doubled

Throughput: a column a cycle. Latency: one cycle.

``block_ram``
    Two block RAMs serve two bytes each. They hold all substitutions, the unchanged bytes, and {02} times these values.
    Their registers come before the table, which answers 1.42 ns (LFE5UM5G) or 4.26 ns (LFE5U) after the clock,
    according to nextpnr.
others
    The implementations of `gateware.aes.sbox_pair`.
"""

from migen import READ_FIRST, Cat, Memory, Module, Signal

from .field import INV_SBOX, SBOX, multiply
from .sbox_pair import IMPLEMENTATIONS as PAIRS
from .sbox_pair import SBoxPair
from .sbox_ram import PORTS
from .sub_bytes import BLOCK_RAM
from .transforms import xtime

IMPLEMENTATIONS = (*PAIRS, BLOCK_RAM)
ROWS = 4


class ColumnSBox(Module):
    """Applies SubBytes, InvSubBytes or no change to the four bytes of a column.

    Parameters
    ----------
    implementation : str
        One of `IMPLEMENTATIONS`.

    Attributes
    ----------
    i : Signal(32), in
        The column.
    substitute, inverse : Signal(), in
        Apply SubBytes; with `inverse` as well, InvSubBytes. Without `substitute` the column passes unchanged.
    o, doubled : Signal(32), out
        The result, one cycle later, and its bytes times {02}.
    forward : Signal(), out
        The result comes from SubBytes.
    """

    def __init__(self, *, implementation: str = "table"):
        self.i = Signal(8 * ROWS)
        self.substitute = Signal()
        self.inverse = Signal()
        self.o = Signal(8 * ROWS)
        self.doubled = Signal(8 * ROWS)
        self.forward = Signal()

        # # #

        self.sync += self.forward.eq(self.substitute & ~self.inverse)
        lanes = [slice(8 * row, 8 * row + 8) for row in range(ROWS)]
        if implementation == BLOCK_RAM:
            self._block_ram(lanes)
            return
        for byte in lanes:
            self.submodules.pair = pair = SBoxPair(implementation=implementation)
            self.comb += [
                pair.i.eq(self.i[byte]),
                pair.operand.eq(self.i[byte]),
                pair.inverse.eq(self.inverse),
                pair.passes.eq(~self.substitute),
                self.o[byte].eq(pair.o),
                self.doubled[byte].eq(xtime(pair.o)),
            ]

    def _block_ram(self, lanes: list[slice]) -> None:
        table = [y | multiply(2, y) << 8 for y in [*SBOX, *INV_SBOX, *range(256), *range(256)]]
        for first in range(0, ROWS, PORTS):
            memory = Memory(16, len(table), init=table, name="column_table")
            self.specials += memory
            for byte in lanes[first : first + PORTS]:
                port = memory.get_port(mode=READ_FIRST)
                self.specials += port
                self.comb += [
                    port.adr.eq(Cat(self.i[byte], self.inverse, ~self.substitute)),
                    self.o[byte].eq(port.dat_r[:8]),
                    self.doubled[byte].eq(port.dat_r[8:]),
                ]
