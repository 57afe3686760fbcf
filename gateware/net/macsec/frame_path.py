# SPDX-License-Identifier: BSD-2-Clause
"""The common structure of both directions of a SecY: frame buffer, GCM, and queues that keep frames in order.

::

    sink ─► FrameWriter ─► frame ─► (decision) ─► work ─► GCMFeeder ─► BlockGCM ─► result ─► (verdict) ─► job
                 │                                            ▲            │ text, in place                    │
                 ▼                                            │            ▼                                   ▼
            ring of rows ─────────────────────────────────────┴───────── rows ────────────────► FrameSender ─► source

Frames keep their order. The next frame's keystream is computed while a frame is hashed. No word of a frame leaves
before its job, and its verdict gives its job after its `result`.

When keys are zeroized, all frames are dropped and all rows zeroized, except that a frame whose words leave already goes
to its end: it has had its verdict.
"""

from litex.soc.interconnect import stream
from migen import If, Module, Mux, Record, ResetInserter, Signal, bits_for

from ...ctr.client import Port
from ...ctr.gcm import BlockGCM
from ...ctr.gcm_messages import IV_BITS, IV_BYTES
from ...ctr.keyed import Uses
from ..link.skid import Skid
from . import ADDRESS_BYTES
from .frame_sender import FrameSender, job_layout
from .frame_writer import FrameWriter, frame_layout
from .gcm_feeder import GCMFeeder, feed_layout
from .row_ring import RowRing, write_layout
from .sectag import AN_BITS, ICV_BYTES, SCI_BYTES, SECTAG_BYTES, TCI

FRAMES = 16  # size of two queues: frames that wait for a decision, and jobs for the sender
UNDER_WAY = 4  # maximum number of frames in each of the queues for GCM and for verdicts


