# SPDX-License-Identifier: BSD-2-Clause
"""Holds back the text of a message until the message's tag is verified, as SP 800-38D, 7.2, requires.

::

    sink ─► rows ─► fetched ─► register ─► source
             │ committed rows only
             └─ accept: commit; reject: zeroize from the end to the last committed row

A block that needs no verdict is committed when it is written. Blocks with `held` wait for `accept` or `reject`. After
`reject`, a row is zeroized each cycle, and nothing of these blocks ever leaves. No further block is taken while a
verdict is awaited (`wait`) or rows are zeroized. `clear` drops all blocks and zeroizes all rows, a row a cycle.

Latency: 3 cycles from `sink` to `source` without verdict. Throughput: a block a cycle. Handshake: valid and ready.
"""

from litex.soc.interconnect import stream
from migen import READ_FIRST, Cat, If, Memory, Module, Mux, Signal, bits_for

from ..aes.standard import BLOCK_BITS, BLOCK_BYTES
from ..memory import block_ram

HOLD_LAYOUT = [("data", BLOCK_BITS), ("mask", BLOCK_BYTES), ("final", 1)]


class Hold(Module):
    """Stores the blocks of a message's text until a verdict (accept or reject) on the message's tag arrives.

    Parameters
    ----------
    depth : int
        Blocks of the longest message that is held, a power of two.

    Attributes
    ----------
    sink : stream.Endpoint, data(128), mask(16), final, in
        Blocks.
    held : Signal(), in
        With a block at `sink`: it needs a verdict. Other blocks are not taken before the verdict.
    wait : Signal(), in
        A verdict is awaited: take no block.
    accept, reject : Signal(), in
        Pulse: the verdict on all blocks that were held.
    source : stream.Endpoint, data(128), mask(16), final, out
        Committed blocks, in order.
    clear : Signal(), in
        Drop and zeroize everything.
    busy : Signal(), out
        Rows are being zeroized.
    """

    def __init__(self, depth: int):
        if depth < 2 or depth & (depth - 1):
            raise ValueError(f"depth is {depth}; give a power of two, at least 2")
        self.sink = sink = stream.Endpoint(HOLD_LAYOUT)
        self.held = Signal()
        self.wait = Signal()
        self.accept = Signal()
        self.reject = Signal()
        self.source = source = stream.Endpoint(HOLD_LAYOUT)
        self.clear = Signal()
        self.busy = Signal()

        # # #

        bits = bits_for(depth - 1)
        stored = Signal(max=depth + 1)  # number of rows with a block that has not been read
        uncommitted = Signal(max=depth + 1)  # number of stored rows that wait for the verdict on a tag
        write, read = Signal(bits, name="row_written"), Signal(bits, name="row_read")  # next
        # `erasing` is 1 while uncommitted rows are zeroized, `zeroizing` is 1 while all rows are zeroized.
        erasing, zeroizing = Signal(name="erasing"), Signal(name="zeroizing")
        take, erase, step = Signal(), Signal(), Signal()
        fetched = Signal()
        step_fetched, step_source = Signal(), Signal()
        self.comb += [
            self.busy.eq(erasing | zeroizing),
            sink.ready.eq(
                ~stored[-1]
                & (self.held | (uncommitted == 0))  # no committed row may follow an uncommitted row
                & ~(self.wait | self.busy | self.accept | self.reject)
            ),
            take.eq(sink.valid & sink.ready),
            erase.eq(erasing & (uncommitted != 0)),
            step_source.eq(~source.valid | source.ready),
            step_fetched.eq(~fetched | step_source),
            step.eq((stored != uncommitted) & step_fetched & ~zeroizing),
        ]
        self.sync += [
            stored.eq(stored + take - erase - step),
            If(take & self.held, uncommitted.eq(uncommitted + 1)),
            If(take, write.eq(write + 1)),
            If(erase, write.eq(write - 1), uncommitted.eq(uncommitted - 1)),
            # An `accept` while `erasing` is 1 belongs to a later message, which has no rows yet.
            If(self.accept & ~erasing, uncommitted.eq(0)),
            If(self.reject & (uncommitted != 0), erasing.eq(1)),
            If(erasing & (uncommitted[1:] == 0), erasing.eq(0)),
            If(step, read.eq(read + 1)),
            If(zeroizing, write.eq(write + 1), If(write == depth - 1, zeroizing.eq(0))),
        ]

        # No row is read and written in the same cycle: a row is read only after the cycle in which it was written.
        # Uncommitted rows can be zeroized, but are never read. All rows are zeroized only while no row is read.
        memory = block_ram(Memory(BLOCK_BITS + BLOCK_BYTES + 1, depth, name="held_text"))
        write_port = memory.get_port(write_capable=True, mode=READ_FIRST)
        read_port = memory.get_port(mode=READ_FIRST, has_re=True)
        self.specials += memory, write_port, read_port
        row = Cat(sink.data, sink.mask, sink.final)
        self.comb += [
            write_port.adr.eq(Mux(erase, write - 1, write)),
            If(~self.busy, write_port.dat_w.eq(row)),
            write_port.we.eq(take | erase | zeroizing),
            read_port.adr.eq(read),
            read_port.re.eq(step_fetched),
        ]
        self.sync += [
            If(step_fetched, fetched.eq(step)),
            If(step_source, source.valid.eq(fetched)),
            If(step_source & fetched, Cat(source.data, source.mask, source.final).eq(read_port.dat_r)),
            If(
                self.clear,
                *[signal.eq(0) for signal in (stored, uncommitted, write, read, erasing, fetched, source.valid)],
                source.data.eq(0),
                zeroizing.eq(1),
            ),
        ]

        # Signals that the formal proofs observe.
        self.control = {"stored": stored, "uncommitted": uncommitted, "write": write, "read": read, "step": step}
        self.control |= {"erasing": erasing, "erase": erase, "zeroizing": zeroizing}


class NoHold(Module):
    """Replaces `Hold` for clients that hold text themselves: same interface, but each block passes at once."""

    def __init__(self):
        self.sink = self.source = stream.Endpoint(HOLD_LAYOUT)
        self.held, self.wait, self.accept, self.reject = Signal(), Signal(), Signal(), Signal()
        self.clear, self.busy = Signal(), Signal()
