# SPDX-License-Identifier: BSD-2-Clause
"""Tables of multiples of GHASH's subkey H, in distributed RAM.

Row n of a table is the sum of those of H, H x^32, H x^64 and H x^96 whose bits are set in n; a table has 16 rows. A
digit reads several rows at once. There are as many equal tables, because a distributed RAM has one read port.

A subkey takes 17 cycles: it is taken, then a row is written each cycle, row 0 first. A row is the sum of its highest
multiple of H and of a row that was written before, which the first table reads. Row 0 is written as zero. To zeroize,
the same is done with zero as the subkey.
"""

from litex.soc.interconnect import stream
from migen import Cat, If, Memory, Module, Signal

from ..aes.cells import Functions
from ..aes.standard import BLOCK_BITS
from ..memory import DISTRIBUTED, NO_RW_CHECK
from .field import BITS, in_order, reduced, total_of

LANES = 4
LANE_BITS = BITS // LANES
ROWS = 2**LANES
HIGHEST = [2**n - 1 for n in range(1, LANES)]  # rows 1, 3 and 7; after each of them, `multiple` is multiplied by x^32


class Tables(Module):
    """Stores multiples of a subkey H in tables.

    Parameters
    ----------
    count : int
        Number of tables.
    portable : bool
        Otherwise, use the ECP5's cells where synthesis would take more.

    Attributes
    ----------
    subkey : stream.Endpoint, data(128), in
        The subkey. Taken while not `busy`.
    clear : Signal(), in
        Zeroize all tables, whatever is under way.
    busy : Signal(), out
        Rows are being written.
    rest : Signal(4), out
        While `busy`, the row that the first table must read in the next cycle; otherwise 0.
    rows : list of Signal(4), in
        The row that each table reads.
    products : list of Signal(128), out
        The rows' contents, bit i for the coefficient of x^i.
    """

    def __init__(self, count: int, *, portable: bool = True):
        self.subkey = stream.Endpoint([("data", BLOCK_BITS)])
        self.clear = Signal()
        self.busy = Signal()
        self.rest = Signal(LANES)
        self.rows = [Signal(LANES, name=f"row_{n}") for n in range(count)]
        self.products = [Signal(BITS, name=f"product_{n}") for n in range(count)]

        # # #

        # `row` is the number of the row that is being written. Row 0 contains 0. Every other row contains the XOR of an
        # earlier row and `multiple`. `multiple` is H times a power of x^32.
        subkey = self.subkey
        row, following = Signal(LANES), Signal(LANES)
        take, advance, end, filled = (Signal() for _ in range(4))
        multiple, contents = Signal(BITS), Signal(BITS)
        function = Functions(self, portable=portable)
        higher = [*([] for _ in range(LANE_BITS)), *([bit] for bit in multiple)]
        shifted = [total_of(function, bits) for bits in reduced(higher)]
        first = in_order(subkey.data)
        self.comb += [
            subkey.ready.eq(~self.busy),
            take.eq(subkey.valid & subkey.ready),
            following.eq(row + 1),
            *[If(following[n], self.rest.eq(following[:n] if n else 0)) for n in range(LANES)],
            *[If(self.busy & (row == n), advance.eq(1)) for n in HIGHEST],
            end.eq(self.busy & (row == ROWS - 1)),
            filled.eq(row != 0),
        ]
        chosen = [
            function([take, *pair], lambda take, a, b: a if take else b) for pair in zip(first, shifted, strict=True)
        ]
        written = [
            function([filled, *pair], lambda filled, a, b: (a ^ b) & filled)
            for pair in zip(self.products[0], multiple, strict=True)
        ]
        self.comb += contents.eq(Cat(*written))
        self.sync += [
            If(self.busy, row.eq(following)),
            If(end, self.busy.eq(0)),
            If(take, self.busy.eq(1)),
            If(self.clear, self.busy.eq(1), row.eq(0)),
            If(take | advance, multiple.eq(Cat(*chosen))),
            If(end | self.clear, multiple.eq(0)),
        ]

        # If a row is read in the cycle in which it is written, the value that was read is not used.
        for n in range(count):
            memory = Memory(BITS, ROWS, name=f"table_{n}")
            memory.attr = {NO_RW_CHECK, DISTRIBUTED}
            write_port = memory.get_port(write_capable=True, async_read=True)
            read_port = memory.get_port(async_read=True)
            self.specials += memory, write_port, read_port
            self.comb += [
                write_port.adr.eq(row),
                write_port.dat_w.eq(contents),
                write_port.we.eq(self.busy),
                read_port.adr.eq(self.rows[n]),
                self.products[n].eq(read_port.dat_r),
            ]

        # Signals that the formal proofs observe.
        self.control = {"written_row": row, "multiple": multiple, "contents": contents}
