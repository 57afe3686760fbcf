# SPDX-License-Identifier: BSD-2-Clause
"""The DMA: it takes descriptors, moves memory to memory through the CTR engine, and returns results.

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

Throughput: the port's or the core's, whichever is lower; see `gateware.dma.bursts` for the port.
"""

from litex.soc.interconnect import stream
from migen import Module, ResetInserter

from gateware.ctr.blocks import BLOCK_LAYOUT
from gateware.dma.align import Gather, Scatter
from gateware.dma.bursts import JOBS, BurstMaster
from gateware.dma.dispatch import Dispatcher


class DescriptorDMA(Module):
    """Moves buffers through an engine.

    Parameters
    ----------
    regions, slots, queue_depth
        See `Dispatcher`.
    burst_beats, timeout_cycles
        See `BurstMaster`.

    Attributes
    ----------
    bus : wishbone.Interface
        128-bit master.
    descriptor : stream.Endpoint, in
        See `gateware.dma.dispatch.DESCRIPTOR_LAYOUT`.
    message : stream.Endpoint, out
        To the engine; see `CounterBlocks`.
    source, sink : stream.Endpoint, data(128), mask(16), bits(3)
        To and from the engine.
    key_valid, key_pending : Signal(slots), in
        See `Dispatcher`.
    done, done_error, done_interrupt, abort, aborting, flush
        See `BurstMaster`. With `flush` the engine shall drop everything, too.
    """

    def __init__(self, *, regions, slots: int, queue_depth: int = 8, burst_beats: int = 32, timeout_cycles: int = 4096):
        self.submodules.dispatcher = dispatcher = Dispatcher(regions=regions, slots=slots, queue_depth=queue_depth)
        self.submodules.master = master = BurstMaster(burst_beats=burst_beats, timeout_cycles=timeout_cycles)
        self.submodules.gather = gather = Gather()
        self.submodules.scatter = scatter = Scatter()
        self.bus = master.bus
        self.descriptor = dispatcher.descriptor
        self.message = dispatcher.message
        self.source = stream.Endpoint(BLOCK_LAYOUT)
        self.sink = stream.Endpoint(BLOCK_LAYOUT)
        self.key_valid, self.key_pending = dispatcher.key_valid, dispatcher.key_pending
        self.done, self.done_error, self.done_interrupt = master.done, master.done_error, master.done_interrupt
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
        self.comb += [
            master.source.connect(gather.sink),
            gather.source.connect(self.source),
            self.sink.connect(scatter.sink),
            scatter.source.connect(master.sink),
            dispatcher.done.eq(master.done),
            dispatcher.flush.eq(master.flush),
            gather.flush.eq(master.flush),
            scatter.flush.eq(master.flush),
        ]
