# SPDX-License-Identifier: BSD-2-Clause
"""Store-and-forward buffer of packets in block RAM: a packet leaves only after it has been committed.

::

    sink ─► memory ─► queue of four ─► source
              ▲
        commit, drop: what to do with the packet whose last word was taken

The receive side needs the buffer because a frame's check sequence comes last. The transmit side needs it because a
frame, once begun, must continue at line rate.

Handshake: `sink` takes one word a cycle and never waits within a packet. If there is no room for a word, the word is
lost, and its packet is dropped even if `commit` is given. After a word with `last`, `deciding` is 1 and `sink` waits
for `commit` or `drop`. `source` uses valid and ready, at one word a cycle within and between packets. Latency: 3 cycles
from `commit` to `source.valid`.
"""

from litex.soc.interconnect import stream
from migen import READ_FIRST, Cat, If, Memory, Module, Signal

from ...memory import without_collisions
from .. import WORD_BITS, WORD_BYTES

# In the last word of a packet, the bit of `last_be` for the packet's last byte is 1. All other bits are 0.
PACKET_LAYOUT = [("data", WORD_BITS), ("last_be", WORD_BYTES)]


class PacketBuffer(Module):
    """A buffer that stores each packet completely before it forwards it.

    Parameters
    ----------
    depth : int
        Size in words, a power of two.

    Attributes
    ----------
    sink, source : stream.Endpoint, data(32), last_be(4)
        Words in and out, with `last`.
    deciding : Signal(), out
        A whole packet has been taken and waits for the decision.
    commit, drop : Signal(), in
        Pulse while `deciding`: send the packet, or drop it.
    overflow : Signal(), out
        With `deciding`: the packet did not fit and will be dropped.

    Raises
    ------
    ValueError
        The depth is not a power of two.
    """

    def __init__(self, *, depth: int):
        if depth < 2 or depth & (depth - 1):
            raise ValueError(f"depth is {depth}; give a power of two")
        self.sink = stream.Endpoint(PACKET_LAYOUT)
        self.source = stream.Endpoint(PACKET_LAYOUT)
        self.deciding = Signal()
        self.commit = Signal()
        self.drop = Signal()
        self.overflow = Signal()

        # # #

        address_bits = depth.bit_length() - 1
        written, committed, fetched = (Signal(address_bits + 1) for _ in range(3))
        # No word is read while it is written: only words that were committed in an earlier cycle are read, and no word
        # is written while the memory is full.
        memory = without_collisions(Memory(WORD_BITS + WORD_BYTES, depth, name="packet_words"))
        write_port = memory.get_port(write_capable=True, mode=READ_FIRST)
        read_port = memory.get_port(has_re=True, mode=READ_FIRST)
        self.specials += memory, write_port, read_port

        # Write side.
        take, full = Signal(), Signal()
        self.comb += [
            self.sink.ready.eq(~self.deciding),
            take.eq(self.sink.valid & self.sink.ready),
            full.eq((written ^ fetched) == depth),
            write_port.adr.eq(written[:address_bits]),
            write_port.dat_w.eq(Cat(self.sink.data, self.sink.last_be)),
            write_port.we.eq(take & ~full),
        ]
        self.sync += [
            If(
                take,
                If(full, self.overflow.eq(1)).Else(written.eq(written + 1)),
                self.deciding.eq(self.sink.last),
            ),
            If(
                self.deciding & (self.commit | self.drop),
                self.deciding.eq(0),
                self.overflow.eq(0),
                If(self.drop | self.overflow, written.eq(committed)).Else(committed.eq(written)),
            ),
        ]

        # Read side.
        fetch = Signal()
        fetched_valid = Signal()
        # LiteEth passes `ready` combinationally through all layers of its stack. The queue ends this path, because the
        # queue's own `ready` depends only on registers.
        self.submodules.queue = queue = stream.SyncFIFO(PACKET_LAYOUT, 4)
        self.comb += [
            fetch.eq((fetched != committed) & (~fetched_valid | queue.sink.ready)),
            read_port.adr.eq(fetched[:address_bits]),
            read_port.re.eq(fetch),
            queue.sink.valid.eq(fetched_valid),
            Cat(queue.sink.data, queue.sink.last_be).eq(read_port.dat_r),
            queue.sink.last.eq(read_port.dat_r[WORD_BITS:] != 0),
            queue.source.connect(self.source),
        ]
        self.sync += [
            If(queue.sink.ready, fetched_valid.eq(0)),
            If(fetch, fetched.eq(fetched + 1), fetched_valid.eq(1)),
        ]
