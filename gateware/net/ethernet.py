# SPDX-License-Identifier: BSD-2-Clause
"""Gigabit Ethernet with the fast path: LiteEth's stack and the CPU on one PHY.

::

    PHY ◄─► shared MAC ─┬─► ARP          answered in hardware
                        ├─► IPv4 ─┬─► ICMP echo
                        │         └─► UDP port ─► fast path
                        └─► slots of the CPU

The hardware has a MAC address and an IP address of its own. The CPU receives all frames for its own address and all
broadcasts. UDP checksums are checked before the stack (`gateware.net.link.frame_checks`). The reply gets its checksum
in `gateware.net.records.sender`, and our own UDP port sends it instead of LiteEth's (`gateware.net.udp.port`).
"""

from liteeth.common import icmp_protocol, udp_protocol
from liteeth.core.arp import LiteEthARP
from liteeth.core.icmp import LiteEthICMP
from liteeth.core.ip import LiteEthIP
from litex.gen import LiteXModule

from . import WORD_BITS
from .link.mac import SharedMAC
from .records.peripheral import FastPathPeripheral
from .udp.ip_ports import IPPorts
from .udp.neighbours import Neighbours
from .udp.port import UDPPort


class FastPathEthernet(LiteXModule):
    """Connects LiteEth's IPv4 stack to the shared Ethernet MAC and to the fast path.

    Parameters
    ----------
    mac : SharedMAC
        Used, not added as a submodule.
    peripheral : FastPathPeripheral
        Used, not added as a submodule. Its register holds the hardware's IP address.
    clk_freq : int
        Frequency of `sys` in Hz.
    """

    def __init__(self, *, mac: SharedMAC, peripheral: FastPathPeripheral, clk_freq: int):
        own = {"mac_address": mac.mac_address, "ip_address": peripheral.ip_address.storage, "dw": WORD_BITS}
        self.neighbours = neighbours = Neighbours()
        self.arp = LiteEthARP(mac=mac, clk_freq=clk_freq, entries=2, **own)
        self.ip = ip = LiteEthIP(mac=mac, arp_table=neighbours, with_broadcast=False, **own)
        self.ports = ports = IPPorts(ip=ip, sender_mac=mac.sender_mac)
        self.icmp = icmp = LiteEthICMP(ip=ports, ip_address=own["ip_address"], dw=WORD_BITS)
        self.udp = udp = UDPPort(ip=ports, port=peripheral.port)

        # # #

        path = peripheral.fast_path
        self.comb += [
            udp.source.connect(path.sink),
            path.sender_mac.eq(ports.sender_mac[udp_protocol]),
            path.source.connect(udp.sink),
            neighbours.destination.eq(path.destination),
            mac.event.connect(path.frame_event),
            mac.checks.ip_address.eq(peripheral.ip_address.storage),
            mac.checks.port.eq(peripheral.port),
            neighbours.station.ip_address.eq(icmp.echo.sink.ip_address),
            neighbours.station.mac_address.eq(ports.sender_mac[icmp_protocol]),
            neighbours.learn.eq(icmp.echo.sink.valid & icmp.echo.sink.ready & icmp.echo.sink.last),
        ]
