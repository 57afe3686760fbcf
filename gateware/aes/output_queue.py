# SPDX-License-Identifier: BSD-2-Clause
"""A queue in block RAM, for the blocks that leave a pipeline. The pipeline cannot stop, so the queue needs enough room.

The pipeline starts a block only when the queue has room for all blocks under way. So its registers need no signal that
stops them. The block RAM is followed by its own output register and by another register before `source`. A reserved
place counts one cycle later, and so does a place that was freed.

Latency: 3 cycles from `write` to `source.valid`. Throughput: a block a cycle.
"""

from litex.soc.interconnect import stream
from migen import READ_FIRST, Cat, If, Memory, Module, Signal, log2_int

from ..memory import without_collisions
from .standard import BLOCK_BITS


class OutputQueue(Module):
    """A queue of blocks. Before a block enters the pipeline, a row of the queue is reserved for it.

    Parameters
    ----------
    blocks : int
        Places that can be reserved without a pause if each place returns `blocks` cycles later.

    Attributes
    ----------
    depth : int
        Rows of the memory, a power of two.
    reserve : Signal(), in
        A block sets out and will be written later. Only while `room`.
    room : Signal(), out
        A further place is free.
    empty : Signal(), out
        No block has a place.
    write, data, error : Signal(), Signal(128), Signal(), in
        A block arrives, with its error mark.
    source : stream.Endpoint, data(128), error, out
        The blocks, in order.
    flush : Signal(), in
        Drop all blocks and all places.
    zeroize : Signal(), in
        Write `data`, which must be zero, a row a cycle, for at least `depth` cycles; `flush` must follow.
    """

    def __init__(self, blocks: int):
        self.depth = depth = 1 << (blocks + 1).bit_length()
        self.reserve = Signal()
        self.room = Signal()
        self.empty = Signal()
        self.write = Signal()
        self.data = Signal(BLOCK_BITS)
        self.error = Signal()
        self.source = stream.Endpoint([("data", BLOCK_BITS), ("error", 1)])
        self.flush = Signal()
        self.zeroize = Signal()

        # # #

        places = Signal(log2_int(depth) + 1)
        reserved = Signal()  # in the cycle before
        left = Signal()
        stored = Signal(max=depth + 1)  # in the memory
        produce = Signal(max=depth)
        consume = Signal(max=depth)
        read = Signal()
        fetched = Signal()  # 1: the memory's output register contains a block
        flushed = Signal()  # in the cycle before
        step_fetched, step_source = Signal(), Signal()
        arriving = Cat(self.source.data, self.source.error)
        self.comb += [
            # `places` counts the reserved rows, but counts each reservation one cycle late. So `room` is 1 only if
            # `places` leaves at least two rows free.
            self.room.eq(~places[-1] & (places[:-1] != depth - 1)),
            self.empty.eq((places == 0) & ~reserved),
            step_source.eq(~self.source.valid | self.source.ready),
            step_fetched.eq(~fetched | step_source),
            read.eq(step_fetched & (stored != 0)),
        ]

        # Signals that the formal proofs use.
        self.control = {"places": places, "reserved": reserved, "left": left, "stored": stored, "fetched": fetched}

        # In operation, no row is read in the cycle in which it is written: a block is read in a later cycle. During
        # zeroization, a row can be read and written in the same cycle, but no logic uses the value from this read.
        memory = without_collisions(Memory(BLOCK_BITS + 1, depth, name="output_queue"))
        write_port = memory.get_port(write_capable=True, mode=READ_FIRST)
        read_port = memory.get_port(mode=READ_FIRST, has_re=True)
        self.specials += memory, write_port, read_port
        self.comb += [
            write_port.adr.eq(produce),
            write_port.we.eq(self.write | self.zeroize),
            write_port.dat_w.eq(Cat(self.data, self.error)),
            read_port.adr.eq(consume),
            read_port.re.eq(step_fetched | self.zeroize),
        ]
        self.sync += [
            reserved.eq(self.reserve),
            left.eq(self.source.valid & self.source.ready),
            places.eq(places + reserved - left),
            stored.eq(stored + self.write - read),
            If(self.write | self.zeroize, produce.eq(produce + 1)),
            If(read, consume.eq(consume + 1)),
            If(step_fetched, fetched.eq(read)),
            If(step_source, self.source.valid.eq(fetched), If(fetched, arriving.eq(read_port.dat_r))),
            If(
                self.flush,
                *[signal.eq(0) for signal in (places, reserved, left, stored, produce, consume, fetched)],
                self.source.valid.eq(0),
            ),
            flushed.eq(self.flush),
            If(flushed, arriving.eq(0)),
        ]
