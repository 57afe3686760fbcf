# SPDX-License-Identifier: BSD-2-Clause
"""Sends each received frame to the hardware's stack or to the CPU. A frame to a group address goes to both.

::

    sink ─► held ─► held ─┬─► hardware     the hardware's own address, and group addresses
                          └─► cpu          every other address, and group addresses

The router holds two words back until it knows the destination, bytes 0 to 5 of the frame. A group address has bit 0 of
byte 0 set; the broadcast address is one (IEEE 802.3, 3.2.3).

Throughput: one word a cycle; a frame takes two cycles more. Latency: 3 cycles. Handshake: `sink` waits only for those
two cycles. The router ignores `ready` of the outputs, since frames from a wire cannot wait. A frame of fewer than three
words is dropped; `runt` pulses.
"""

from liteeth.common import eth_phy_description
from litex.soc.interconnect import stream
from migen import FSM, Cat, If, Module, NextState, NextValue, Signal

from .. import WORD_BITS

MAC_BITS = 48
GROUP_BIT = 0  # this bit in byte 0 of a MAC address marks group addresses


def wire_order(number: int, size: int) -> int:
    """Convert a number of `size` bytes to wire order: the most significant byte is in bits 7:0 of the result."""
    return int.from_bytes(number.to_bytes(size, "big"), "little")


class FrameRouter(Module):
    """Routes frames by their destination.

    Parameters
    ----------
    mac_address : int
        The hardware's address, 48 bits.

    Attributes
    ----------
    sink, hardware, cpu : stream.Endpoint, LiteEth's `eth_phy_description(32)`
        Frames without preamble and check sequence.
    runt : Signal(), out
        Pulse: a frame of fewer than three words was dropped.
    """

    def __init__(self, *, mac_address: int):
        if not 0 < mac_address < 2**MAC_BITS or mac_address >> (MAC_BITS - 8) & 1:
            raise ValueError(f"MAC address {mac_address:#x} is not a unicast address of 48 bits")
        layout = eth_phy_description(WORD_BITS)
        self.sink = sink = stream.Endpoint(layout)
        self.hardware = stream.Endpoint(layout)
        self.cpu = stream.Endpoint(layout)
        self.runt = Signal()

        # # #

        held = [stream.Endpoint(layout, name=f"held{n}") for n in range(2)]  # the older word first
        fields = ("data", "last_be", "error", "last")
        shift, emit = Signal(), Signal()
        destination = Signal(MAC_BITS)
        own, group = Signal(), Signal()
        self.comb += [
            destination.eq(Cat(held[0].data, held[1].data)),
            own.eq(destination == wire_order(mac_address, MAC_BITS // 8)),
            group.eq(destination[GROUP_BIT]),
        ]
        self.sync += If(
            shift,
            *[getattr(held[0], name).eq(getattr(held[1], name)) for name in fields],
            *[getattr(held[1], name).eq(getattr(sink, name)) for name in fields],
        )
        to_hardware, to_cpu = Signal(), Signal()
        for output, chosen in ((self.hardware, to_hardware), (self.cpu, to_cpu)):
            self.comb += [
                output.valid.eq(emit & chosen),
                *[getattr(output, name).eq(getattr(held[0], name)) for name in fields],
            ]

        self.submodules.fsm = fsm = FSM(reset_state="FIRST")
        fsm.act(  # the state FIRST waits for the first word of a frame
            "FIRST",
            sink.ready.eq(1),
            shift.eq(sink.valid),
            If(sink.valid, If(sink.last, self.runt.eq(1)).Else(NextState("SECOND"))),
        )
        fsm.act(  # the state SECOND waits for the second word of a frame
            "SECOND",
            sink.ready.eq(1),
            shift.eq(sink.valid),
            If(sink.valid, If(sink.last, self.runt.eq(1), NextState("FIRST")).Else(NextState("DESTINATION"))),
        )
        fsm.act(  # the state DESTINATION lasts one cycle: it chooses the outputs by the frame's destination address
            "DESTINATION",
            NextValue(to_hardware, own | group),
            NextValue(to_cpu, ~own | group),
            NextState("FORWARD"),
        )
        fsm.act(  # the state FORWARD delays a frame by two words: for each word that arrives, it sends an older word
            "FORWARD",
            sink.ready.eq(1),
            shift.eq(sink.valid),
            emit.eq(sink.valid),
            If(sink.valid & sink.last, NextState("DRAIN")),
        )
        fsm.act(  # the state DRAIN lasts two cycles: it sends the frame's last two words
            "DRAIN",
            shift.eq(1),
            emit.eq(1),
            If(held[0].last, NextState("FIRST")),
        )
