# SPDX-License-Identifier: BSD-2-Clause
"""AES-GCM (SP 800-38D) for messages of 128-bit blocks: additional data, text and tag, one message after another.

::

    message ─► GCMMessages ─► (CTR service) ─► keystream ─┬─ mask of the tag ──────────┐
                                                          ▼                            ▼
    sink ─┬─ text ──────────────────────────────────────(xor)─► Hold ─► source     (XOR, compare) ─► result
          └─ IV, additional data, ciphertext ──► GHASH ────────────────────────────────┘

A message's blocks come in this order: its IV if it has not 12 bytes, its additional data, its text, and the tag of a
message to decrypt. Each of them starts a new block, and bytes after its end do not count. Its text leaves in as many
blocks, and its `result` comes. GMAC is a message without text.

**No plaintext leaves before its tag is verified.** `Hold` keeps the text of a message to decrypt until then. If the tag
is wrong, the text is zeroized instead, and `failures` counts the message. So a message to decrypt has at most `depth`
blocks of text. A longer one is verified first (`verify`): its text is hashed, and none leaves. Then the client decrypts
it in counter mode. The comparison takes the same time for each tag, right or wrong.

A client that holds whole messages anyway, as MACsec does, asks for no `Hold`. It takes the text at once, and must give
none of it away before the `result`.

Throughput: the service's, or a block of the hash's input each `cycles` cycles, whichever is lower, also across
messages. The keystream of a message is computed while the one before it is hashed. A message with another slot than the
one before it takes 17 cycles more, for the tables of GHASH. An IV of another length than 12 bytes takes the latency of
the service. Latency of `result`: at most 2 * `cycles` + 6 cycles after the last block. Handshake: valid and ready.

The client begins a use of the key before it gives a message, and ends it after the `result` (`KeyPort.begin`).
A message without a key ends with `error`, never with a wait. Its text leaves as zeros; a message to decrypt gives none.
"""

from litex.soc.interconnect import stream
from migen import FSM, Cat, If, Module, Mux, NextState, Replicate, ResetInserter, Signal

from ..aes.standard import BLOCK_BITS, BLOCK_BYTES
from ..aes.transforms import byte_list
from ..gcm.ghash import GHASH
from ..gcm.hold import Hold, NoHold
from .client import Port
from .gcm_messages import IV_BYTES, LENGTH_BITS, MOST_BLOCKS, GCMMessages, blocks_of

RESULT_LAYOUT = [("tag", BLOCK_BITS), ("failed", 1), ("error", 1)]
FAILURE_BITS = 16