class FramePath(Module):
    """Stores frames, passes them through GCM, and sends them.

    Parameters
    ----------
    port : Port
        A port of the CTR service with a slot for each association.
    rows : int
        Rows of the buffer, a power of two.
    longest : int
        Longest frame at `sink`, in bytes.
    received : bool
        Frames come from the wire, to be verified; otherwise they are to be sent.
    cycles : int
        Cycles of a product of GHASH.
    portable : bool
        See `gateware.gcm.ghash.GHASH`.

    Attributes
    ----------
    sink, source, dropped : stream.Endpoint
        See `FrameWriter.sink`, `FrameSender.source`, `FrameWriter.event`.
    writer, sender : FrameWriter, FrameSender
    frame : stream.Endpoint, see `frame_layout`, out
        Frames that wait for their decision.
    work : stream.Endpoint, see `feed_layout`, with slot(2) and iv(96), in
        Frames for GCM.
    result : stream.Endpoint, tag(128), failed, error, out
        Their results, in order. The use of the key ends when the result is taken.
    job : stream.Endpoint, see `gateware.net.macsec.frame_sender.job_layout`, in
        Frames to send or to drop.
    write : Record, see `gateware.net.macsec.row_ring.write_layout`, in
        Writes the ICV.
    sci : Signal(64), in
        SCI of tags, in wire order.
    drop : Signal(), out
        Pulse: all frames are dropped.
    busy : Signal(), out
        Rows are being zeroized.
    """

    def __init__(self, *, port: Port, rows: int, longest: int, received: bool, cycles: int, portable: bool):
        if rows < 128 or rows & (rows - 1):
            raise ValueError(f"rows is {rows}; give a power of two, at least 128")
        row_bits = bits_for(rows - 1)
        keys = port.keys
        drop = ResetInserter()
        self.submodules.writer = writer = FrameWriter(rows=rows, longest=longest, received=received)
        self.submodules.frames = frames = drop(stream.SyncFIFO(frame_layout(rows, received=received), FRAMES))
        self.submodules.feeds = feeds = drop(stream.SyncFIFO(feed_layout(rows), UNDER_WAY))
        self.submodules.feeder = feeder = drop(GCMFeeder(rows=rows, received=received))
        self.submodules.gcm = gcm = BlockGCM(port=port, cycles=cycles, depth=0, portable=portable)
        self.submodules.texts = texts = drop(stream.SyncFIFO([("row", row_bits)], UNDER_WAY))
        # A long combinational path leads from the word counter of `writer` to the grants for accesses to `ring`. The
        # skid buffer `skid` ends this path before GCM. `skid` delays the blocks of the text, but the last block still
        # arrives in `ring` long before the frame's verdict. The skid buffer `results` ends the path from the grant for
        # the row with the ICV.
        self.submodules.skid = skid = drop(Skid(gcm.source.description))
        self.submodules.results = results = drop(Skid(gcm.result.description))
        self.submodules.uses = uses = Uses(keys, port.client.slots)
        self.submodules.jobs = jobs = drop(stream.SyncFIFO(job_layout(rows, received=received), FRAMES))
        self.submodules.sender = sender = FrameSender(rows=rows, received=received)
        text_write = Record(write_layout(rows))
        self.write = Record(write_layout(rows))
        self.submodules.ring = ring = RowRing(
            rows=rows,
            writes=[writer.write, text_write, self.write, sender.write],
            reads=[sender.reader.read, feeder.reader.read],
        )
        self.sink, self.source, self.dropped = writer.sink, sender.source, writer.event
        self.frame, self.job = frames.source, jobs.sink
        self.work = work = stream.Endpoint([*feed_layout(rows), ("slot", AN_BITS), ("iv", IV_BITS)])
        self.result = type(gcm.result)(gcm.result.description)
        self.sci = Signal(64)
        self.drop = Signal()
        self.busy = Signal()

        # # #

        # Connections.
        self.comb += [
            writer.frame.connect(frames.sink),
            feeds.source.connect(feeder.job),
            feeder.source.connect(gcm.sink),
            jobs.source.connect(sender.job),
            gcm.result.connect(results.sink),
            results.source.connect(self.result),
            sender.reader.data.eq(ring.data),
            feeder.reader.data.eq(ring.data),
            feeder.sci.eq(self.sci),
            sender.sci.eq(self.sci),
            writer.freed.eq(sender.freed),
        ]

        # In the cycle with `fire`, GCM gets a message for the frame, and the queue `feeds` gets the frame. If the frame
        # is encrypted, the queue `texts` gets the row in which the text begins.
        ready, fire = Signal(), Signal()
        encrypted, around = work.tci[TCI.E], Signal(5)
        message = gcm.message
        bare = ADDRESS_BYTES + SECTAG_BYTES
        self.comb += [
            ready.eq(message.ready & feeds.sink.ready & texts.sink.ready & uses.room & ~self.drop & ~self.busy),
            fire.eq(work.valid & ready),
            work.ready.eq(ready),
            message.valid.eq(fire),
            message.slot.eq(work.slot),
            message.decrypt.eq(int(received)),
            message.iv.eq(work.iv),
            message.iv_length.eq(IV_BYTES),
            around.eq(Mux(work.tci[TCI.SC], bare + SCI_BYTES, bare)),
            message.aad_length.eq(Mux(encrypted, around, around + work.length)),
            message.text_length.eq(Mux(encrypted, work.length, 0)),
            message.tag_length.eq(ICV_BYTES),
            feeds.sink.valid.eq(fire),
            *[getattr(feeds.sink, name).eq(getattr(work, name)) for name, _ in feed_layout(rows)],
            texts.sink.valid.eq(fire & encrypted),
            texts.sink.row.eq(work.row + 1),
            uses.begin.eq(fire),
            uses.slot.eq(work.slot),
            uses.drop.eq(self.drop),
        ]

        self.sync += uses.end.eq(self.result.valid & self.result.ready & ~self.drop)

        # GCM's output is written to the rows from which GCM's input was read. So the output replaces the frame's text.
        replaced = Signal(row_bits)
        text = skid.source
        self.comb += [
            gcm.source.connect(skid.sink),
            text_write.valid.eq(text.valid),
            text_write.row.eq(texts.source.row + replaced),
            text_write.data.eq(text.data),
            text.ready.eq(text_write.granted),
            texts.source.ready.eq(text.valid & text.ready & text.final),
        ]
        self.sync += [
            If(text.valid & text.ready, replaced.eq(replaced + 1), If(text.final, replaced.eq(0))),
            If(self.drop, replaced.eq(0)),
        ]

        # Zeroization.
        waits = Signal()  # 1 while zeroization waits for the end of the frame that is being sent
        self.comb += [
            self.drop.eq(keys.flush),
            *[part.reset.eq(self.drop | waits) for part in (frames, feeds, feeder, texts, skid, results, jobs)],
            ring.clear.eq(waits & sender.idle),
            self.busy.eq(waits | ring.busy),
            writer.blocked.eq(self.busy | self.drop),
            sender.blocked.eq(self.busy | self.drop),
        ]
        self.sync += [If(ring.clear, waits.eq(0)), If(self.drop, waits.eq(1))]
