# SPDX-License-Identifier: BSD-2-Clause
"""Converts between 128-bit words of memory and blocks of messages. Messages can start and end at any byte address.

::

    beats of the port ─► rotate by the source's offset ─┬─► held ──┐
                                                        └──────(select)─► blocks of the message     (Gather)

    blocks of the message ─► rotate by the destination's offset ─┬─► held ──┐
                                                                 └──────(select)─► beats, with sel  (Scatter)

A beat is 16 bytes at an address that is a multiple of 16. Byte i is at address + i (bits 8*i+7 : 8*i). With an offset
of s bytes, block k of the message consists of the last 16 - s bytes of beat k and the first s bytes of beat k + 1.

Throughput: a block or beat a cycle, also from one message to the next. A message that spans one beat more than it has
blocks takes one cycle more. Latency: 2 cycles. Handshake: valid and ready. `last` separates messages; the parameters of
a message are taken from `job` with its last item. `flush` drops everything.
"""

from litex.soc.interconnect import stream
from migen import Cat, If, Module, Mux, Replicate, Signal

from ..aes.standard import BLOCK_BITS, BLOCK_BYTES
from ..aes.transforms import byte_list
from ..ctr.blocks import BLOCK_LAYOUT

OFFSET_BITS = 4
ALL_BYTES = 2**BLOCK_BYTES - 1


def _rotated(block: Signal, offset: Signal, step: int) -> Cat:
    """Return a rotated block: its byte i is byte (i + step * offset) mod 16 of `block`. `step` is 1 or -1."""
    lanes = byte_list(block)
    for k in (3, 2, 1, 0):
        move = step * 2**k
        lanes = [Mux(offset[k], lanes[(i + move) % BLOCK_BYTES], lanes[i]) for i in range(BLOCK_BYTES)]
    return Cat(*lanes)


class Gather(Module):
    """Makes the blocks of messages from beats (128-bit words) that were read from memory.

    Attributes
    ----------
    sink : stream.Endpoint, data(128), failed, in
        Beats. `last` marks the last beat of a message; `failed` marks a beat that could not be read.
    job : stream.Endpoint, offset(4), extra, tail(4), bits(3), in
        A message: bytes before it in its first beat; whether it has one beat more than blocks; bytes of its last block
        (0: all 16); bits of its last byte (0: all 8).
    source : stream.Endpoint, data(128), mask(16), bits(3), out
        Blocks. Each bit of `mask` marks a byte that belongs to the message and could be read. `bits` is 0 except in the
        last block.
    flush : Signal(), in
    """

    def __init__(self):
        self.sink = stream.Endpoint([("data", BLOCK_BITS), ("failed", 1)])
        self.job = stream.Endpoint([("offset", OFFSET_BITS), ("extra", 1), ("tail", OFFSET_BITS), ("bits", 3)])
        self.source = stream.Endpoint(BLOCK_LAYOUT)
        self.flush = Signal()

        # # #

        sink, job, source = self.sink, self.job, self.source

        # A register for the rotated beat and the parameters of its message.
        beat = stream.Endpoint([("data", BLOCK_BITS), ("failed", 1), *job.description.payload_layout])
        self.comb += [
            sink.ready.eq(job.valid & (~beat.valid | beat.ready)),
            job.ready.eq(sink.valid & sink.ready & sink.last),
        ]
        self.sync += [
            If(
                ~beat.valid | beat.ready,
                beat.valid.eq(sink.valid & job.valid),
                beat.last.eq(sink.last),
                beat.data.eq(_rotated(sink.data, job.offset, 1)),
                *[getattr(beat, name).eq(getattr(job, name)) for name in ("offset", "extra", "tail", "bits")],
                beat.failed.eq(sink.failed),
            ),
        ]

        # The previous beat.
        held = stream.Endpoint(beat.description.payload_layout)
        consumed = Signal()
        ends = Signal()  # 1: the last block of the message ends in this beat, and no block begins in this beat
        lanes = [
            Mux(held.offset < BLOCK_BYTES - i, *pair)
            for i, pair in enumerate(zip(byte_list(held.data), byte_list(beat.data), strict=True))
        ]
        self.comb += [
            ends.eq(beat.last & beat.extra),
            source.valid.eq(held.valid & (held.last | beat.valid)),
            source.last.eq(held.last | ends),
            source.data.eq(Cat(*lanes)),
            source.bits.eq(Mux(source.last, held.bits, 0)),
            *[
                source.mask[i].eq(
                    (~source.last | (held.tail == 0) | (held.tail > i)) & ~held.failed & (held.last | ~beat.failed)
                )
                for i in range(BLOCK_BYTES)
            ],
            consumed.eq(source.valid & source.ready),
            beat.ready.eq(~held.valid | consumed),
        ]
        self.sync += [
            If(consumed, held.valid.eq(0)),
            If(
                beat.valid & beat.ready,
                held.valid.eq(~ends),
                held.last.eq(beat.last),
                *[getattr(held, name).eq(getattr(beat, name)) for name, _ in beat.description.payload_layout],
            ),
            If(self.flush, beat.valid.eq(0), held.valid.eq(0)),
        ]


