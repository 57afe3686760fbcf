"""CTR mode (SP 800-38A, 6.5) as a stream: data xor keystream, block by block.

::

    start, initial, index ─► counter blocks ─► AES core ─► keystream ─┐
                                                                     (xor, masked) ─► source
    sink ─────────────────────────────────────────────────────────────┘

A block's `mask` has one bit for each byte that counts. The bytes of a partial last block that do not
count leave as zero, so that no keystream shows in them. Encryption and decryption are the same.

Byte order: that of `gateware.aes`. Throughput: the core's. Latency: 4 cycles plus the core's from `start`
to the first keystream block, and none (combinational) from `sink` to `source` once it is there.
Handshake: valid and ready on `sink` and `source`. A message of n blocks takes exactly n counter blocks,
so that nothing is left of it in the core afterwards.
"""

from litex.soc.interconnect import stream
from migen import Cat, Module, Replicate, Signal

from gateware.aes.iterative import BLOCK_BITS, IterativeCore
from gateware.ctr.counter import CounterBlocks

BLOCK_BYTES = BLOCK_BITS // 8


class CTREngine(Module):
    """An AES core with its counter, in CTR mode.

    Parameters
    ----------
    core : Module
        A core with the ports of `IterativeCore`; by default a new one.
    count_bits : int
        Size of `count`.

    Attributes
    ----------
    sink, source : stream.Endpoint, data(128), mask(16)
        Blocks in and out; `first` and `last` pass through.
    start, initial, index, count, enable
        The message; see `CounterBlocks`.
    flush : Signal(), in
        End the message and drop its blocks in the core.
    core : Module
        The core, with its key port.
    """

    def __init__(self, *, core=None, count_bits: int = 29):
        layout = [("data", BLOCK_BITS), ("mask", BLOCK_BYTES)]
        self.sink = stream.Endpoint(layout)
        self.source = stream.Endpoint(layout)
        self.submodules.counter = counter = CounterBlocks(count_bits=count_bits)
        self.submodules.core = core = core or IterativeCore()
        self.start, self.initial, self.index = counter.start, counter.initial, counter.index
        self.count, self.enable = counter.count, counter.enable
        self.flush = Signal()

        # # #

        self.comb += [
            counter.flush.eq(self.flush),
            core.flush.eq(self.flush),
            counter.source.connect(core.sink),
            self.source.valid.eq(self.sink.valid & core.source.valid),
            self.sink.ready.eq(self.source.ready & core.source.valid),
            core.source.ready.eq(self.source.ready & self.sink.valid),
            self.source.first.eq(self.sink.first),
            self.source.last.eq(self.sink.last),
            self.source.mask.eq(self.sink.mask),
            self.source.data.eq(
                (self.sink.data ^ core.source.data) & Cat(*[Replicate(bit, 8) for bit in self.sink.mask])
            ),
        ]
