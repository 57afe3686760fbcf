# SPDX-License-Identifier: BSD-2-Clause
"""CTR mode for packets, which are streams of 32-bit words as in an Ethernet stack.

::

    message ─┬─► (CTR service) ─► keystream, 128 bits ─► words ──────────────┐
             └─► blocks of each packet, in order ──► (which block) ──────────┤
    sink ────────────────────────────────────────────────────────────────── (xor) ─► source

Each packet has a `message`: initial counter block, index, width, slot and length in bytes. It arrives before or during
its packet. Keystream for later packets is prepared meanwhile. Words, `first`, `last` and `last_be` pass unchanged.
`last_be` has one bit for each byte and marks the last byte in a packet's last word. Bytes after the last one leave as
0.

A word without keystream leaves as 0, with `error`, never in the clear. This happens after the length that the message
gave, in a block whose slot held no key when the core took it, and in a packet that was flushed. Keystream that a
shorter packet leaves over is dropped, a block a cycle. None of this stops the stream.

Byte order: byte i of a word is bits 8*i+7 : 8*i. The first byte of the packet is in bits 7:0 of its first word.
Throughput: a word a cycle, if the core gives a block every 4 cycles. Latency: none (combinational) from `sink` to
`source` once the keystream is there. Handshake: valid and ready everywhere.
"""

from litex.soc.interconnect import stream
from migen import Array, Cat, If, Module, Replicate, ResetInserter, Signal

from ..aes.standard import BLOCK_BITS
from .client import Port
from .counter import INDEX_BITS, WIDTH_BITS

WORD_BITS = 32
WORDS = BLOCK_BITS // WORD_BITS
LENGTH_BITS = 16
BLOCKS_BITS = LENGTH_BITS - 3
# Depth of the queue `packets`. Each entry is a packet for which keystream was requested.
PACKETS = 4

WORD_LAYOUT = [("data", WORD_BITS), ("last_be", WORD_BITS // 8)]


class PacketCTR(Module):
    """Encrypts or decrypts packets in CTR mode.

    Parameters
    ----------
    port : Port
        A port of the service; its client's `count_bits` are `BLOCKS_BITS`.

    Attributes
    ----------
    message : stream.Endpoint, initial(128), index(64), width(2), slot, length(16), in
        How to process a packet: see `CounterBlocks`, and the packet's length in bytes. If the slot's key is replaced
        before the packet has left, its last blocks may use the new key. With a length of 0 nothing is encrypted: the
        packet leaves as zeros, with `error`. No message is taken in the cycle of `flush`, nor before the flushed
        packets have left.
    sink : stream.Endpoint, data(32), last_be(4), in
        Words of packets.
    source : stream.Endpoint, data(32), last_be(4), error, out
        Words of packets.
    flush : Signal(), in
        Drop every message and block. Packets that had a message leave the rest of their words as zeros, with `error`.
    """

    def __init__(self, *, port: Port):
        self.message = stream.Endpoint(
            [
                ("initial", BLOCK_BITS),
                ("index", INDEX_BITS),
                ("width", WIDTH_BITS),
                ("slot", len(port.request.slot)),
                ("length", LENGTH_BITS),
            ]
        )
        self.sink = stream.Endpoint(WORD_LAYOUT)
        self.source = stream.Endpoint([*WORD_LAYOUT, ("error", 1)])
        self.flush = port.flush
        packets = ResetInserter()(stream.SyncFIFO([("blocks", BLOCKS_BITS)], PACKETS))
        self.submodules.packets = packets

        # # #

        message, sink, source = self.message, self.sink, self.source
        request, block = port.request, port.keystream

        # Each message goes to the CTR service. In the same cycle, the queue `packets` stores the message's number of
        # blocks.
        blocks = Signal(BLOCKS_BITS)
        # number of packets that must leave as zeros, because `flush` dropped their keystream
        flushed = Signal(max=PACKETS + 2)
        take = Signal()
        self.comb += [
            take.eq(~self.flush & (flushed == 0)),
            blocks.eq(message.length[4:] + (message.length[:4] != 0)),
            message.connect(request, omit={"valid", "ready", "length"}),
            request.count.eq(blocks),
            request.valid.eq(message.valid & packets.sink.ready & take),
            packets.sink.valid.eq(message.valid & request.ready & take),
            packets.sink.blocks.eq(blocks),
            message.ready.eq(request.ready & packets.sink.ready & take),
            packets.reset.eq(self.flush),
        ]

        # The packet that is being processed. `left`: number of keystream blocks that this packet still needs. `word`:
        # position of the current word in its block of four words.
        known = Signal()  # 1: the packet's entry was read from the queue `packets`
        ended = Signal()  # 1: the packet's last word has left, and its unused keystream is being discarded
        left = Signal(BLOCKS_BITS)
        word = Signal(max=WORDS)
        last_word = Signal()
        step, block_done = Signal(), Signal()
        present = Signal()  # 1: more words of the packet must be processed
        keyless = Signal()  # 1: `flush` dropped the keystream of this word, or the packet is longer than its message
        # 1: all keystream of the packet is used or discarded, so the next entry of `packets` is read
        finished = Signal()
        keystream = Array([block.data[WORD_BITS * n : WORD_BITS * (n + 1)] for n in range(WORDS)])[word]
        counts = Signal(WORD_BITS // 8)  # mask of the bytes of the present word that belong to the packet
        for n in range(WORD_BITS // 8):
            self.comb += counts[n].eq(~sink.last | (sink.last_be[n:] != 0) | (sink.last_be == 0))
        self.comb += [
            present.eq(known & ~ended),
            keyless.eq((flushed != 0) | (left == 0)),
            finished.eq((ended | (step & sink.last)) & ((left == 0) | ((left == 1) & block_done))),
            packets.source.ready.eq(~known | finished),
            last_word.eq((word == WORDS - 1) | sink.last),
            source.error.eq(keyless | block.error),
            source.valid.eq(sink.valid & ((flushed != 0) | (present & (keyless | block.valid)))),
            sink.ready.eq(source.ready & ((flushed != 0) | (present & (keyless | block.valid)))),
            sink.connect(source, keep={"first", "last", "last_be"}),
            If(
                ~source.error,
                source.data.eq((sink.data ^ keystream) & Cat(*[Replicate(count, 8) for count in counts])),
            ),
            step.eq(source.valid & source.ready),
            block_done.eq((step & last_word & ~keyless) | (ended & block.valid)),
            block.ready.eq(block_done),
        ]
        self.sync += [
            If(step, word.eq(word + 1), If(last_word, word.eq(0))),
            If(block_done, left.eq(left - 1)),
            If(step & sink.last, ended.eq(1)),
            If(
                packets.source.ready,
                known.eq(packets.source.valid),
                ended.eq(0),
                left.eq(packets.source.blocks),
            ),
            If(step & sink.last & (flushed != 0), flushed.eq(flushed - 1)),
            If(
                self.flush,
                flushed.eq(flushed + packets.level + present - (step & sink.last)),
                known.eq(0),
                ended.eq(0),
                word.eq(0),
            ),
        ]