class Scatter(Module):
    """Makes beats (128-bit words), which will be written to memory, from the blocks of messages.

    Attributes
    ----------
    sink : stream.Endpoint, data(128), mask(16), bits(3), in
        Blocks. `last` marks the last block of a message; `mask` marks the bytes to write. `bits` is ignored.
    job : stream.Endpoint, offset(4), in
        A message: bytes before it in its first beat.
    source : stream.Endpoint, data(128), sel(16), empty, out
        Beats, with the bytes to write. A beat with no such byte is `empty`.
    flush : Signal(), in
    """

    def __init__(self):
        self.sink = stream.Endpoint(BLOCK_LAYOUT)
        self.job = stream.Endpoint([("offset", OFFSET_BITS)])
        self.source = stream.Endpoint([("data", BLOCK_BITS), ("sel", BLOCK_BYTES), ("empty", 1)])
        self.flush = Signal()

        # # #

        sink, job, source = self.sink, self.job, self.source

        # A register for the rotated block. `now` marks the bytes that belong to the present beat. `later` marks the
        # bytes that belong to the next beat.
        block = stream.Endpoint([("data", BLOCK_BITS), ("now", BLOCK_BYTES), ("later", BLOCK_BYTES)])
        self.comb += [
            sink.ready.eq(job.valid & (~block.valid | block.ready)),
            job.ready.eq(sink.valid & sink.ready & sink.last),
        ]
        self.sync += [
            If(
                ~block.valid | block.ready,
                block.valid.eq(sink.valid & job.valid),
                block.last.eq(sink.last),
                block.data.eq(_rotated(sink.data, job.offset, -1)),
                Cat(block.now, block.later).eq(sink.mask << job.offset),
            ),
        ]

        # `rest` stores the previous block. `rest_sel` marks the bytes of `rest` that belong to the present beat. If the
        # message has no further block, these bytes form one more beat.
        rest = Signal(BLOCK_BITS)
        rest_sel = Signal(BLOCK_BYTES)
        rest_last = Signal()
        more = Signal()
        self.comb += [
            more.eq(block.later != 0),
            source.valid.eq(rest_last | block.valid),
            source.last.eq(rest_last | (block.last & ~more)),
            source.data.eq(
                Cat(*[Mux(rest_sel[i], rest[8 * i : 8 * i + 8], block.data[8 * i : 8 * i + 8]) for i in range(16)])
            ),
            source.sel.eq(rest_sel | (block.now & Replicate(~rest_last, BLOCK_BYTES))),
            source.empty.eq(source.sel == 0),
            block.ready.eq(source.ready & ~rest_last),
        ]
        self.sync += [
            If(
                source.valid & source.ready,
                rest.eq(block.data),
                rest_sel.eq(block.later & Replicate(~rest_last, BLOCK_BYTES)),
                rest_last.eq(~rest_last & block.last & more),
            ),
            If(self.flush, block.valid.eq(0), rest_sel.eq(0), rest_last.eq(0)),
        ]
