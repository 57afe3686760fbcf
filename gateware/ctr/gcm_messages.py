# SPDX-License-Identifier: BSD-2-Clause
"""Requests keystream and GHASH subkeys for GCM messages from the CTR service.

::

    message ─► waits for its subkey ─► request ─┬─► (CTR service) ─► keystream ─┬─► subkey: to its memory
               subkey of a new key ─► request ──┘      order ───────────────────┴─► text

A message with an IV of 96 bits asks for its keystream here, as soon as the messages before it have asked. So its
keystream is computed while the message before it is hashed. The initial counter block J0 is IV || 0^31 1 (SP 800-38D,
7.1). For any other IV, the mode hashes the IV first and gives J0 (`late`). The first block of a message's keystream is
the encrypted J0, the mask of its tag. The others encrypt its text.

A message is refused if its tag has a length that SP 800-38D (5.2.1.2) does not list, if it is too long, or if its
subkey is missing. A refused message asks for its mask only, and its text is not encrypted. The same holds for a message
that is only verified (`verify`, with `decrypt`).
"""

from litex.soc.interconnect import stream
from migen import Array, Case, Cat, Constant, If, Module, Mux, ResetInserter, Signal

from ..aes.standard import BLOCK_BITS
from ..gcm.subkeys import Subkeys
from .client import Port
from .counter import WIDTH_32

LENGTH_BITS = 32
BLOCKS_BITS = LENGTH_BITS - 3
IV_BITS = 96
IV_BYTES = IV_BITS // 8
TAG_BYTES = (4, 8, 12, 13, 14, 15, 16)
# Maximum number of blocks in a text: SP 800-38D (5.2.1.1) allows 2^39 - 256 bits.
MOST_BLOCKS = 2**32 - 2
REQUESTS = 4


def gcm_layout(slot_bits: int) -> list[tuple[str, int]]:
    """Fields of a message: key slot, direction, `verify` (do not output text), an IV of 12 bytes, lengths in bytes."""
    return [
        ("slot", slot_bits),
        ("decrypt", 1),
        ("verify", 1),
        ("iv", IV_BITS),
        ("iv_length", LENGTH_BITS),
        ("aad_length", LENGTH_BITS),
        ("text_length", LENGTH_BITS),
        ("tag_length", 5),
    ]


def blocks_of(length: Signal):
    """Return the number of 16-byte blocks that a number of bytes needs."""
    return length[4:] + (length[:4] != 0)


