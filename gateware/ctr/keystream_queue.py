# SPDX-License-Identifier: BSD-2-Clause
"""A keystream queue for one client of a shared AES core. The queue reserves a row for each block in the core.

::

    reserve ─► (places) ─► room
    write ───► rows ─► fetched ─► register ─► source

A counter block goes to the core only when a place for its result is free. So the core never waits for a client, and no
client waits for another. `flush` drops the stored blocks, and later the blocks that are still under way. `clear` drops
both at once, because the core is cleared too. It zeroizes the rows, one row a cycle, and the fetched block. The rows
are block RAM, which delivers late in the cycle; the register makes up for that.

Latency: 3 cycles from `write` to `source.valid`. Throughput: a block a cycle.
"""

from litex.soc.interconnect import stream
from migen import READ_FIRST, Cat, If, Memory, Module, Signal, bits_for

from ..aes.standard import BLOCK_BITS
from ..memory import block_ram
from .client import KEYSTREAM_LAYOUT


class KeystreamQueue(Module):
    """A queue of keystream blocks for one client.

    Parameters
    ----------
    depth : int
        Number of rows, a power of two.

    Attributes
    ----------
    room : Signal(), out
        A row is free. A row that becomes free shows one cycle later.
    reserve : Signal(), in
        Take a place for a block that sets out; only while `room`.
    write, data, error : Signal(), Signal(128), Signal(), in
        The oldest block under way arrives. While `zeroizing`, `data` and `error` are 0.
    source : stream.Endpoint, data(128), error, out
        Blocks, in order.
    flush, clear : Signal(), in
        Drop everything; `clear` only if no block under way will arrive.
    zeroizing, empty : Signal(), out
        Rows are being zeroized; no place is taken.
    """

    def __init__(self, depth: int):
        if depth < 2 or depth & (depth - 1):
            raise ValueError(f"depth is {depth}; give a power of two, at least 2")
        address_bits = bits_for(depth - 1)
        self.room = Signal()
        self.reserve = Signal()
        self.write = Signal()
        self.data = Signal(BLOCK_BITS)
        self.error = Signal()
        self.source = source = stream.Endpoint(KEYSTREAM_LAYOUT)
        self.flush = Signal()
        self.clear = Signal()
        self.zeroizing = Signal()
        self.empty = Signal()

        # # #

        under_way, stale, stored = (Signal(max=depth + 1) for _ in range(3))
        coming = Signal(max=depth + 1)  # number of this client's blocks that will be in the core in the next cycle
        produce, consume = Signal(address_bits), Signal(address_bits)
        keep, step = Signal(), Signal()

        fetched = Signal()  # 1: the memory's output register contains a block
        step_fetched, step_source = Signal(), Signal()

        # Signals that the formal proofs use.
        self.control = {"under_way": under_way, "stored": stored, "stale": stale, "fetched": fetched}
        self.control |= {"produce": produce, "consume": consume}

        # In normal operation, no row is read in the cycle in which it is written: each block is read in a later cycle,
        # and there are never more blocks than rows. During zeroization, zeros are written into all rows, and only row 0
        # is read. In the cycle that writes row 0, the memory returns the old content of row 0. In the next cycle, the
        # memory returns zeros.
        memory = block_ram(Memory(BLOCK_BITS + 1, depth, name="keystream"))
        write_port = memory.get_port(write_capable=True, mode=READ_FIRST)
        read_port = memory.get_port(mode=READ_FIRST, has_re=True)
        self.specials += memory, write_port, read_port
        self.comb += [
            coming.eq(under_way + self.reserve - self.write),
            keep.eq(self.write & (stale == 0)),
            step_source.eq(~source.valid | source.ready),
            step_fetched.eq(~fetched | step_source),
            step.eq((stored != 0) & step_fetched),
            write_port.adr.eq(produce),
            write_port.dat_w.eq(Cat(self.data, self.error)),
            write_port.we.eq(keep | self.zeroizing),
            read_port.adr.eq(consume),
            read_port.re.eq(step_fetched),
            self.empty.eq((under_way == 0) & (stored == 0) & ~fetched & ~source.valid),
        ]
        self.sync += [
            under_way.eq(coming),
            self.room.eq((under_way + stored + self.reserve < depth) & ~self.zeroizing & ~self.clear),
            stored.eq(stored + keep - step),
            If(self.write & (stale != 0), stale.eq(stale - 1)),
            If(keep | self.zeroizing, produce.eq(produce + 1)),
            If(step, consume.eq(consume + 1)),
            If(step_fetched, fetched.eq(step)),
            If(step_source, source.valid.eq(fetched)),
            If(step_source & fetched, Cat(source.data, source.error).eq(read_port.dat_r)),
            If(self.zeroizing & (produce == depth - 1), self.zeroizing.eq(0)),
            If(
                self.flush | self.clear,
                stored.eq(0),
                stale.eq(coming),
                produce.eq(0),
                consume.eq(0),
                fetched.eq(0),
                source.valid.eq(0),
                source.data.eq(0),
            ),
            If(self.clear, under_way.eq(0), stale.eq(0), self.zeroizing.eq(1)),
        ]
