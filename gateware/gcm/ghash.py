# SPDX-License-Identifier: BSD-2-Clause
"""GHASH (SP 800-38D, 6.4): ``Y = (Y + block) * H`` in GF(2^128) for each block. Each cycle multiplies H by a digit.

::

    subkey ─► tables of multiples of H ─────┐ products
                                            ▼
                              z * x^w ────►(+)─► z
                                            │ after the last digit
    sink ──────────────────────────────────(+)─► x ─► rows of the tables
                                                 └──► source

The four lanes of x hold the coefficients 0 to 31, 32 to 63, 64 to 95 and 96 to 127. One coefficient of each lane
together selects a row of a table (`gateware.gcm.tables`). A digit is `w` coefficients of each lane. Horner's rule joins
the digits, the highest first::

    z = z * x^w + sum over k < w of x^k * table[x[j + k], x[32 + j + k], x[64 + j + k], x[96 + j + k]]

A table costs a LUT4 for each bit and row of the digit; AND gates would cost 2.7. A digit has 4 * w bits, with a w of 2,
4, 8, 16 or 32 for a product in 16, 8, 4, 2 cycles or one cycle.

A message is its blocks, then one item with `final`. This item is not multiplied: it is added to Y, and the sum leaves
at `source`. For a tag it is the encrypted initial counter block. So GHASH without this mask never leaves, and neither
does H.

Byte order: as in `gateware.aes`. Throughput: a block every `cycles` cycles, and 2 cycles for `final` with its result.
Latency: one cycle from `final` to `source.valid`. Handshake: valid and ready. A subkey takes 17 cycles, between
messages. No time depends on data.
"""

from litex.soc.interconnect import stream
from migen import Cat, If, Module, Signal

from ..aes.cells import Functions
from ..aes.standard import BLOCK_BITS
from .field import BITS, in_order, reduced, total_of
from .tables import LANE_BITS, LANES, Tables

CYCLES = (16, 8, 4, 2, 1)


class GHASH(Module):
    """Computes GHASH of messages, with the subkey H.

    Parameters
    ----------
    cycles : int
        Cycles of a product, one of `CYCLES`.
    portable : bool
        Otherwise, use the ECP5's cells where synthesis would take more.

    Attributes
    ----------
    subkey : stream.Endpoint, data(128), in
        H of the next messages; taken between messages, before any block that waits.
    sink : stream.Endpoint, data(128), final, in
        Blocks of a message, then an item with `final`.
    source : stream.Endpoint, data(128), out
        GHASH of the blocks before `final`, plus the data of the item with `final`.
    flush : Signal(), in
        Drop the message under way. The subkey stays.
    clear : Signal(), in
        Drop it, and zeroize the subkey with all its multiples, in 17 cycles.
    busy : Signal(), out
        A subkey is being taken or zeroized.

    Raises
    ------
    ValueError
        `cycles` is none of these.
    """

    def __init__(self, *, cycles: int, portable: bool = True):
        if cycles not in CYCLES:
            raise ValueError(f"cycles is {cycles}; give one of {', '.join(map(str, CYCLES))}")
        self.subkey = stream.Endpoint([("data", BLOCK_BITS)])
        self.sink = stream.Endpoint([("data", BLOCK_BITS), ("final", 1)])
        self.source = stream.Endpoint([("data", BLOCK_BITS)])
        self.flush = Signal()
        self.clear = Signal()
        self.busy = Signal()

        # # #

        # Sequence.
        subkey, sink, source = self.subkey, self.sink, self.source
        step = Signal(max=max(cycles, 2), reset=cycles - 1)  # index of the block's digit that is being multiplied
        last = Signal()  # the present digit completes the product, so the next item can be accepted
        begun = Signal()  # a message has begun
        take, end, drop = Signal(), Signal(), Signal()
        self.submodules.tables = tables = Tables(LANE_BITS // cycles, portable=portable)
        self.comb += [
            last.eq(step == cycles - 1),
            subkey.connect(tables.subkey, omit={"ready"}),
            tables.subkey.valid.eq(subkey.valid & ~begun),
            subkey.ready.eq(tables.subkey.ready & ~begun),
            tables.clear.eq(self.clear),
            self.busy.eq(tables.busy),
            sink.ready.eq(last & ~source.valid & ~tables.busy & ~(subkey.valid & ~begun)),
            take.eq(sink.valid & sink.ready),
            drop.eq(self.flush | self.clear),
            end.eq((source.valid & source.ready) | drop),
        ]
        self.sync += [
            If(~last, step.eq(step + 1)),
            If(take, begun.eq(1), source.valid.eq(sink.final), If(~sink.final, step.eq(0))),
            If(end, begun.eq(0), source.valid.eq(0), step.eq(cycles - 1)),
        ]

        # Digits and their sum.
        digit = LANE_BITS // cycles
        x = [Signal(LANE_BITS, name=f"x_{n}") for n in range(LANES)]
        z = Signal(BITS)
        terms = [[] for _ in range(BITS + digit)]
        for n in range(BITS):
            if cycles > 1:
                terms[n + digit].append(z[n])
            for k in range(digit):
                terms[n + k].append(tables.products[k][n])
        carried = [bits for bits in terms[BITS:] if bits]
        overflow = Signal(len(carried))
        total = Signal(BITS)
        function = Functions(self, portable=portable)
        low = reduced([*terms[:BITS], *([bit] for bit in overflow)])
        self.comb += [
            overflow.eq(Cat(*[total_of(function, bits) for bits in carried])),
            total.eq(Cat(*[total_of(function, bits) for bits in low])),
            *[tables.rows[k].eq(Cat(*[lane[LANE_BITS - digit + k] for lane in x])) for k in range(digit)],
            source.data.eq(in_order(Cat(*x))),
        ]
        self.sync += [
            If(~last, z.eq(total)),
            If(take | end, z.eq(0)),
        ]

        # The register `x` loads the XOR of a block and the last product, then shifts by one digit in each cycle. While
        # `tables` fills its rows, `x` instead holds the number of the row that `tables` reads.
        shifted = Signal(BITS)
        begins = in_order(sink.data)
        for n in range(BITS):
            lane, place = divmod(n, LANE_BITS)
            below = x[lane][place - digit] if place >= digit else 0
            self.comb += shifted[n].eq(below | tables.rest[lane] if place == LANE_BITS - digit else below)
        chosen = [
            function([take, *bits], lambda take, y, block, moved: y ^ block if take else moved)
            for bits in zip(total, begins, shifted, strict=True)
        ]
        self.sync += [
            If(take | ~last | tables.busy, Cat(*x).eq(Cat(*chosen))),
            If((end & ~tables.busy) | self.clear, Cat(*x).eq(0)),
        ]

        # Signals that the formal proofs observe.
        self.control = {
            "take": take,
            "step": step,
            "last": last,
            "begun": begun,
            "end_of_message": end,
            "z": z,
            "total": total,
        }
        self.control |= {f"x_{n}": lane for n, lane in enumerate(x)}
        self.control |= {f"product_{k}": product for k, product in enumerate(tables.products)}
        self.control |= {f"row_{k}": row for k, row in enumerate(tables.rows)} | tables.control
