# SPDX-License-Identifier: BSD-2-Clause
"""Lets two cipher modes of one client, such as CTR and GCM, share its keys and its port of the CTR service.

::

    request 0 ─┐                            ┌─► keystream 0
    request 1 ─┴─► (port) ─► keystream ─────┤
               └─► order ─► whose it is ────┴─► keystream 1

Requests are taken whole, at their handshake, in turns. Each block of keystream goes to the mode that asked for it. A
block waits for its mode, and later blocks wait after it. So a mode must take its blocks whatever the other mode waits
for. `flush` of either mode drops the requests of both.

Latency: one cycle for a request of mode 1, otherwise none (combinational). Handshake: valid and ready everywhere. Mode
0 may wait for `ready` before its `valid`, mode 1 must not.
"""

from litex.soc.interconnect import stream
from migen import If, Module, Mux, ResetInserter, Signal

from .client import Port

REQUESTS = 8


class SharedPort(Module):
    """Lets two cipher modes use one port of the CTR service.

    Parameters
    ----------
    port : Port
        A port of the service.

    Attributes
    ----------
    ports : list of Port
        One for each mode. They have the keys of `port`. A request asks for at least one block.
    """

    def __init__(self, port: Port):
        self.ports = ports = [Port(port.client, port.keys) for _ in range(2)]

        # # #

        # Requests, and their order.
        first, second = ports
        count_bits = port.client.count_bits
        order = ResetInserter()(stream.SyncFIFO([("mode", 1), ("more", count_bits)], REQUESTS))
        self.submodules.order = order
        request = port.request
        # number of the mode that may send a request now. A register, because logic would lengthen the path to an adder
        turn = Signal()
        asks = Signal()
        self.comb += [
            port.flush.eq(first.flush | second.flush),
            order.reset.eq(port.flush | port.keys.flush),
            If(
                turn,
                second.request.connect(request, omit={"ready", "valid"}),
            ).Else(first.request.connect(request, omit={"ready", "valid"})),
            asks.eq(Mux(turn, second.request.valid, first.request.valid)),
            request.valid.eq(asks & order.sink.ready),
            first.request.ready.eq(request.ready & order.sink.ready & ~turn),
            second.request.ready.eq(request.ready & order.sink.ready & turn),
            order.sink.valid.eq(request.valid & request.ready),
            order.sink.mode.eq(turn),
            order.sink.more.eq(request.count - 1),
        ]
        self.sync += If(
            ~asks | (request.valid & request.ready),
            turn.eq(~turn & second.request.valid),
        )

        # Keystream. `begun`: 1 if the first block of the current request has left. `left`: if `begun` is 1, the number
        # of blocks that remain in the current request.
        keystream, present = port.keystream, order.source
        begun, left = Signal(), Signal(count_bits)
        step, last = Signal(), Signal()
        for n, each in enumerate(ports):
            self.comb += [
                each.keystream.valid.eq(keystream.valid & present.valid & (present.mode == n)),
                each.keystream.data.eq(keystream.data),
                each.keystream.error.eq(keystream.error),
                each.idle.eq(port.idle),
            ]
        self.comb += [
            keystream.ready.eq(present.valid & Mux(present.mode, second.keystream.ready, first.keystream.ready)),
            step.eq(keystream.valid & keystream.ready),
            last.eq(Mux(begun, left == 1, present.more == 0)),
            present.ready.eq(step & last),
        ]
        self.sync += [
            If(step, begun.eq(~last), left.eq(Mux(begun, left - 1, present.more))),
            If(order.reset, begun.eq(0)),
        ]
