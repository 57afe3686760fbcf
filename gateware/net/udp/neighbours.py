# SPDX-License-Identifier: BSD-2-Clause
"""Replaces an ARP table: supplies the Ethernet address of the station to which an answer goes.

Everything that the hardware sends is an answer to the station that asked. So no ARP request is needed, and no answer
waits for a third party. LiteEth's own table would drop all its entries each second, and delay every packet by 0.8 s
when one address does not answer.

A lookup compares the address with two candidates: the station of the datagram that waits to be sent, and the last
station that sent an ICMP echo request. Any other address is reported as failed, and LiteEth drops the packet. So an
echo reply is lost if another station's request comes before the reply is sent.

Latency: the response comes in the cycle after the request. Handshake: LiteEth's `request` and `response`.
"""

from liteeth.core.arp import arp_table_request_layout, arp_table_response_layout
from litex.soc.interconnect import stream
from migen import If, Module, Record, Signal

from ..layouts import DESTINATION_LAYOUT, STATION_LAYOUT


class Neighbours(Module):
    """Answers the address requests of LiteEth's IPv4 sender.

    Attributes
    ----------
    request, response : stream.Endpoint
        The same interface as LiteEth's ARP table.
    destination : Record, waits, ip_address(32), mac_address(48), in
        Whether a datagram waits to be sent, and the station that it goes to.
    station : Record, ip_address(32), mac_address(48), in
        The station that sent the ICMP echo request.
    learn : Signal(), in
        Store `station`.
    """

    def __init__(self):
        self.request = stream.Endpoint(arp_table_request_layout)
        self.response = stream.Endpoint(arp_table_response_layout)
        self.destination = Record(DESTINATION_LAYOUT)
        self.station = Record(STATION_LAYOUT)
        self.learn = Signal()

        # # #

        echo = Record(STATION_LAYOUT)
        known = Signal()  # 1: an echo request has arrived, so `echo` is valid
        is_destination, is_echo = Signal(), Signal()
        self.comb += [
            is_destination.eq(self.destination.waits & (self.request.ip_address == self.destination.ip_address)),
            is_echo.eq(known & (self.request.ip_address == echo.ip_address)),
            self.request.ready.eq(~self.response.valid),
        ]
        self.sync += [
            If(self.learn, echo.eq(self.station), known.eq(1)),
            If(self.response.ready, self.response.valid.eq(0)),
            If(
                self.request.valid & self.request.ready,
                self.response.valid.eq(1),
                self.response.failed.eq(~is_destination & ~is_echo),
                self.response.mac_address.eq(echo.mac_address),
                If(is_destination, self.response.mac_address.eq(self.destination.mac_address)),
            ),
        ]
