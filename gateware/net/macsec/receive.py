# SPDX-License-Identifier: BSD-2-Clause
"""Verifies received frames (IEEE 802.1AE-2018, 10.6): SecTAG, association, replay protection, ICV.

The checks in their order, and what becomes of a frame that fails; "or C" means that its bit C is set:

=============================================  ==================  ======================================
check                                          dropped             otherwise delivered, without validation
=============================================  ==================  ======================================
EAPOL without SecTAG                           never               to the uncontrolled port only
has a SecTAG                                   strict              InPktsUntagged
SecTAG passes its checks (9.12)                always
SCI is the peer's, association is in use       strict, or C        InPktsNoSA
packet number is not below the window          replay protection
validation is not disabled                     C                   InPktsUnchecked
ICV is right                                   strict, or C        InPktsInvalid
packet number once more, and came only once    replay protection   InPktsDelayed
=============================================  ==================  ======================================

Frames leave without SecTAG and ICV. A dropped frame's rows are zeroized.
"""

from enum import IntEnum

from litex.soc.interconnect import stream
from migen import FSM, If, Module, Mux, NextState, NextValue, ResetInserter, Signal, bits_for

from ...ctr.client import Port
from ...gcm.ghash import CYCLES
from ..events import EVENT_BITS
from . import ADDRESS_BYTES, ASSOCIATIONS, FRAME_BYTES_MAX, LENGTH_BITS
from .associations import PN_BITS, Associations
from .counters import Counter
from .frame_path import UNDER_WAY, FramePath
from .replay import PLACES, WINDOW_BITS, RecoverPN, ReplayWindow
from .sectag import AN_BITS, ICV_BYTES, SCI_BYTES, SECTAG_BYTES, TCI, SecTAGChecks, number
from .transmit import iv_of


class Validate(IntEnum):
    """Values of the setting validateFrames (10.7.8). Other values count as `STRICT`."""

    STRICT = 0
    CHECK = 1
    DISABLED = 2


