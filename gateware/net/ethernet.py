"""Gigabit Ethernet with the fast path: LiteEth's stack and the CPU on one PHY.

::

    PHY ◄─► shared MAC ─┬─► ARP          answered in hardware
                        ├─► IPv4 ─┬─► ICMP echo
                        │         └─► UDP ─► fast path
                        └─► slots of the CPU

The hardware has a MAC and an IP address of its own; what comes for the CPU's, and all broadcasts, is the CPU's.
LiteEth does not look at UDP checksums, and sends none (0, RFC 768): the frame check sequence covers every frame, and
what a record says of its length is compared with the datagram's.
"""

from liteeth.core.arp import LiteEthARP
from liteeth.core.icmp import LiteEthICMP
from liteeth.core.ip import LiteEthIP
from liteeth.core.udp import LiteEthUDP
from litex.gen import LiteXModule

from gateware.net import WORD_BITS
from gateware.net.mac import SharedMAC
from gateware.net.neighbours import Neighbours
from gateware.net.unit import FastPathUnit


class FastPathEthernet(LiteXModule):
    """Everything between the PHY and the CPU.

    Parameters
    ----------
    phy : Module
        A LiteEth PHY of 8 bits, not added as a submodule.
    core : Module
        A core of `gateware.aes.cores`, not yet a submodule.
    mac_address, ip_address : int
        The hardware's addresses; the second is the reset value of a register.
    port : int
        UDP port of the records.
    clk_freq : int
        Frequency of `sys` in Hz.
    rows, rx_slots, tx_slots, rx_words, tx_words : int
        Sessions; see `SharedMAC` and `FastPathUnit`.

    Attributes
    ----------
    mac : SharedMAC
        With the CPU's slots.
    unit : FastPathUnit
        With the registers.
    """

    def __init__(
        self,
        *,
        phy,
        core,
        mac_address: int,
        ip_address: int,
        port: int,
        clk_freq: int,
        rows: int = 8,
        rx_slots: int = 8,
        tx_slots: int = 2,
        rx_words: int = 2048,
        tx_words: int = 2048,
    ):
        self.mac = mac = SharedMAC(
            phy=phy, mac_address=mac_address, rx_slots=rx_slots, tx_slots=tx_slots, buffer_words=rx_words
        )
        self.unit = unit = FastPathUnit(core=core, port=port, ip_address=ip_address, rows=rows, buffer_words=tx_words)
        own = {"mac_address": mac_address, "ip_address": unit.ip_address.storage, "dw": WORD_BITS}
        self.neighbours = neighbours = Neighbours()
        self.arp = LiteEthARP(mac=mac, clk_freq=clk_freq, entries=2, **own)
        self.ip = ip = LiteEthIP(mac=mac, arp_table=neighbours, with_broadcast=False, **own)
        self.icmp = icmp = LiteEthICMP(ip=ip, ip_address=own["ip_address"], dw=WORD_BITS)
        self.udp = udp = LiteEthUDP(ip=ip, ip_address=own["ip_address"], dw=WORD_BITS)

        # # #

        path = unit.fast_path
        udp_port = udp.crossbar.get_port(port, dw=WORD_BITS)
        self.comb += [
            udp_port.source.connect(path.sink),
            path.sender_mac.eq(mac.sender_mac),
            path.source.connect(udp_port.sink),
            neighbours.receiver.eq(path.receiver),
            mac.event.connect(path.frame_event),
            neighbours.station.ip_address.eq(icmp.echo.sink.ip_address),
            neighbours.station.mac_address.eq(mac.sender_mac),
            neighbours.learn.eq(icmp.echo.sink.valid & icmp.echo.sink.ready & icmp.echo.sink.last),
        ]
