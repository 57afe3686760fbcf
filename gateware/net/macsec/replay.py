# SPDX-License-Identifier: BSD-2-Clause
"""Recovers the upper half of received packet numbers, and detects replays (IEEE 802.1AE-2018, 10.6.2, 10.6.4).

The lowest acceptable number is the next expected number minus the window. With XPN, a frame carries the lower 32 bits
of its number. The upper bits are those of the lowest acceptable number. They are one more if the frame's lower bits are
below that number's, and their top bits differ so that a carry lies between them.

The window has up to 64 places. Inside it, each number is accepted once. The standard leaves this open and accepts a
repeated frame inside the window. Places below an association's first number count as used.

Latency: `RecoverPN` three cycles; `ReplayWindow` three cycles, and one more for each packet number that was left out,
up to 64. Handshake: see `ReplayWindow`.
"""

from migen import FSM, Case, Cat, If, Memory, Module, Mux, NextState, NextValue, Signal

from ...memory import DISTRIBUTED, NO_RW_CHECK
from . import ASSOCIATIONS
from .associations import PN_BITS, SHORT_PN_BITS
from .sectag import AN_BITS

PLACES = 64
WINDOW_BITS = 7  # 0 to 64


class RecoverPN(Module):
    """Computes a received frame's whole packet number. The frame itself carries only the lower 32 bits.

    Attributes
    ----------
    next_pn, xpn : Signal(64), Signal(), in
        Of the association.
    window : Signal(7), in
    low : Signal(32), in
        The number in the frame.
    pn, late : Signal(64), Signal(), out
        The whole number, two cycles later; whether it is below the window, three cycles later.
    """

    def __init__(self):
        self.next_pn = Signal(PN_BITS)
        self.xpn = Signal()
        self.window = Signal(WINDOW_BITS)
        self.low = low = Signal(SHORT_PN_BITS)
        self.pn = Signal(PN_BITS)
        self.late = Signal()

        # # #

        lowest, below = Signal(PN_BITS), Signal(PN_BITS + 1)
        carries = Signal()
        self.comb += [
            below.eq(self.next_pn - self.window),
            carries.eq(self.xpn & (low < lowest[:SHORT_PN_BITS]) & lowest[SHORT_PN_BITS - 1] & ~low[SHORT_PN_BITS - 1]),
        ]
        self.sync += [
            lowest.eq(Mux(below[PN_BITS], 0, below)),
            self.pn.eq(Cat(low, Mux(self.xpn, (lowest[SHORT_PN_BITS:] + carries)[:SHORT_PN_BITS], 0))),
            self.late.eq(self.pn < lowest),
        ]


class ReplayWindow(Module):
    """Judges the packet number of a frame, and remembers it if the frame's ICV is right.

    Attributes
    ----------
    judge : Signal(), in
        Pulse: judge the number; the inputs are steady until `done`.
    an, pn, next_pn : Signal(2), Signal(64), Signal(64), in
        The frame's association and number, and the association's next number.
    genuine : Signal(), in
        With `judge`: the ICV is right. Otherwise, the answer is only whether the number is below the window.
    window, protect : Signal(7), Signal(), in
        Places, and whether late frames are refused.
    done : Signal(), out
        Pulse: the answers are right, and the number is remembered if it was accepted.
    late, refused : Signal(), out
        The number is below the window or came before; the frame must be dropped.
    newest : Signal(), out
        The number is accepted, and none was higher: the next number is one more.
    install, installed : Signal(), Signal(2), in
        Pulse: an association begins anew; not while a number is judged.
    """

    def __init__(self):
        self.judge = Signal()
        self.genuine = Signal()
        self.an = Signal(AN_BITS)
        self.pn = Signal(PN_BITS)
        self.next_pn = Signal(PN_BITS)
        self.window = Signal(WINDOW_BITS)
        self.protect = Signal()
        self.done = Signal()
        self.late = Signal()
        self.refused = Signal()
        self.newest = Signal()
        self.install = Signal()
        self.installed = Signal(AN_BITS)

        # # #

        # Each association has a row of 64 bits, one for each packet number in the window. Bit n belongs to the packet
        # number whose remainder modulo 64 is n.
        memory = Memory(PLACES, ASSOCIATIONS, name="numbers_seen")
        memory.attr = {NO_RW_CHECK, DISTRIBUTED}
        write_port = memory.get_port(write_capable=True, async_read=True)
        self.specials += memory, write_port
        seen = Signal(PLACES)
        place = Signal(max=PLACES)
        bit = Signal(PLACES)
        # `behind` is the next expected packet number minus the frame's packet number. Its top bit is the borrow of this
        # subtraction. `gap` is the frame's packet number minus the next expected packet number, modulo 2^PN_BITS.
        behind = Signal(PN_BITS + 1)
        gap = Signal(PN_BITS)
        ahead, inside = Signal(), Signal()
        was_seen = Signal()
        store, genuine = Signal(), Signal()
        self.comb += [
            Case(place, {n: bit.eq(1 << n) for n in range(PLACES)}),
            was_seen.eq((seen & bit) != 0),
            ahead.eq(behind[PN_BITS] | (behind == 0)),
            inside.eq(~ahead & (behind <= PLACES)),
            write_port.adr.eq(Mux(self.install, self.installed, self.an)),
            write_port.dat_w.eq(Mux(self.install, 2**PLACES - 1, seen | bit)),
            write_port.we.eq(self.install | store),
        ]
        self.submodules.fsm = fsm = FSM(reset_state="IDLE")
        skipped = Signal(max=PLACES)  # number of bits that must still be cleared
        fsm.act(  # the state IDLE waits for a packet number to judge
            "IDLE",
            NextValue(behind, self.next_pn - self.pn),
            NextValue(gap, self.pn - self.next_pn),
            NextValue(seen, write_port.dat_r),
            NextValue(place, self.pn),
            NextValue(genuine, self.genuine),
            If(self.judge, NextState("JUDGE")),
        )
        fsm.act(  # one cycle
            "JUDGE",
            NextValue(self.late, ~ahead & ((behind > self.window) | (inside & was_seen & self.protect & genuine))),
            NextValue(self.newest, ahead & genuine),
            NextValue(skipped, gap),
            NextState("ANSWER"),
            If(~genuine | ~ahead, [])
            .Elif(gap >= PLACES, NextValue(seen, 0))
            .Elif(gap != 0, NextValue(place, self.next_pn), NextState("CLEAR")),
        )
        fsm.act(  # the state CLEAR clears the bit of one skipped packet number per cycle
            "CLEAR",
            NextValue(seen, seen & ~bit),
            NextValue(place, place + 1),
            NextValue(skipped, skipped - 1),
            If(skipped == 1, NextState("ANSWER")),
        )
        fsm.act(  # one cycle
            "ANSWER",
            self.done.eq(1),
            self.refused.eq(self.late & self.protect),
            store.eq(~self.refused & genuine & (self.newest | inside)),
            NextState("IDLE"),
        )
