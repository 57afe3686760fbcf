# SPDX-License-Identifier: BSD-2-Clause
"""Ethernet MAC that the hardware's stack and the CPU share. The stack and the CPU have different MAC addresses.

::

    PHY ─► LiteEth's MAC ─► router ─┬─► checks, buffer ─► crossbar      (only good frames)
                                    └─► slots ─► CPU
    PHY ◄─ LiteEth's MAC ◄─ arbiter ◄── crossbar, slots

With MACsec, a SecY (`gateware.net.macsec`) is next to LiteEth's MAC, in both directions. So everything else lies on its
protected side.

LiteEth's hybrid MAC differs in two points. Here a frame reaches the hardware's stack only when it has been received
whole and without an error. And the stack never holds up the wire: when the buffer is full, frames are dropped and
counted. LiteEth's preamble, check sequence, padding and gap are used unchanged.

The transmit arbiter is a round robin between frames. A sender that has its grant sends its frame without a pause.
"""

from liteeth.common import eth_mac_description, eth_phy_description
from liteeth.mac.common import LiteEthMACCrossbar, LiteEthMACDepacketizer, LiteEthMACPacketizer
from liteeth.mac.core import LiteEthMACCore
from liteeth.mac.padding import LiteEthMACPaddingInserter
from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from litex.soc.interconnect.csr import CSRConstant, CSRField, CSRStorage
from litex.soc.interconnect.packet import Arbiter
from migen import ClockDomainsRenamer, If

from ...memory import in_block_ram
from .. import WORD_BITS
from ..events import EVENT_BITS, Event
from ..macsec.as_from_wire import AsFromWire
from ..macsec.secy import SecY
from .frame_checks import FrameChecks
from .frame_router import FrameRouter
from .packet_buffer import PacketBuffer
from .skid import Skid
from .slots import SLOT_BYTES, SUMS, FrameSlots

PHY_BITS = 8
FRAME_BYTES_MAX = 1514  # largest frame at an MTU of 1500, without its check sequence


class _MarkedPHY(LiteXModule):
    """Wraps a PHY and marks the last received byte of a frame with `last_be`, which LiteEth's FCS check needs.

    LiteEth 2024.12 looks only at that mark, and its 8-bit PHYs do not set it. Without it no error would be found.
    """

    def __init__(self, phy):
        self.dw = phy.dw
        self.sink = phy.sink
        self.source = stream.Endpoint(eth_phy_description(phy.dw))

        # # #

        self.comb += [
            phy.source.connect(self.source, omit={"last_be"}),
            self.source.last_be.eq(self.source.last),
        ]


