"""AES-CTR (SP 800-38A, 6.5) on a stream of packets, word by word.

::

    sink ─┬─ first word: slot, T1, index, length ─► counter blocks ─► AES core ─► keystream
          └─ words ─► queue ───────────────────────────────────────────────────────(xor)──► source

The queue holds what comes while the core is on its way to the first keystream block, so that short packets follow
each other at the rate of the core. A packet takes exactly as many counter blocks as it has blocks; whatever follows it
begins with a block of its own.

Counter blocks count modulo 2^128, big-endian: byte 15 is the least significant. Throughput: a word a cycle, or what
the core gives, also across packets of different keys. Latency: 4 cycles and the core's. Handshake: valid and ready.
"""

from litex.soc.interconnect import stream
from migen import Array, Cat, If, Module, Mux, Signal

from gateware.aes.standard import BLOCK_BITS
from gateware.aes.transforms import byte_list
from gateware.net import WORD_BITS
from gateware.net.record_receiver import packet_layout

QUEUE_WORDS = 64
BLOCK_WORDS = BLOCK_BITS // WORD_BITS


class PacketEngine(Module):
    """Encrypts and decrypts packets.

    Parameters
    ----------
    core : Module
        A core of `gateware.aes.cores`, not yet a submodule.

    Attributes
    ----------
    sink : stream.Endpoint, see `packet_layout`, in
        Words of packets of at least one byte; the parameters are taken with the first word.
    source : stream.Endpoint, data(32), out
        As many words; those beyond a packet's length are undefined.
    core : Module
        The core, with its key port.
    """

    def __init__(self, *, core):
        self.submodules.core = core
        self.sink = sink = stream.Endpoint(packet_layout(len(core.sink.slot)))
        self.source = source = stream.Endpoint([("data", WORD_BITS)])

        # # #

        # Counter blocks.
        counter = Signal(BLOCK_BITS)  # as a number
        beyond = Signal((13, True), reset=-1)  # blocks to come after this one; negative: none
        announced = Signal()  # the packet at `sink` has been given to the counter
        start = Signal()
        self.comb += [
            start.eq(sink.valid & ~announced & (beyond[-1] | (core.sink.ready & (beyond == 0)))),
            core.sink.valid.eq(~beyond[-1]),
            core.sink.data.eq(Cat(*reversed(byte_list(counter)))),
        ]
        initial = Cat(*reversed(byte_list(sink.initial)))
        self.sync += [
            If(core.sink.valid & core.sink.ready, beyond.eq(beyond - 1)),
            If(
                start | (core.sink.valid & core.sink.ready),
                counter.eq(Mux(start, initial, counter) + Mux(start, sink.index, 1)),
            ),
            If(
                start,
                core.sink.slot.eq(sink.slot),
                beyond.eq((sink.length - 1)[4:]),
                announced.eq(1),
            ),
            If(sink.valid & sink.ready & sink.last, announced.eq(0)),
        ]

        # Words.
        self.submodules.queue = queue = stream.SyncFIFO([("data", WORD_BITS)], QUEUE_WORDS)
        word = Signal(max=BLOCK_WORDS)
        keystream = [core.source.data[WORD_BITS * n : WORD_BITS * (n + 1)] for n in range(BLOCK_WORDS)]
        done = Signal()
        self.comb += [
            queue.sink.valid.eq(sink.valid & announced),
            sink.ready.eq(queue.sink.ready & announced),
            queue.sink.data.eq(sink.data),
            queue.sink.last.eq(sink.last),
            source.valid.eq(queue.source.valid & core.source.valid),
            source.data.eq(queue.source.data ^ Array(keystream)[word]),
            source.last.eq(queue.source.last),
            queue.source.ready.eq(source.ready & core.source.valid),
            done.eq((word == BLOCK_WORDS - 1) | source.last),
            core.source.ready.eq(source.valid & source.ready & done),
        ]
        self.sync += If(source.valid & source.ready, word.eq(Mux(done, 0, word + 1)))
