# SPDX-License-Identifier: BSD-2-Clause
"""Skid buffer: holds a word that the receiver did not accept, so that the combinational path of `ready` ends here.

::

    sink ─┬──────────► source      while no word is held
          └─► held ──► source      otherwise; `sink` waits

LiteX's `stream.Buffer` with `pipe_ready` keeps its word until a later word is not taken, which may never happen, and
`source.ready` enables its registers. This register also copies every word that passes, so nothing of an earlier frame
stays in it.

Throughput: a word a cycle. Latency: none. Handshake: valid and ready; `sink.ready` is a register.
"""

from litex.soc.interconnect import stream
from migen import If, Module, Signal


class Skid(Module):
    """A register that holds a word while the receiver is not ready.

    Parameters
    ----------
    layout : list or stream.EndpointDescription
        Layout of the stream.

    Attributes
    ----------
    sink, source : stream.Endpoint
        In and out.
    """

    def __init__(self, layout):
        self.sink, self.source = stream.Endpoint(layout), stream.Endpoint(layout)

        # # #

        held = stream.Endpoint(layout, name="held")
        self.held = held  # for tests
        holds = Signal()
        self.comb += [
            self.sink.ready.eq(~holds),
            If(holds, held.connect(self.source, omit={"valid", "ready"})).Else(
                self.sink.connect(self.source, omit={"valid", "ready"})
            ),
            self.source.valid.eq(self.sink.valid | holds),
        ]
        self.sync += [
            holds.eq(self.source.valid & ~self.source.ready),
            If(~holds, self.sink.connect(held, omit={"valid", "ready"})),
        ]