class SharedMAC(LiteXModule):
    """The Ethernet MAC, with a port for LiteEth's stack and slots for the CPU.

    Parameters
    ----------
    phy : Module
        A LiteEth PHY of 8 bits.
    mac_address : int
        The hardware's address, 48 bits.
    rx_slots, tx_slots : int
        Numbers of slots for received frames and for frames to send, powers of two. If both are 0, the CPU's side is
        left out.
    buffer_words : int
        Size of the receive buffer, a power of two.
    secy : SecY or None
        Used, not added as a submodule.
    padding_register : bool
        Add a register after the padding, so that `ready` from LiteEth's check sequence ends there and not in the
        padding's counter.

    Attributes
    ----------
    crossbar : LiteEthMACCrossbar
        Connects LiteEth's ARP and IP.
    sender_mac : Signal(48), out
        Source address of the frame that is passing through the crossbar.
    interface : FrameSlots or None
        The CPU's slots, with the port of their memory and the event manager `ev`.
    checks : FrameChecks
        With the hardware's IP address and port as inputs.
    event : stream.Endpoint, code(5), out
        Frames for the hardware that were dropped.
    mac_address : int
        The address given.
    """

    def __init__(
        self,
        *,
        phy,
        mac_address: int,
        rx_slots: int = 8,
        tx_slots: int = 2,
        buffer_words: int = 2048,
        secy: SecY | None = None,
        padding_register: bool = False,
    ):
        if phy.dw != PHY_BITS:
            raise ValueError(f"the PHY has {phy.dw} bits; give one of {PHY_BITS}")
        self.mac_address = mac_address
        self.phy = _MarkedPHY(phy)
        self.core = core = LiteEthMACCore(phy=self.phy, dw=WORD_BITS, tx_cdc_buffered=True, rx_cdc_buffered=True)
        # Put the FIFOs that cross clock domains into block RAM, with registered outputs. A read may collide with a
        # write of the same word. This does no harm: the FIFO repeats the read until it knows that the word is valid.
        for stage in (*core.tx_datapath.pipeline, *core.rx_datapath.pipeline):
            if isinstance(stage, stream.ClockDomainCrossing):
                in_block_ram(stage)
        # LiteEth's preamble logic computes `ready` in a long combinational path. The skid buffer ends this path before
        # the address of the block RAM.
        sending = core.tx_datapath
        sending.skid = ClockDomainsRenamer("eth_tx")(Skid(eth_phy_description(WORD_BITS)))
        crossing = next(n for n, at in enumerate(sending.pipeline) if isinstance(at, stream.ClockDomainCrossing))
        sending.pipeline.insert(crossing + 1, sending.skid)
        if padding_register:
            sending.behind_padding = ClockDomainsRenamer("eth_tx")(Skid(eth_phy_description(PHY_BITS)))
            padding = next(n for n, at in enumerate(sending.pipeline) if isinstance(at, LiteEthMACPaddingInserter))
            sending.pipeline.insert(padding + 1, sending.behind_padding)
        self.crossbar = crossbar = LiteEthMACCrossbar(WORD_BITS)
        self.event = stream.Endpoint([("code", EVENT_BITS)])

        # # #

        # `received` carries frames from LiteEth's MAC, and `sent` carries frames to it. With MACsec, all frames also
        # pass through the SecY.
        received, sent = core.source, core.sink
        if secy:
            self.shaper = shaper = AsFromWire()
            self.comb += [
                core.source.connect(secy.receive.sink),
                secy.receive.source.connect(shaper.sink),
                secy.transmit.source.connect(core.sink),
            ]
            # LiteEth's IP sender drives a frame's words through a long combinational path. The register ends this path
            # before the SecY.
            self.to_secy = to_secy = stream.Buffer(eth_phy_description(WORD_BITS))
            self.comb += to_secy.source.connect(secy.transmit.sink)
            received, sent = shaper.source, to_secy.sink

        # Receive side: the path to the hardware's stack.
        self.router = router = FrameRouter(mac_address=mac_address)
        self.checks = checks = FrameChecks(frame_bytes_max=FRAME_BYTES_MAX)
        self.buffer = buffer = PacketBuffer(depth=buffer_words)
        self.depacketizer = depacketizer = LiteEthMACDepacketizer(WORD_BITS)
        # LiteEth's check of the IP header computes `ready` in a long combinational path. `holder`, a skid buffer, ends
        # this path before the packet buffer.
        self.holder = holder = Skid(eth_mac_description(WORD_BITS))
        self.sender_mac = holder.source.sender_mac
        self.comb += [
            received.connect(router.sink),
            router.hardware.connect(checks.frame, omit={"ready"}),
            router.hardware.connect(buffer.sink, keep={"valid", "last", "data", "last_be"}),
            buffer.commit.eq(checks.judged & checks.good),
            buffer.drop.eq(checks.judged & ~checks.good),
            buffer.source.connect(depacketizer.sink),
            depacketizer.source.connect(holder.sink),
            holder.source.connect(crossbar.master.sink),
        ]
        self.comb += [
            If(checks.judged & ~checks.good, self.event.valid.eq(1), self.event.code.eq(checks.code))
            .Elif(checks.judged & buffer.overflow, self.event.valid.eq(1), self.event.code.eq(Event.RECEIVE_OVERFLOW))
            .Elif(router.runt, self.event.valid.eq(1), self.event.code.eq(Event.FRAME_LENGTH)),
        ]

        # Transmit side, and the CPU's slots.
        self.packetizer = packetizer = LiteEthMACPacketizer(WORD_BITS)
        self.comb += crossbar.master.source.connect(packetizer.sink)
        senders = [packetizer.source]
        self.interface = None
        if rx_slots or tx_slots:
            self.rx_slots = CSRConstant(rx_slots)
            self.tx_slots = CSRConstant(tx_slots)
            self.slot_size = CSRConstant(SLOT_BYTES)
            self.slot_sums = CSRConstant(SUMS)
            self.interface = interface = FrameSlots(rx_slots=rx_slots, tx_slots=tx_slots)
            self.station_rows = CSRConstant(interface.stations.rows)
            self.ev = interface.ev
            self.tx_checksum = CSRStorage(
                fields=[
                    CSRField(
                        "udp",
                        description="Send frames that are started from now on with UDP's checksum. Bytes 40 and 41 "
                        "of such a frame must hold the sum of the pseudo header. They are sent as the "
                        "complement of the sum of everything from byte 34 on. Reset value 0.",
                    )
                ],
                description="Processing of the frames that the CPU sends. May be written at any time.",
            )
            self.comb += interface.with_checksum.eq(self.tx_checksum.fields.udp)
            self.comb += router.cpu.connect(interface.sink, omit={"ready"})
            senders.append(interface.source)
        # This skid buffer ends the long combinational path of `ready` from LiteEth's clock crossing.
        self.skid = skid = Skid(eth_phy_description(WORD_BITS))
        self.arbiter = Arbiter(senders, skid.sink)
        self.comb += skid.source.connect(sent)

    def get_csrs(self) -> list:
        """Return the registers of the slots and the MAC (with LiteEth's names), then our own register `tx_checksum`."""
        if self.interface:
            return [*self.interface.get_csrs(), *self.core.get_csrs(), self.tx_checksum]
        return self.core.get_csrs()