class GCMMessages(Module):
    """Requests keystream and subkeys from the CTR service.

    Parameters
    ----------
    port : Port
        A port of the service, for this mode only.
    most_held : int
        Most blocks of text of a message to decrypt.

    Attributes
    ----------
    message : stream.Endpoint, see `gcm_layout`, in
        Messages.
    job : stream.Endpoint, see `gcm_layout`, with refused, out
        The messages, after their requests.
    late : stream.Endpoint, initial(128), in
        J0 of a job whose IV has not 12 bytes: asks for its keystream now. No later message asks before it.
    keystream : stream.Endpoint, data(128), error, last, out
        Keystream of the jobs.
    slot, subkey, held, ended, ended_slot
        See `gateware.gcm.subkeys.Subkeys`.
    flush, clear : Signal(), in
        Drop everything; zeroize the subkeys too.
    """

    def __init__(self, *, port: Port, most_held: int):
        slot_bits = len(port.request.slot)
        layout = gcm_layout(slot_bits)
        self.message = message = stream.Endpoint(layout)
        self.job = job = stream.Endpoint([*layout, ("refused", 1)])
        self.late = late = stream.Endpoint([("initial", BLOCK_BITS)])
        self.keystream = stream.Endpoint([("data", BLOCK_BITS), ("error", 1)])
        self.flush = Signal()
        self.clear = Signal()
        self.submodules.subkeys = subkeys = Subkeys(port.client.slots)
        self.slot, self.subkey, self.held = subkeys.slot, subkeys.subkey, subkeys.held
        self.ended, self.ended_slot = subkeys.ended, subkeys.ended_slot

        # # #

        slots = range(port.client.slots)
        drop = Signal()
        usable, held = Array([port.keys.usable[n] for n in slots]), Array([subkeys.held[n] for n in slots])
        self.comb += [
            drop.eq(self.flush | self.clear),
            subkeys.usable.eq(port.keys.usable),
            subkeys.used.eq(port.keys.used),
            subkeys.flush.eq(self.flush),
            subkeys.clear.eq(self.clear),
        ]

        # The register `waiting` stores a message until the message is sent as a job. If the message's slot has a key,
        # the message also waits until the slot has a subkey.

        # 1: the message in `waiting` can be sent as a job. With an IV of 96 bits, the message's keystream was already
        # requested. With an IV of another length, the keystream will be requested later, through `late`.
        asked = Signal()
        owed = Signal()  # 1: a job was sent without its keystream, which must still be requested through `late`
        owed_blocks, owed_slot = Signal(BLOCKS_BITS), Signal(slot_bits)
        blocks = Signal(BLOCKS_BITS)
        short_iv = Signal()  # 1: the IV has 96 bits
        refuses, tag_fits, too_long = Signal(), Signal(), Signal()
        most = min(MOST_BLOCKS, 2**port.client.count_bits - 2)
        self.comb += [
            Case(message.tag_length, {**{n: tag_fits.eq(1) for n in TAG_BYTES}, "default": []}),
            too_long.eq(
                (blocks_of(message.text_length) > most)
                | (message.decrypt & ~message.verify & (blocks_of(message.text_length) > most_held))
                | (message.iv_length == 0)
            ),
            refuses.eq(too_long | ~tag_fits),
        ]
        waiting = stream.Endpoint([*layout, ("refused", 1)])
        fields = [name for name, _ in layout]
        self.comb += [
            blocks.eq(Mux(waiting.refused | waiting.verify, 0, blocks_of(waiting.text_length))),
            short_iv.eq(waiting.iv_length == IV_BYTES),
            *[getattr(job, name).eq(getattr(waiting, name)) for name in [*fields, "refused"]],
            job.valid.eq(waiting.valid & asked),
            message.ready.eq(~waiting.valid | (job.valid & job.ready)),
        ]
        known = Signal()  # 1: the slot of the waiting message has a subkey, or has no key
        self.comb += known.eq(held[waiting.slot] | ~usable[waiting.slot])
        self.sync += [
            If(job.valid & job.ready, waiting.valid.eq(0), asked.eq(0)),
            If(
                message.valid & message.ready,
                waiting.valid.eq(1),
                *[getattr(waiting, name).eq(getattr(message, name)) for name in fields],
                waiting.refused.eq(refuses),
            ),
        ]

        # Requests to the CTR service. Requests for subkeys have priority. For each request, the queue `order` stores
        # whether the answer is a subkey or keystream.
        order = ResetInserter()(stream.SyncFIFO([("subkey", 1), ("blocks", BLOCKS_BITS)], REQUESTS))
        self.submodules.order = order
        request = port.request
        own = Signal()  # 1: the waiting message requests keystream
        wants, given = Signal(), Signal()
        self.comb += [
            order.reset.eq(drop),
            own.eq(waiting.valid & ~asked & ~owed & known & short_iv & ~subkeys.request.valid & ~late.valid),
            wants.eq(subkeys.request.valid | late.valid | own),
            request.valid.eq(wants & order.sink.ready & ~drop),
            given.eq(request.valid & request.ready),
            order.sink.valid.eq(given),
            order.sink.subkey.eq(subkeys.request.valid),
            subkeys.request.ready.eq(given),
            late.ready.eq(given & ~subkeys.request.valid),
            request.width.eq(WIDTH_32),
            request.count.eq(order.sink.blocks + 1),
            If(
                subkeys.request.valid,
                request.slot.eq(subkeys.request.slot),
            )
            .Elif(
                late.valid,
                request.initial.eq(late.initial),
                request.slot.eq(owed_slot),
                order.sink.blocks.eq(owed_blocks),
            )
            .Else(
                request.initial.eq(Cat(waiting.iv, Constant(1 << 24, BLOCK_BITS - IV_BITS))),
                request.slot.eq(waiting.slot),
                order.sink.blocks.eq(blocks),
            ),
        ]
        self.sync += [
            If(own & given, asked.eq(1)),
            If(waiting.valid & ~asked & ~owed & known & ~short_iv, asked.eq(1)),
            If(job.valid & job.ready & ~short_iv, owed.eq(1), owed_blocks.eq(blocks), owed_slot.eq(waiting.slot)),
            If(late.valid & late.ready, owed.eq(0)),
            If(drop, waiting.valid.eq(0), asked.eq(0), owed.eq(0)),
        ]

        # Answers.
        answer, left = port.keystream, Signal(BLOCKS_BITS)
        begun, step = Signal(), Signal()
        last = Signal()
        self.comb += [
            last.eq(Mux(begun, left == 1, order.source.blocks == 0)),
            subkeys.answer.valid.eq(answer.valid & order.source.valid & order.source.subkey),
            self.keystream.valid.eq(answer.valid & order.source.valid & ~order.source.subkey),
            self.keystream.last.eq(last),
            subkeys.answer.data.eq(answer.data),
            subkeys.answer.error.eq(answer.error),
            self.keystream.data.eq(answer.data),
            self.keystream.error.eq(answer.error),
            answer.ready.eq(order.source.valid & (order.source.subkey | self.keystream.ready)),
            step.eq(self.keystream.valid & self.keystream.ready),
            order.source.ready.eq(subkeys.answer.valid | (step & last)),
        ]
        self.sync += [
            If(step, begun.eq(~last), left.eq(Mux(begun, left - 1, order.source.blocks))),
            If(drop, begun.eq(0)),
        ]
