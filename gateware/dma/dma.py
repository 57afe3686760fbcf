# SPDX-License-Identifier: BSD-2-Clause
"""The DMA: for each descriptor, it moves data from memory through the CTR engine to memory, and returns a result.

::

    descriptor ─► Dispatcher ─┬─► message ────────────────────────────► engine
                              ├─► read job ─► BurstMaster ─► Gather ──►   │
                              └─► write job ─► BurstMaster ◄─ Scatter ◄───┘
                                                  │ one Wishbone port

Source, destination and length are in bytes, at any alignment. `sel` selects the bytes of a partial first or last block.
The DMA reads no block that the source does not touch. Several descriptors are under way at once: the reads of the next
one start while the previous one's blocks are still in the core. Descriptors end in order of submission.

A descriptor may write where it reads (in place), or before that place. It must not read what an earlier descriptor
writes, unless it is `ordered`, because reads may overtake the writes of earlier descriptors.

With GCM, a descriptor may be a GCM message, whose blocks pass through an engine of its own::

    GCMDispatcher ─┬─► gcm_message ─────────────────────────► GCM engine ─┬─► text, result
                   ├─► read jobs ─► BurstMaster ─► Gather ──►             │
                   └─► write jobs ─► BurstMaster ◄─ Scatter ◄─ GCMOutput ◄┘

Throughput: the port's or the core's, whichever is lower; see `gateware.dma.bursts` for the port.
"""

from litex.soc.interconnect import stream
from migen import If, Module, Mux, ResetInserter, Signal

from ..ctr.blocks import BLOCK_LAYOUT
from ..ctr.gcm import BlockGCM
from .align import Gather, Scatter
from .bursts import JOBS, BurstMaster
from .dispatch import Dispatcher
from .errors import ERROR_BITS, Error
from .gcm_dispatch import GCMDispatcher
from .gcm_output import GCMOutput


class DescriptorDMA(Module):
    """Reads buffers, sends their blocks through an engine (such as CTR), and writes the result to memory.

    Parameters
    ----------
    regions, slots, queue_depth
        See `Dispatcher`.
    burst_beats, timeout_cycles
        See `BurstMaster`.
    gcm : BlockGCM, optional
        The engine of GCM messages, not a submodule of the DMA.

    Attributes
    ----------
    bus : wishbone.Interface
        128-bit master.
    descriptor : stream.Endpoint, in
        See `gateware.dma.dispatch.DESCRIPTOR_LAYOUT` or `gateware.dma.gcm_dispatch.GCM_DESCRIPTOR_LAYOUT`.
    message : stream.Endpoint, out
        To the engine; see `CounterBlocks`.
    source, sink : stream.Endpoint, data(128), mask(16), bits(3)
        To and from the engine.
    key_valid, key_pending : Signal(slots), in
        See `Dispatcher`.
    done, done_error, done_interrupt, abort, aborting, flush
        See `BurstMaster`. With `flush` the engine shall drop everything, too.
    """

    def __init__(
        self,
        *,
        regions,
        slots: int,
        queue_depth: int = 8,
        burst_beats: int = 32,
        timeout_cycles: int = 4096,
        gcm: BlockGCM | None = None,
    ):
        if gcm:
            dispatcher = GCMDispatcher(regions=regions, slots=slots, queue_depth=queue_depth, depth=gcm.depth)
        else:
            dispatcher = Dispatcher(regions=regions, slots=slots, queue_depth=queue_depth)
        self.submodules.dispatcher = dispatcher
        self.submodules.master = master = BurstMaster(
            burst_beats=burst_beats, timeout_cycles=timeout_cycles, parts=gcm is not None
        )
        self.submodules.gather = gather = Gather()
        self.submodules.scatter = scatter = Scatter()
        self.bus = master.bus
        self.descriptor = dispatcher.descriptor
        self.message = dispatcher.message
        self.source = stream.Endpoint(BLOCK_LAYOUT)
        self.sink = stream.Endpoint(BLOCK_LAYOUT)
        self.key_valid, self.key_pending = dispatcher.key_valid, dispatcher.key_pending
        self.done, self.done_interrupt = master.done, master.done_interrupt
        self.done_error = Signal(ERROR_BITS) if gcm else master.done_error
        self.abort, self.aborting, self.flush = master.abort, master.aborting, master.flush

        # # #

        for name, unit, endpoint in (
            ("read_jobs", dispatcher.read_job, master.read_job),
            ("gather_jobs", dispatcher.gather_job, gather.job),
            ("scatter_jobs", dispatcher.scatter_job, scatter.job),
            ("write_jobs", dispatcher.write_job, master.write_job),
        ):
            fifo = ResetInserter()(stream.SyncFIFO(endpoint.description, JOBS))
            setattr(self.submodules, name, fifo)
            self.comb += [unit.connect(fifo.sink), fifo.source.connect(endpoint), fifo.reset.eq(master.flush)]
        engine = [] if gcm else [gather.source.connect(self.source), self.sink.connect(scatter.sink)]
        self.comb += [
            master.source.connect(gather.sink),
            *engine,
            scatter.source.connect(master.sink),
            dispatcher.done.eq(master.done),
            dispatcher.flush.eq(master.flush),
            gather.flush.eq(master.flush),
            scatter.flush.eq(master.flush),
        ]
        if gcm:
            self._add_gcm(gcm)

    def _add_gcm(self, gcm: BlockGCM) -> None:
        """Send the blocks of each descriptor to CTR or GCM. A message with a wrong tag gets the result `Error.TAG`."""
        dispatcher, master, gather, scatter = self.dispatcher, self.master, self.gather, self.scatter
        self.submodules.output = output = GCMOutput()
        blocks = gather.source
        self.comb += [
            dispatcher.gcm_message.connect(gcm.message),
            dispatcher.output_job.connect(output.job),
            blocks.connect(self.source, omit={"valid", "ready"}),
            self.source.valid.eq(blocks.valid & ~dispatcher.gcm),
            gcm.sink.valid.eq(blocks.valid & dispatcher.gcm),
            gcm.sink.data.eq(blocks.data),
            gcm.sink.failed.eq(~blocks.mask[0]),
            blocks.ready.eq(Mux(dispatcher.gcm, gcm.sink.ready, self.source.ready)),
            gcm.source.connect(output.text),
            gcm.result.connect(output.result),
            If(
                dispatcher.gcm,
                output.source.connect(scatter.sink),
            ).Else(self.sink.connect(scatter.sink)),
            gcm.flush.eq(master.flush),
            output.flush.eq(master.flush),
            output.error.ready.eq(master.done & master.done_moves & dispatcher.gcm),
            self.done_error.eq(master.done_error),
            If(output.error.ready & (master.done_error == Error.NONE), self.done_error.eq(output.error.error)),
        ]
