# SPDX-License-Identifier: BSD-2-Clause
"""Sends the text and tags of GCM messages to the DMA, which writes them. Drops the text if the tag was wrong.

::

    job ─► what the message gives ─┬──────────────────────────────┐
    text (BlockGCM) ───────────────┴─► blocks of text, tag ─► source
    result (BlockGCM) ─► verdict ──────────────────────────────► error

A message to encrypt gives its text and then its tag, as two parts. A message to decrypt gives its text after the tag
was verified. If there is no text, or the tag is wrong, it gives one block without bytes, so that its write job ends.

Latency: none (combinational). Handshake: valid and ready everywhere. `flush` drops everything.
"""

from litex.soc.interconnect import stream
from migen import FSM, Cat, If, Module, Mux, NextState, ResetInserter, Signal

from ..aes.standard import BLOCK_BYTES
from ..ctr.blocks import BLOCK_LAYOUT
from ..ctr.gcm import RESULT_LAYOUT
from ..gcm.hold import HOLD_LAYOUT
from .errors import ERROR_BITS, Error

OUTPUT_JOB_LAYOUT = [("decrypt", 1), ("text", 1), ("tag_length", 5)]
# Depth of the queues, in messages. This depth exceeds the maximum number of unfinished write jobs in the DMA.
MESSAGES = 8


class GCMOutput(Module):
    """Sends the text and the tag of each GCM message to the DMA, in the order of the messages.

    Attributes
    ----------
    job : stream.Endpoint, decrypt, text, tag_length(5), in
        A message: whether it is decrypted or verified, whether it gives text, and the bytes of its tag.
    text, result : stream.Endpoint, in
        Of `gateware.ctr.gcm.BlockGCM`.
    source : stream.Endpoint, data(128), mask(16), bits(3), out
        Blocks; `last` marks the end of a part.
    error : stream.Endpoint, error(4), out
        For each message, in order: whether its tag was wrong.
    flush : Signal(), in
    """

    def __init__(self):
        self.job = job = stream.Endpoint(OUTPUT_JOB_LAYOUT)
        self.text = text = stream.Endpoint(HOLD_LAYOUT)
        self.result = result = stream.Endpoint(RESULT_LAYOUT)
        self.source = source = stream.Endpoint(BLOCK_LAYOUT)
        self.flush = Signal()
        self.submodules.jobs = jobs = ResetInserter()(stream.SyncFIFO(OUTPUT_JOB_LAYOUT, MESSAGES))
        self.submodules.errors = errors = ResetInserter()(stream.SyncFIFO([("error", ERROR_BITS)], MESSAGES))
        self.error = errors.source

        # # #

        message = jobs.source
        releases = Signal()  # 1: the tag is right and the message has text, so the text is sent
        in_tag = Signal(BLOCK_BYTES)
        self.comb += [
            job.connect(jobs.sink),
            jobs.reset.eq(self.flush),
            errors.reset.eq(self.flush),
            releases.eq(message.text & ~result.failed & ~result.error),
            errors.sink.error.eq(Mux(result.failed, Error.TAG, Error.NONE)),
            in_tag.eq(Cat(*[(message.tag_length > n) & ~result.error for n in range(BLOCK_BYTES)])),
        ]
        self.submodules.fsm = fsm = ResetInserter()(FSM(reset_state="MESSAGE"))
        self.comb += fsm.reset.eq(self.flush)
        fsm.act(  # the state MESSAGE waits for a message; for a message to decrypt, also for the check of its tag
            "MESSAGE",
            If(
                message.valid & message.decrypt,
                source.valid.eq(result.valid & errors.sink.ready & ~releases),
                source.last.eq(1),
                result.ready.eq(errors.sink.ready & (releases | source.ready)),
                errors.sink.valid.eq(result.valid & result.ready),
                If(errors.sink.valid, If(releases, NextState("TEXT")).Else(message.ready.eq(1))),
            ).Elif(
                message.valid,
                If(message.text, NextState("TEXT")).Else(NextState("TAG")),
            ),
        )
        fsm.act(  # the state TEXT waits for the text
            "TEXT",
            source.valid.eq(text.valid),
            text.ready.eq(source.ready),
            source.data.eq(text.data),
            source.mask.eq(text.mask),
            source.last.eq(text.final),
            If(
                text.valid & text.ready & text.final,
                If(message.decrypt, message.ready.eq(1), NextState("MESSAGE")).Else(NextState("TAG")),
            ),
        )
        fsm.act(  # the state TAG waits for the tag
            "TAG",
            source.valid.eq(result.valid & errors.sink.ready),
            source.data.eq(result.tag),
            source.mask.eq(in_tag),
            source.last.eq(1),
            result.ready.eq(source.ready & errors.sink.ready),
            errors.sink.valid.eq(result.valid & result.ready),
            If(errors.sink.valid, message.ready.eq(1), NextState("MESSAGE")),
        )
