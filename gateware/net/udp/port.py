# SPDX-License-Identifier: BSD-2-Clause
"""A UDP port over LiteEth's IPv4 that sends datagrams with a checksum (RFC 768).

::

    IPv4 ─► LiteEth's UDP receiver ─► port? ─► source
    IPv4 ◄─ LiteEth's UDP packetizer ◄──────── sink, with its checksum

LiteEth's own UDP sends the checksum 0 and has a crossbar of several ports. Datagrams for other ports are read and
dropped.

Throughput: one word a cycle; 2 cycles for each header. Handshake: valid and ready.
"""

from liteeth.common import eth_udp_user_description, udp_header, udp_protocol
from liteeth.core.udp import LiteEthUDPPacketizer, LiteEthUDPRX
from litex.gen import LiteXModule
from litex.soc.interconnect import stream

from .. import WORD_BITS
from ..layouts import datagram_layout

HEADER_BYTES = udp_header.length


class UDPPort(LiteXModule):
    """Sends and receives the datagrams of one UDP port.

    Parameters
    ----------
    ip : IPPorts
        Used, not added as a submodule.
    port : int
        Number of the port.

    Attributes
    ----------
    source : stream.Endpoint, LiteEth's `eth_udp_user_description(32)`, out
        Datagrams for the port.
    sink : stream.Endpoint, see `datagram_layout`, in
        Datagrams; the parameters must stay stable until the last word has been taken.
    """

    def __init__(self, *, ip, port: int):
        self.source = source = stream.Endpoint(eth_udp_user_description(WORD_BITS))
        self.sink = sink = stream.Endpoint(datagram_layout())

        # # #

        packets = ip.crossbar.get_port(udp_protocol, WORD_BITS)

        # Receive side.
        self.receiver = receiver = LiteEthUDPRX(None, WORD_BITS)
        for_port = receiver.source.dst_port == port
        self.comb += [
            packets.source.connect(receiver.sink),
            receiver.source.connect(source, omit={"valid", "ready"}),
            source.valid.eq(receiver.source.valid & for_port),
            receiver.source.ready.eq(source.ready | ~for_port),
        ]

        # Transmit side.
        self.packetizer = packetizer = LiteEthUDPPacketizer(WORD_BITS)
        self.comb += [
            sink.connect(packetizer.sink, omit={"length", "ip_address"}),
            packetizer.sink.length.eq(sink.length + HEADER_BYTES),
            packetizer.source.connect(packets.sink, omit={"length", "protocol", "ip_address"}),
            packets.sink.length.eq(packetizer.sink.length),
            packets.sink.protocol.eq(udp_protocol),
            packets.sink.ip_address.eq(sink.ip_address),
        ]
