# SPDX-License-Identifier: BSD-2-Clause
"""Passes a stored frame to GCM, block by block (IEEE 802.1AE-2018, 14.5 and 14.7).

=================  =====================================  ===============================
protection         additional data                        text
=================  =====================================  ===============================
encryption         addresses, SecTAG                      the data
integrity only     addresses, SecTAG, the data            none
=================  =====================================  ===============================

The addresses and the tag's first word are one block. Of the remainder of the tag, PN and perhaps SCI, one or three
words are left. So the data of a frame with integrity only are moved by that many words, and the data to encrypt are
not. A received frame's ICV begins at any byte of a row. It is gathered word by word while GHASH still multiplies.

Throughput: a block each three cycles, and up to 12 cycles more for a frame.
"""

from litex.soc.interconnect import stream
from migen import FSM, Cat, If, Module, Mux, NextState, NextValue, Signal, bits_for

from .. import WORD_BITS
from . import ADDRESS_BYTES, LENGTH_BITS, ROW_BITS
from .row_ring import RowReader
from .sectag import SCI_BITS, TCI, first_word

ADDRESS_BITS = 8 * ADDRESS_BYTES


def feed_layout(rows: int) -> list[tuple[str, int]]:
    """Return the layout of a job: the frame's first row, number of data bytes, and SecTAG fields in wire order."""
    return [("row", bits_for(rows - 1)), ("length", LENGTH_BITS), ("tci", 8), ("sl", 8), ("pn", WORD_BITS)]


class GCMFeeder(Module):
    """Reads stored frames, and passes them to GCM in blocks.

    Parameters
    ----------
    rows : int
        Rows of the ring.
    received : bool
        The frames have an ICV, which is the last block.

    Attributes
    ----------
    job : stream.Endpoint, see `feed_layout`, in
        Frames.
    reader : RowReader
        Reads the ring.
    sci : Signal(64), in
        SCI of the frames whose tag contains it, in wire order.
    source : stream.Endpoint, data(128), failed, out
        Blocks for `gateware.ctr.gcm.BlockGCM`.
    """

    def __init__(self, *, rows: int, received: bool):
        self.job = job = stream.Endpoint(feed_layout(rows))
        self.submodules.reader = reader = RowReader(rows=rows)
        self.sci = Signal(SCI_BITS)
        self.submodules.register = register = stream.Buffer([("data", ROW_BITS), ("failed", 1)])
        self.source = register.source

        # # #

        block, step = register.sink, Signal()
        left = Signal(LENGTH_BITS - 4)  # number of rows with data after the present row
        kept = Signal(4)  # number of data bytes in the last row, minus one
        carry = Signal(ADDRESS_BITS)  # words of the SecTAG or of the previous row, with which the next block begins
        with_sci, encrypted = job.tci[TCI.SC], job.tci[TCI.E]
        last, overflows = Signal(), Signal()
        self.comb += [
            step.eq(block.valid & block.ready),
            reader.first.eq(job.row),
            last.eq(left == 0),
            # 1 if the block that begins with the words in `carry` has no room for all data of the last row
            overflows.eq(Mux(with_sci, kept >= 4, kept >= 12)),
        ]
        self.submodules.fsm = fsm = FSM(reset_state="IDLE")
        ends = [NextState("ICV_ROW")] if received else [job.ready.eq(1), NextState("IDLE")]
        fsm.act(  # the state IDLE waits for a frame
            "IDLE",
            reader.start.eq(job.valid),
            NextValue(left, (job.length - 1)[4:]),
            NextValue(kept, (job.length - 1)[:4]),
            If(job.valid, NextState("ADDRESSES")),
        )
        fsm.act(  # the state ADDRESSES waits for the frame's first row
            "ADDRESSES",
            block.valid.eq(reader.valid),
            block.data.eq(Cat(reader.row[:ADDRESS_BITS], first_word(job.tci, job.sl))),
            NextValue(carry, Cat(job.pn, self.sci)),
            If(step, reader.skip.eq(1), NextState("DATA"), If(encrypted, NextState("SECTAG"))),
        )
        fsm.act(  # the state SECTAG waits until GCM accepts the rest of the SecTAG
            "SECTAG",
            block.valid.eq(1),
            block.data.eq(carry),
            If(step, NextState("DATA")),
        )
        fsm.act(  # the state DATA waits for rows with data; in a received frame, the ICV can begin in the last row
            "DATA",
            block.valid.eq(reader.valid),
            If(encrypted, block.data.eq(reader.row))
            .Elif(with_sci, block.data.eq(Cat(carry, reader.row[:WORD_BITS])))
            .Else(block.data.eq(Cat(carry[:WORD_BITS], reader.row[: ROW_BITS - WORD_BITS]))),
            If(
                step,
                NextValue(left, left - 1),
                NextValue(carry, Mux(with_sci, reader.row[WORD_BITS:], reader.row[ROW_BITS - WORD_BITS :])),
                reader.skip.eq(~last | ~int(received) | (kept == 15)),
                If(last & ~encrypted & overflows, NextState("CARRY")).Elif(last, *ends),
            ),
        )
        fsm.act(  # the state CARRY waits until GCM accepts the block with the last words of data
            "CARRY",
            block.valid.eq(1),
            block.data.eq(carry),
            If(step, *ends),
        )
        if received:
            before = Signal(WORD_BITS)  # the word before the present word
            icv, words = Signal(ROW_BITS), Signal(3)
            start, shift = Signal(4), Signal(2)
            self.comb += [start.eq(kept + 1), shift.eq(start[:2])]
            fsm.act(  # the state ICV_ROW finds the row and the word in which the ICV begins
                "ICV_ROW",
                NextValue(words, 0),
                If(
                    reader.valid,
                    If(reader.lane == start[2:], NextState("GATHER")).Else(reader.take.eq(1)),
                ),
            )
            fsm.act(  # the state GATHER waits for the five words that contain the ICV, which can begin at any byte
                "GATHER",
                If(
                    reader.valid,
                    reader.take.eq(1),
                    NextValue(before, reader.row[:WORD_BITS]),
                    NextValue(words, words + 1),
                    NextValue(icv, Cat(icv[WORD_BITS:], _moved(before, reader.row, shift))),
                    If(words == 4, NextState("ICV")),
                ),
            )
            fsm.act(  # the state ICV waits until GCM accepts the ICV
                "ICV",
                block.valid.eq(1),
                block.data.eq(icv),
                If(step, job.ready.eq(1), NextState("IDLE")),
            )


def _moved(before: Signal, after: Signal, shift: Signal):
    """Return four consecutive bytes of two words, beginning at byte `shift` of the first word."""
    both = Cat(before, after[:WORD_BITS])
    moved = both[:WORD_BITS]
    for n in range(1, 4):
        moved = Mux(shift == n, both[8 * n : 8 * n + WORD_BITS], moved)
    return moved