class BlockGCM(Module):
    """Processes GCM messages: encrypts and authenticates them, or verifies and decrypts them.

    Parameters
    ----------
    port : Port
        A port of the service, for this mode only.
    cycles : int
        Cycles of a product of GHASH (`gateware.gcm.ghash.CYCLES`).
    depth : int
        Most blocks of text of a message to decrypt, a power of two. 0: the client holds text back until the `result`.
    portable : bool
        See `GHASH`.

    Attributes
    ----------
    depth : int
        As given.
    message : stream.Endpoint, in
        See `gateware.ctr.gcm_messages.gcm_layout`. `iv` counts if `iv_length` is 12. With `decrypt`, the first
        `tag_length` bytes of the tag are compared. `verify`, only with `decrypt`, gives no text.
    sink : stream.Endpoint, data(128), failed, in
        Blocks of messages. A block with `failed` could not be read: its message ends with `error`.
    source : stream.Endpoint, data(128), mask(16), final, out
        Blocks of text. `final` marks the last block of a message; bytes without `mask` are 0.
    result : stream.Endpoint, tag(128), failed, error, out
        One for each message, in order. The tag of an encrypted message, `tag_length` bytes, then zeros. `failed`: the
        tag was wrong. `error`: there was no key, a block could not be read, or the message was refused. With either, a
        message to decrypt gives no text.
    failures : Signal(16), out
        Messages with a wrong tag since reset, at most 65,535.
    flush : Signal(), in
        Drop every message, and zeroize held text.
    """

    def __init__(self, *, port: Port, cycles: int = 8, depth: int = 128, portable: bool = True):
        self.depth = depth
        self.submodules.messages = messages = GCMMessages(port=port, most_held=depth or MOST_BLOCKS)
        self.submodules.ghash = ghash = GHASH(cycles=cycles, portable=portable)
        self.submodules.hold = hold = Hold(depth) if depth else NoHold()
        self.message = messages.message
        self.sink = sink = stream.Endpoint([("data", BLOCK_BITS), ("failed", 1)])
        self.source = hold.source
        self.result = result = stream.Endpoint(RESULT_LAYOUT)
        self.failures = Signal(FAILURE_BITS)
        self.flush = Signal()

        # # #

        drop = Signal()
        clear = port.keys.flush
        job, keystream = messages.job, messages.keystream
        self.comb += [
            drop.eq(self.flush | clear),
            port.flush.eq(drop),
            messages.flush.eq(self.flush),
            messages.clear.eq(clear),
            ghash.flush.eq(self.flush),
            hold.clear.eq(drop),
        ]

        # State of the current message. A message consists of parts: IV, additional data and text. The blocks that
        # arrive belong to the current part.
        self.submodules.fsm = fsm = ResetInserter()(FSM(reset_state="IDLE"))
        self.comb += fsm.reset.eq(drop)
        message = stream.Endpoint(job.description)
        fields = [name for name, _ in job.description.payload_layout]
        # `error`: the message has failed; `missing`: the slot of the message has no GHASH subkey
        error, missing = Signal(), Signal()
        length = Signal(LENGTH_BITS)  # bytes of the part
        left = Signal(LENGTH_BITS - 3)  # number of blocks of the current part that have not arrived yet
        tail = Signal(4)  # number of bytes in the last block of the current part; 0 means 16
        begin_part, step = Signal(), Signal()
        self.comb += job.ready.eq(fsm.ongoing("IDLE"))
        self.sync += [
            If(job.valid & job.ready, *[getattr(message, name).eq(getattr(job, name)) for name in fields]),
            If(begin_part, left.eq(blocks_of(length)), tail.eq(length[:4])),
            If(step, left.eq(left - 1)),
        ]

        # The first keystream block of a message is the mask of the tag: the tag is the XOR of this mask and the GHASH
        # result.
        mask, masked = Signal(BLOCK_BITS), Signal()  # masked: `mask` is valid
        take_mask, last_of_message = Signal(), Signal()
        self.comb += take_mask.eq(keystream.valid & ~masked & ~fsm.ongoing("IDLE"))
        self.sync += [
            If(take_mask, masked.eq(1), mask.eq(keystream.data)),
            If(last_of_message | drop, masked.eq(0), mask.eq(0)),
        ]

        # Blocks. GHASH processes ciphertext: the output blocks of an encryption, or the input blocks of a decryption.
        counts = Signal(BLOCK_BYTES)
        given, text = Signal(BLOCK_BITS), Signal(BLOCK_BITS)
        is_text, is_part = Signal(), Signal()
        items = ResetInserter()(stream.Buffer([("data", BLOCK_BITS), ("final", 1)]))
        self.submodules.items = items
        moves = Signal()  # 1: the block is encrypted or decrypted; 0: GHASH only hashes it
        step_tag = Signal()  # 1: this unit accepts the tag that the client sent for verification
        self.comb += [
            *[counts[n].eq((left != 1) | (tail == 0) | (tail > n)) for n in range(BLOCK_BYTES)],
            given.eq(sink.data & Cat(*[Replicate(count, 8) for count in counts])),
            If(
                ~keystream.error & ~error & ~sink.failed,
                text.eq((sink.data ^ keystream.data) & Cat(*[Replicate(count, 8) for count in counts])),
            ),
            moves.eq(is_text & ~message.refused & ~message.verify),
            step.eq(
                is_part
                & (left != 0)
                & sink.valid
                & items.sink.ready
                & (~moves | (masked & keystream.valid & hold.sink.ready))
            ),
            sink.ready.eq(step | step_tag),
            keystream.ready.eq(take_mask | (step & moves)),
            hold.sink.valid.eq(step & moves),
            hold.sink.data.eq(text),
            hold.sink.mask.eq(counts & Replicate(~sink.failed, BLOCK_BYTES)),
            hold.sink.final.eq(left == 1),
            hold.held.eq(message.decrypt),
            items.reset.eq(drop),
            items.source.connect(ghash.sink),
        ]
        self.sync += [
            If(keystream.valid & keystream.ready & keystream.error, error.eq(1)),
            If(job.valid & job.ready, error.eq(job.refused)),
            If(missing | (step & sink.failed), error.eq(1)),
        ]

        awaited = Signal()  # 1: a tag is being computed

        # Load the subkey into GHASH if the message uses another slot than the previous message, or if the slot's
        # key was replaced.
        loaded, loaded_slot = Signal(), Signal(len(message.slot))
        right, load = Signal(), Signal()
        # `old`: GHASH's tables contain values from a key that was withdrawn, so the tables must be zeroized. `quiet`:
        # GHASH processes no message, so the tables can be zeroized.
        old, quiet = Signal(), Signal()
        here = Signal()
        self.comb += [
            here.eq((messages.held >> message.slot)[0]),
            messages.slot.eq(message.slot),
            right.eq(loaded & (loaded_slot == message.slot)),
            ghash.subkey.data.eq(messages.subkey),
            ghash.subkey.valid.eq(load),
            quiet.eq((fsm.ongoing("IDLE") | fsm.ongoing("SUBKEY")) & ~awaited & ~items.source.valid),
            ghash.clear.eq(clear | (old & quiet)),
        ]
        self.sync += [
            If(load & ghash.subkey.ready, loaded.eq(1), loaded_slot.eq(message.slot)),
            If(ghash.clear, loaded.eq(0), old.eq(0)),
            If(messages.ended & loaded & (messages.ended_slot == loaded_slot), loaded.eq(0), old.eq(1)),
        ]

        # The comparison of a tag. It takes one cycle for right and for wrong tags, so the time reveals nothing about
        # the tag.
        decrypt, failed_before = Signal(), Signal()
        tag_bytes = Signal(5)
        compared = Signal(BLOCK_BITS)
        verdict, wrong = Signal(), Signal()
        for n, byte in enumerate(byte_list(ghash.source.data)):
            self.comb += If(tag_bytes > n, compared[8 * n : 8 * n + 8].eq(byte))
        self.comb += [
            verdict.eq(awaited & ghash.source.valid & (~result.valid | result.ready)),
            wrong.eq(compared != 0),
            hold.wait.eq(awaited & decrypt),
            hold.accept.eq(verdict & decrypt & ~wrong & ~failed_before),
            hold.reject.eq(verdict & decrypt & (wrong | failed_before)),
        ]
        self.sync += [
            If(result.valid & result.ready, result.valid.eq(0)),
            If(
                verdict,
                awaited.eq(0),
                result.valid.eq(1),
                result.tag.eq(Mux(decrypt | failed_before, 0, compared)),
                result.failed.eq(decrypt & wrong & ~failed_before),
                result.error.eq(failed_before),
                If(
                    decrypt & wrong & ~failed_before & (self.failures != 2**FAILURE_BITS - 1),
                    self.failures.eq(self.failures + 1),
                ),
            ),
            If(
                last_of_message,
                awaited.eq(1),
                decrypt.eq(message.decrypt),
                failed_before.eq(error | (step_tag & sink.failed)),
                tag_bytes.eq(message.tag_length),
            ),
            If(drop, awaited.eq(0), result.valid.eq(0), result.tag.eq(0)),
        ]

        # Sequence.
        add = items.sink
        late = messages.late
        hashes_iv = message.iv_length != IV_BYTES
        self.comb += [
            add.data.eq(given),
            ghash.source.ready.eq(verdict | (late.valid & late.ready)),
            late.initial.eq(ghash.source.data),
        ]
        part = [is_part.eq(1), add.valid.eq(step)]
        fsm.act(  # the state IDLE waits for a message
            "IDLE",
            If(job.valid, NextState("SUBKEY")),
        )
        fsm.act(  # the state SUBKEY waits until GHASH has the key's subkey. A message without a key ends with `error`
            "SUBKEY",
            begin_part.eq(1),
            length.eq(Mux(hashes_iv, message.iv_length, message.aad_length)),
            missing.eq(~here),
            If(
                right | ~here,
                NextState("IV"),
                If(~hashes_iv, NextState("AAD")),
            ).Else(
                load.eq(~items.source.valid & ~old),
            ),
        )
        fsm.act(  # the state IV waits for the blocks of the IV
            "IV",
            *part,
            If(left == 0, NextState("IV_LENGTH")),
        )
        fsm.act(  # the state IV_LENGTH waits until GHASH accepts the block with the length of the IV
            "IV_LENGTH",
            add.valid.eq(1),
            add.data.eq(_lengths(None, message.iv_length)),
            If(add.ready, NextState("IV_END")),
        )
        fsm.act(  # the state IV_END waits until GHASH is ready and the tag of the previous message is complete
            "IV_END",
            add.valid.eq(~awaited),
            add.data.eq(0),
            add.final.eq(1),
            If(~awaited & add.ready, NextState("J0")),
        )
        fsm.act(  # the state J0 waits until GHASH has computed J0 and the CTR service has accepted J0
            "J0",
            begin_part.eq(1),
            length.eq(message.aad_length),
            late.valid.eq(ghash.source.valid),
            If(ghash.source.valid & late.ready, NextState("AAD")),
        )
        fsm.act(  # the state AAD waits for the blocks of the additional data
            "AAD",
            *part,
            If(left == 0, begin_part.eq(1), length.eq(message.text_length), NextState("TEXT")),
        )
        fsm.act(  # the state TEXT waits for the blocks of the text and their keystream
            "TEXT",
            *part,
            is_text.eq(1),
            If(~message.decrypt & ~message.refused, add.data.eq(text)),
            If(left == 0, NextState("LENGTHS")),
        )
        fsm.act(  # the state LENGTHS waits until GHASH accepts the block with the lengths of additional data and text
            "LENGTHS",
            add.valid.eq(1),
            add.data.eq(_lengths(message.aad_length, message.text_length)),
            If(add.ready, NextState("TAG")),
        )
        # The state TAG waits until the mask of the tag is valid and the tag of the previous message is complete. When
        # decrypting, it also waits until the tag of the message arrives from the client.
        fsm.act(
            "TAG",
            add.valid.eq(masked & ~awaited & (~message.decrypt | sink.valid)),
            add.data.eq(mask ^ (Replicate(message.decrypt, BLOCK_BITS) & sink.data)),
            add.final.eq(1),
            If(
                add.valid & add.ready,
                step_tag.eq(message.decrypt),
                last_of_message.eq(1),
                NextState("IDLE"),
            ),
        )


def _lengths(first, second) -> Cat:
    """Return GHASH's block of lengths, made from two lengths in bytes. The value None stands for the length 0.

    The block contains each length as a big-endian number of bits, in 64 bits.
    """
    halves = []
    for length in (first, second):
        bits = [0] * 3 + [length[n] if length is not None else 0 for n in range(LENGTH_BITS)] + [0] * (61 - LENGTH_BITS)
        halves += [bit for n in reversed(range(8)) for bit in bits[8 * n : 8 * n + 8]]
    return Cat(*halves)
