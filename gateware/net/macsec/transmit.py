# SPDX-License-Identifier: BSD-2-Clause
"""Protects frames to send (IEEE 802.1AE-2018, 10.5): association, packet number, SecTAG, encryption, ICV.

Each frame takes the association that `an` names when its turn comes, with its next packet number. After the last
number, the association is no longer live, and frames that need it are dropped and counted: 2^32 - 1 for GCM-AES-128 and
-256, 2^64 - 1 for the XPN suites. EAPOL frames belong to the uncontrolled port (10.4): they leave unprotected, whatever
the state of the associations.
"""

from litex.soc.interconnect import stream
from migen import Cat, Constant, If, Module, Mux, ResetInserter, Signal, bits_for

from ...ctr.client import Port
from ...gcm.ghash import CYCLES
from ..events import EVENT_BITS
from . import ADDRESS_BYTES, FRAME_BYTES_MAX, LENGTH_BITS
from .associations import PN_BITS, SHORT_PN_BITS, Associations
from .counters import Counter
from .frame_path import UNDER_WAY, FramePath
from .sectag import AN_BITS, number, short_length, tci_of


def iv_of(base: Signal, pn: Signal):
    """Return the IV of a frame: `base`, with the packet number XORed into its last eight bytes."""
    return base ^ Cat(Constant(0, len(base) - PN_BITS), number(pn))


class Transmit(Module):
    """The transmit direction of the MACsec unit (SecY).

    Parameters
    ----------
    port : Port
        A port of the CTR service with four slots.
    rows, cycles, portable
        See `FramePath`.

    Attributes
    ----------
    sink : stream.Endpoint, LiteEth's `eth_phy_description(32)`, in
        Frames of the controlled port, and EAPOL frames.
    source : stream.Endpoint, LiteEth's `eth_phy_description(32)`, out
        Frames for the MAC.
    associations : Associations
        With one reader more, for software.
    protect, encrypt, include_sci, end_station : Signal(), in
        Protect frames (protectFrames); encrypt them too; put the SCI into the tag; otherwise, set bit ES. They and `an`
        are sampled when a frame's turn comes.
    an : Signal(2), in
        The association of the next frames (encodingSA).
    events : list of stream.Endpoint, code(5), out
        Frames for the counters.
    expiring : Signal(), out
        The association `an` has used three quarters of its packet numbers (IEEE 802.1X-2020, 9.8).
    busy : Signal(), out
        The buffer is being zeroized.
    """

    def __init__(self, *, port: Port, rows: int = 512, cycles: int = CYCLES[2], portable: bool = True):
        self.submodules.associations = associations = Associations(port.keys, readers=2)
        self.submodules.path = path = FramePath(
            port=port, rows=rows, longest=FRAME_BYTES_MAX, received=False, cycles=cycles, portable=portable
        )
        self.sink, self.source = path.sink, path.source
        self.protect = Signal()
        self.encrypt = Signal()
        self.include_sci = Signal()
        self.end_station = Signal()
        self.an = Signal(AN_BITS)
        counted = stream.Endpoint([("code", EVENT_BITS)])
        self.events = [path.dropped, counted]
        self.expiring = Signal()
        self.busy = path.busy

        # # #

        # Decision.
        frame, work, current = path.frame, path.work, associations.readers[0]
        row_bits = bits_for(rows - 1)
        layout = [("row", row_bits), ("rows", row_bits), ("length", LENGTH_BITS), ("waits", 1), ("erase", 1)]
        layout += [("counts", 1), ("code", EVENT_BITS), ("tci", 8), ("sl", 8), ("pn", 32)]
        verdicts = ResetInserter()(stream.SyncFIFO(layout, UNDER_WAY))
        self.submodules.verdicts = verdicts
        live, protects, last_pn, taken = Signal(), Signal(), Signal(), Signal()
        entry = verdicts.sink
        self.comb += [
            verdicts.reset.eq(path.busy | path.drop),
            current.an.eq(self.an),
            live.eq((associations.live >> self.an)[0]),
            protects.eq(self.protect & ~frame.eapol & live),
            entry.row.eq(frame.row),
            entry.rows.eq(frame.rows),
            entry.length.eq(frame.length - ADDRESS_BYTES),
            entry.waits.eq(protects),
            entry.erase.eq(self.protect & ~frame.eapol & ~live),
            entry.counts.eq(~frame.eapol),
            entry.tci.eq(
                tci_of(an=self.an, encrypted=self.encrypt, with_sci=self.include_sci, end_station=self.end_station)
            ),
            entry.sl.eq(short_length(entry.length)),
            entry.pn.eq(number(current.pn[:SHORT_PN_BITS])),
            If(~self.protect, entry.code.eq(Counter.OutPktsUntagged))
            .Elif(~live, entry.code.eq(Counter.OutPktsStopped))
            .Else(entry.code.eq(Mux(self.encrypt, Counter.OutPktsEncrypted, Counter.OutPktsProtected))),
            *[getattr(work, name).eq(getattr(entry, name)) for name in ("row", "length", "tci", "sl", "pn")],
            work.slot.eq(self.an),
            work.iv.eq(iv_of(current.base, current.pn)),
            work.valid.eq(frame.valid & protects & entry.ready),
            taken.eq(frame.valid & entry.ready & (work.ready | ~protects) & ~path.busy & ~path.drop),
            frame.ready.eq(taken),
            entry.valid.eq(taken),
        ]

        # Packet numbers.
        self.comb += [
            last_pn.eq(
                (current.pn[:SHORT_PN_BITS] == 2**SHORT_PN_BITS - 1)
                & (~current.xpn | (current.pn[SHORT_PN_BITS:] == 2**SHORT_PN_BITS - 1))
            ),
            associations.advance.eq(taken & protects),
            associations.advanced.eq(self.an),
            associations.next_pn.eq(current.pn + 1),
            associations.exhaust.eq(last_pn),
        ]
        top = Mux(current.xpn, current.pn[PN_BITS - 2 :], current.pn[SHORT_PN_BITS - 2 : SHORT_PN_BITS])
        self.sync += self.expiring.eq(live & (top == 3))

        # The queue `verdicts` contains a verdict on each frame. The verdict on a protected frame waits for the ICV from
        # GCM.
        verdict, result, job, icv = verdicts.source, path.result, path.job, path.write
        given = Signal()
        self.comb += [
            icv.valid.eq(verdict.valid & verdict.waits & result.valid),
            icv.row.eq(verdict.row + verdict.rows - 1),
            icv.data.eq(result.tag),
            given.eq(
                verdict.valid
                & job.ready
                & (counted.ready | ~verdict.counts)
                & (~verdict.waits | (result.valid & icv.granted))
            ),
            verdict.ready.eq(given),
            result.ready.eq(given & verdict.waits),
            job.valid.eq(given),
            *[getattr(job, name).eq(getattr(verdict, name)) for name in ("row", "rows", "length", "tci", "sl", "pn")],
            job.tagged.eq(verdict.waits),
            job.erase.eq(verdict.erase | (verdict.waits & result.error)),
            counted.valid.eq(given & verdict.counts),
            counted.code.eq(Mux(verdict.waits & result.error, Counter.OutPktsStopped, verdict.code)),
        ]
