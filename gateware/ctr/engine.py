"""CTR mode (SP 800-38A, 6.5) as a stream: data xor keystream, block by block, message after message.

::

    message ─► counter blocks, with their slot ─► AES core ─► keystream ─┐
                                                                        (xor, masked) ─► source
    sink ────────────────────────────────────────────────────────────────┘

A block's `mask` has one bit for each byte that counts, and `bits` says how many bits of the last of them do,
the most significant first (0: all 8), for messages of any length in bits as those of 128-EEA2. What does not count
leaves as zero, so that no keystream shows in it. Encryption and decryption are the same.

Byte order: that of `gateware.aes`. Throughput: the core's, also across messages of different slots. Latency: 3 cycles
plus the core's from an accepted message to the first keystream block, and none (combinational) from `sink` to
`source` once it is there. Handshake: valid and ready everywhere. A message of n blocks takes exactly n counter
blocks, so that nothing is left of it in the core afterwards.
"""

from litex.soc.interconnect import stream
from migen import Cat, If, Module, Replicate, Signal

from gateware.aes.standard import BLOCK_BITS, BLOCK_BYTES
from gateware.ctr.counter import CounterBlocks

BLOCK_LAYOUT = [("data", BLOCK_BITS), ("mask", BLOCK_BYTES), ("bits", 3)]


class CTREngine(Module):
    """An AES core with its counter, in CTR mode.

    Parameters
    ----------
    core : Module
        A core of `gateware.aes.cores`, not yet a submodule.
    count_bits : int
        Size of a message's `count`.

    Attributes
    ----------
    message : stream.Endpoint, in
        A message; see `CounterBlocks`. If its slot's key is replaced before its last block has left, its last blocks
        may be under the new one.
    sink, source : stream.Endpoint, data(128), mask(16), bits(3)
        Blocks in and out; `first` and `last` pass through. `bits` counts in a block with `last`.
    error : Signal(), out
        With a block at `source`: its slot held no key when the core took its counter block; it leaves as zeros.
    flush : Signal(), in
        Drop every message and block.
    core : Module
        The core, with its key port.
    """

    def __init__(self, *, core, count_bits: int = 29):
        self.sink = stream.Endpoint(BLOCK_LAYOUT)
        self.source = stream.Endpoint(BLOCK_LAYOUT)
        self.submodules.counter = counter = CounterBlocks(count_bits=count_bits, slot_bits=len(core.sink.slot))
        self.submodules.core = core
        self.message = counter.message
        self.error = Signal()
        self.flush = Signal()

        # # #

        sink, source = self.sink, self.source
        last_byte = Signal(8)  # of the bits of the last byte, those that count
        count = Signal(128)
        self.comb += [
            counter.flush.eq(self.flush),
            core.flush.eq(self.flush),
            counter.source.connect(core.sink, omit={"first", "last"}),
            source.valid.eq(sink.valid & core.source.valid),
            sink.ready.eq(source.ready & core.source.valid),
            core.source.ready.eq(source.ready & sink.valid),
            sink.connect(source, keep={"first", "last", "mask", "bits"}),
            *[last_byte[7 - n].eq((sink.bits == 0) | (sink.bits > n) | ~sink.last) for n in range(8)],
            self.error.eq(core.source.error),
            If(~self.error, source.data.eq((sink.data ^ core.source.data) & count)),
        ]
        following = Cat(sink.mask[1:], 0)
        for i in range(BLOCK_BYTES):
            byte = count[8 * i : 8 * i + 8]
            self.comb += If(following[i], byte.eq(0xFF)).Else(byte.eq(last_byte & Replicate(sink.mask[i], 8)))
