"""SubBytes and InvSubBytes on a column, and a way past them, with one register (FIPS-197, 5.1.1 and 5.3.2).

::

    i ─► S-boxes ─┤ register ├─┬─► o
                               └─► corrections

What is behind it, the inverse MixColumns takes with corrections (`gateware.aes.transforms.inverse_mix_correction`),
MixColumns without. Throughput: a column a cycle. Latency: one cycle.

``block_ram``
    Two block RAMs, two bytes each: all substitutions, the bytes themselves, and these times {04}. Its registers are in
    front of the table, which nextpnr has answer after 1.42 ns (LFE5UM5G) or 4.26 ns (LFE5U).
others
    Those of `gateware.aes.sbox_pair`.
"""

from migen import READ_FIRST, Cat, Memory, Module, Signal

from gateware.aes.field import INV_SBOX, SBOX, multiply
from gateware.aes.sbox_pair import IMPLEMENTATIONS as PAIRS
from gateware.aes.sbox_pair import SBoxPair
from gateware.aes.sbox_ram import PORTS
from gateware.aes.sub_bytes import BLOCK_RAM
from gateware.aes.transforms import byte_list, inverse_mix_correction, masked

IMPLEMENTATIONS = (*PAIRS, BLOCK_RAM)
ROWS = 4


class ColumnSBox(Module):
    """Substitutes the bytes of a column.

    Parameters
    ----------
    implementation : str
        One of `IMPLEMENTATIONS`.

    Attributes
    ----------
    i : Signal(32), in
        The column.
    substitute, inverse : Signal(), in
        SubBytes of it; InvSubBytes, with `substitute`. Else it passes.
    o, corrections : Signal(32), out
        The result, one cycle later; and what to add to it in front of MixColumns, which makes that the inverse: 0
        behind SubBytes.
    """

    def __init__(self, *, implementation: str = "table"):
        self.i = Signal(8 * ROWS)
        self.substitute = Signal()
        self.inverse = Signal()
        self.o = Signal(8 * ROWS)
        self.corrections = Signal(8 * ROWS)

        # # #

        if implementation == BLOCK_RAM:
            self._block_ram()
            return
        forward = Signal()
        self.sync += forward.eq(self.substitute & ~self.inverse)
        self.comb += self.corrections.eq(masked(~forward, Cat(*inverse_mix_correction(byte_list(self.o)))))
        for byte in (slice(8 * row, 8 * row + 8) for row in range(ROWS)):
            self.submodules.pair = pair = SBoxPair(implementation=implementation)
            self.comb += [
                pair.i.eq(self.i[byte]),
                pair.operand.eq(self.i[byte]),
                pair.inverse.eq(self.inverse),
                pair.passes.eq(~self.substitute),
                self.o[byte].eq(pair.o),
            ]

    def _block_ram(self) -> None:
        results = [*INV_SBOX, *range(256), *range(256)]
        table = [*SBOX, *(y | multiply(4, y) << 8 for y in results)]
        times_four = []
        for first in range(0, ROWS, PORTS):
            memory = Memory(16, len(table), init=table, name="column_table")
            self.specials += memory
            for row in range(first, first + PORTS):
                port = memory.get_port(mode=READ_FIRST)
                self.specials += port
                self.comb += [
                    port.adr.eq(Cat(self.i[8 * row : 8 * row + 8], self.inverse, ~self.substitute)),
                    self.o[8 * row : 8 * row + 8].eq(port.dat_r[:8]),
                ]
                times_four.append(port.dat_r[8:])
        even, odd = times_four[0] ^ times_four[2], times_four[1] ^ times_four[3]
        self.comb += self.corrections.eq(Cat(even, odd, even, odd))
