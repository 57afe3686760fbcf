# SPDX-License-Identifier: BSD-2-Clause
"""Feeds packets to the CTR packet engine: starts one message for each packet, then queues the packet's words.

::

    sink ─┬─ first word: slot, T1, index, length ─► message ─┐
          └─ words ─► queue ─────────────────────────────────┴─► PacketCTR ─► source

The queue holds the words that arrive while the core computes the first keystream block. So short packets follow each
other at the rate of the core, not at its latency.

Every word that was taken leaves, in order, whatever happens to the keys. A word leaves as zeros, with `error`, if it
was flushed or if its slot held no key when its block's turn came.

Throughput: a word a cycle, or the rate of the core if that is lower; one cycle more for each packet. Handshake: valid
and ready.
"""

from litex.soc.interconnect import stream
from migen import If, Module, Signal

from ...ctr.client import Port
from ...ctr.counter import WIDTH_128
from ...ctr.packet import PacketCTR
from ...memory import BlockRAMFIFO
from .. import WORD_BITS
from ..layouts import packet_layout

QUEUE_WORDS = 64


class PacketEngine(Module):
    """Encrypts and decrypts packets through the CTR service.

    Parameters
    ----------
    port : Port
        A port of the CTR service.

    Attributes
    ----------
    sink : stream.Endpoint, see `packet_layout`, in
        Words of packets, as many as the length states, at least one byte. The parameters are taken before the first
        word.
    source : stream.Endpoint, data(32), error, out
        One word for each word of `sink`.
    flush : Signal(), in
        Drop the words that were taken, and their keystream.
    """

    def __init__(self, *, port: Port):
        self.submodules.ctr = ctr = PacketCTR(port=port)
        self.sink = sink = stream.Endpoint(packet_layout(len(port.request.slot)))
        self.source = stream.Endpoint([("data", WORD_BITS), ("error", 1)])
        self.flush = ctr.flush

        # # #

        message = ctr.message
        announced = Signal()  # high after the engine has accepted the message of the packet at `sink`
        self.submodules.queue = queue = BlockRAMFIFO([("data", WORD_BITS)], QUEUE_WORDS)
        self.comb += [
            message.valid.eq(sink.valid & ~announced),
            *[getattr(message, name).eq(getattr(sink, name)) for name in ("initial", "index", "slot", "length")],
            message.width.eq(WIDTH_128),
            queue.sink.valid.eq(sink.valid & announced),
            sink.ready.eq(queue.sink.ready & announced),
            queue.sink.data.eq(sink.data),
            queue.sink.last.eq(sink.last),
            queue.source.connect(ctr.sink),
            ctr.source.connect(self.source, keep={"valid", "ready", "last", "data", "error"}),
        ]
        self.sync += [
            If(message.valid & message.ready, announced.eq(1)),
            If(sink.valid & sink.ready & sink.last, announced.eq(0)),
        ]
