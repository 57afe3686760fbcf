# SPDX-License-Identifier: BSD-2-Clause
"""Ports of LiteEth's IPv4 core, with registers on the receive side.

::

    IPv4's crossbar ─┬─► registers ─► ICMP     a packet, with the source address of its frame
                     └─► registers ─► UDP
    IPv4's crossbar ◄─── ICMP, UDP

LiteEth passes a decision on a word from MAC to UDP in one cycle, and `ready` back in another. Both combinational paths
end here. A packet's last words may still be in the registers when the next packet's frame is in the MAC. So the packet
keeps the address of its sender.

Throughput: one word a cycle. Latency: 1 cycle. Handshake: valid and ready.
"""

from types import SimpleNamespace

from liteeth.common import eth_ipv4_user_description
from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import Signal

from ..link.frame_router import MAC_BITS
from ..link.skid import Skid


class IPPorts(LiteXModule):
    """Provides the ports for LiteEth's layers above IPv4, which access this object as `ip`.

    Parameters
    ----------
    ip : LiteEthIP
        Used, not added as a submodule.
    sender_mac : Signal(48)
        Source address of the frame that is passing through `ip`.

    Attributes
    ----------
    crossbar : SimpleNamespace
        LiteEth calls its `get_port(protocol, dw)` to get a port.
    sender_mac : dict of int to Signal(48), out
        For the protocol of each port: source address of the frame that carried its packet.
    """

    def __init__(self, *, ip, sender_mac: Signal):
        self.sender_mac: dict[int, Signal] = {}

        # # #

        def get_port(protocol: int, dw: int) -> SimpleNamespace:
            port = ip.crossbar.get_port(protocol, dw)
            plain = eth_ipv4_user_description(dw)
            params = [*plain.param_layout, ("sender_mac", MAC_BITS)]
            layout = stream.EndpointDescription(plain.payload_layout, params)
            held, skid = stream.Buffer(layout), Skid(layout)
            source = stream.Endpoint(plain)
            self.submodules += held, skid
            self.comb += [
                port.source.connect(held.sink),
                held.sink.sender_mac.eq(sender_mac),
                held.source.connect(skid.sink),
                skid.source.connect(source, omit={"sender_mac"}),
            ]
            self.sender_mac[protocol] = skid.source.sender_mac
            return SimpleNamespace(source=source, sink=port.sink)

        self.crossbar = SimpleNamespace(get_port=get_port)