class Receive(Module):
    """The receive direction of the MACsec unit (SecY).

    Parameters
    ----------
    port : Port
        A port of the CTR service with four slots.
    rows, cycles, portable
        See `FramePath`.

    Attributes
    ----------
    sink : stream.Endpoint, LiteEth's `eth_phy_description(32)`, in
        Frames from the MAC; never made to wait, apart from a few cycles after a frame.
    source : stream.Endpoint, LiteEth's `eth_phy_description(32)`, out
        Frames for the user.
    uncontrolled : Signal(), out
        With `source`: the frame belongs to the uncontrolled port. Other frames belong to the controlled port.
    associations : Associations
        With one reader more, for software.
    validate : Signal(2), in
        See `Validate`.
    replay_protect, window : Signal(), Signal(7), in
        Refuse old packet numbers (replayProtect), except the last ones (replayWindow, at most 64).
    receive : Signal(4), in
        Associations in use (inUse). All these inputs are sampled when a frame's turn comes.
    events : list of stream.Endpoint, code(5), out
        Frames for the counters.
    busy : Signal(), out
        The buffer is being zeroized.
    """

    def __init__(self, *, port: Port, rows: int = 512, cycles: int = CYCLES[2], portable: bool = True):
        around = SECTAG_BYTES + SCI_BYTES + ICV_BYTES
        self.submodules.associations = associations = Associations(port.keys, readers=3)
        self.submodules.path = path = FramePath(
            port=port, rows=rows, longest=FRAME_BYTES_MAX + around, received=True, cycles=cycles, portable=portable
        )
        self.sink, self.source, self.uncontrolled = path.sink, path.source, path.sender.uncontrolled
        self.validate = Signal(2)
        self.replay_protect = Signal()
        self.window = Signal(WINDOW_BITS)
        self.receive = Signal(ASSOCIATIONS)
        counted = stream.Endpoint([("code", EVENT_BITS)])
        self.events = [path.dropped, counted]
        self.busy = path.busy

        # # #

        window = Signal(WINDOW_BITS)
        self.comb += [
            window.eq(Mux(self.window > PLACES, PLACES, self.window)),
            path.writer.peer.eq(associations.sci),
            path.sci.eq(associations.sci),
        ]

        # Decision, in four cycles.
        frame, work, current = path.frame, path.work, associations.readers[0]
        row_bits = bits_for(rows - 1)
        layout = [("row", row_bits), ("rows", row_bits), ("length", LENGTH_BITS), ("uncontrolled", 1), ("waits", 1)]
        layout += [("erase", 1), ("counts", 1), ("code", EVENT_BITS), ("an", AN_BITS), ("pn", PN_BITS), ("keep", 1)]
        verdicts = ResetInserter()(stream.SyncFIFO(layout, UNDER_WAY))
        self.submodules.verdicts = verdicts
        self.submodules.checks = checks = SecTAGChecks()
        self.submodules.recover = recover = RecoverPN()
        self.submodules.decision = decision = ResetInserter()(FSM(reset_state="CHECK"))
        entry = verdicts.sink
        drop = path.busy | path.drop
        good, data_length = Signal(), Signal(LENGTH_BITS)
        strict, disabled, changed = Signal(), Signal(), Signal()
        in_use, validates, judged, taken = Signal(), Signal(), Signal(), Signal()
        self.comb += [
            verdicts.reset.eq(drop),
            decision.reset.eq(drop),
            current.an.eq(frame.tci[:AN_BITS]),
            checks.tci.eq(frame.tci),
            checks.sl.eq(frame.sl),
            checks.pn.eq(frame.pn),
            checks.xpn.eq(current.xpn),
            checks.length.eq(frame.length),
            recover.next_pn.eq(current.pn),
            recover.xpn.eq(current.xpn),
            recover.window.eq(window),
            recover.low.eq(number(frame.pn)),
            changed.eq(frame.tci[TCI.C]),
            disabled.eq(self.validate == Validate.DISABLED),
            strict.eq(~disabled & (self.validate != Validate.CHECK)),
            in_use.eq(frame.known & ((associations.live & self.receive) >> current.an)[0]),
            entry.row.eq(frame.row),
            entry.rows.eq(frame.rows),
            entry.length.eq(Mux(frame.tagged, data_length, frame.length - ADDRESS_BYTES)),
            entry.an.eq(current.an),
            entry.pn.eq(recover.pn),
            entry.keep.eq(~strict & ~changed),
            entry.counts.eq(1),
            validates.eq(0),
            If(
                ~frame.tagged & frame.eapol,
                entry.uncontrolled.eq(1),
                entry.counts.eq(0),
            )
            .Elif(
                ~frame.tagged,
                entry.erase.eq(strict),
                entry.code.eq(Mux(strict, Counter.InPktsNoTag, Counter.InPktsUntagged)),
            )
            .Elif(
                ~good,
                entry.erase.eq(1),
                entry.code.eq(Counter.InPktsBadTag),
            )
            .Elif(
                ~in_use,
                entry.erase.eq(~entry.keep),
                entry.code.eq(Mux(entry.keep, Counter.InPktsNoSA, Counter.InPktsNoSAError)),
            )
            .Elif(
                recover.late & self.replay_protect,
                entry.erase.eq(1),
                entry.code.eq(Counter.InPktsLate),
            )
            .Elif(
                disabled,
                entry.erase.eq(changed),
                entry.code.eq(
                    Mux(
                        changed,
                        Counter.InPktsNotValid,
                        Mux(recover.late, Counter.InPktsDelayed, Counter.InPktsUnchecked),
                    )
                ),
            )
            .Else(validates.eq(1)),
            entry.waits.eq(validates),
            work.row.eq(frame.row),
            work.length.eq(data_length),
            work.tci.eq(frame.tci),
            work.sl.eq(frame.sl),
            work.pn.eq(frame.pn),
            work.slot.eq(current.an),
            work.iv.eq(iv_of(current.base, recover.pn)),
            work.valid.eq(judged & validates & entry.ready),
            taken.eq(judged & entry.ready & (work.ready | ~validates) & ~drop),
            entry.valid.eq(taken),
            frame.ready.eq(taken),
        ]
        self.sync += [good.eq(checks.good), data_length.eq(checks.data_length)]
        decision.act(  # the state CHECK waits for a frame, and computes the lowest acceptable packet number
            "CHECK",
            If(frame.valid, NextState("RECOVER")),
        )
        decision.act(  # the state RECOVER lasts one cycle, to compute the whole packet number
            "RECOVER",
            NextState("COMPARE"),
        )
        decision.act(  # the state COMPARE lasts one cycle, to compare the packet number with the window
            "COMPARE",
            NextState("DECIDE"),
        )
        decision.act(  # the state DECIDE waits until GCM and the queue of verdicts accept the frame
            "DECIDE",
            judged.eq(1),
            If(taken, NextState("CHECK")),
        )

        # Verdict.
        self.submodules.replay = replay = ReplayWindow()
        self.submodules.fsm = fsm = ResetInserter()(FSM(reset_state="WAIT"))
        verdict, result, job, last = verdicts.source, path.result, path.job, associations.readers[1]
        erase, code = Signal(), Signal(EVENT_BITS)
        gives = Signal()
        self.comb += [
            fsm.reset.eq(drop),
            last.an.eq(verdict.an),
            replay.genuine.eq(~result.failed),
            replay.an.eq(verdict.an),
            replay.pn.eq(verdict.pn),
            replay.next_pn.eq(last.pn),
            replay.window.eq(window),
            replay.protect.eq(self.replay_protect),
            replay.install.eq(associations.installed),
            replay.installed.eq(associations.slot),
            associations.advance.eq(replay.done & replay.newest & ~drop),
            associations.advanced.eq(verdict.an),
            associations.next_pn.eq(verdict.pn + 1),
            associations.exhaust.eq(associations.next_pn == 0),
            *[getattr(job, name).eq(getattr(verdict, name)) for name in ("row", "rows", "length", "uncontrolled")],
            job.erase.eq(erase),
            job.valid.eq(gives),
            counted.valid.eq(gives & verdict.counts),
            counted.code.eq(code),
            verdict.ready.eq(gives),
            result.ready.eq(gives & verdict.waits),
        ]
        fsm.act(  # the state WAIT waits for the verdict on a frame and, if the frame went to GCM, for GCM's result
            "WAIT",
            NextValue(erase, verdict.erase),
            NextValue(code, verdict.code),
            If(
                verdict.valid & ~verdict.waits,
                NextState("GIVE"),
            ).Elif(
                verdict.valid & result.valid,
                NextState("GIVE"),
                If(
                    result.error,
                    NextValue(erase, 1),
                    NextValue(code, Counter.InPktsNoSAError),
                ).Else(
                    replay.judge.eq(1),
                    NextState("JUDGE"),
                ),
            ),
        )
        fsm.act(  # the state JUDGE waits until the replay window has judged the packet number
            "JUDGE",
            If(
                replay.done,
                NextValue(erase, replay.refused | (result.failed & ~verdict.keep)),
                If(replay.refused, NextValue(code, Counter.InPktsLate))
                .Elif(
                    result.failed,
                    NextValue(code, Mux(verdict.keep, Counter.InPktsInvalid, Counter.InPktsNotValid)),
                )
                .Else(NextValue(code, Mux(replay.late, Counter.InPktsDelayed, Counter.InPktsOK))),
                NextState("GIVE"),
            ),
        )
        fsm.act(  # the state GIVE waits until the queue of jobs and, if the frame is counted, the counters are ready
            "GIVE",
            If(job.ready & (counted.ready | ~verdict.counts), gives.eq(1), NextState("WAIT")),
        )
