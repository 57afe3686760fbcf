# SPDX-License-Identifier: BSD-2-Clause
"""Stores frames in the ring of rows, and extracts the fields on which the SecY's decisions depend.

::

    sink ─► words ─► rows ─► ring
              └─► EtherType, SecTAG, length ─► frame

A frame's first row has its addresses, bytes 0 to 11. Without SecTAG, byte 12 begins the next row. With one, the first
row's last word is the tag's first word, PN and SCI are not stored, and the byte after the tag begins the next row. The
ICV follows the data like more data. A frame to send keeps one more row for its ICV.

A received frame never waits: if there is no room, it is dropped and counted. A frame to send waits for room. Frames
with an error, of fewer than 17 bytes, or longer than the longest allowed are dropped and counted.

The SCI of a received frame (9.9) is the one in its tag. Without it, bit ES stands for the source address with port 1.
Without both, the frame belongs to the only peer. Single copy broadcasts (SCB) belong to no peer that we know.

Throughput: a word a cycle, and one cycle more for a frame. Latency: one cycle from the last word to `frame.valid`.
"""

from liteeth.common import eth_phy_description
from litex.soc.interconnect import stream
from migen import FSM, Array, C, Case, Cat, If, Module, Mux, NextState, Record, Signal, bits_for

from .. import WORD_BITS, WORD_BYTES
from ..events import EVENT_BITS
from . import LENGTH_BITS, ROW_BITS, ROW_BYTES, SHORTEST
from .counters import Counter
from .row_ring import write_layout
from .sectag import ETHERTYPE_EAPOL, ETHERTYPE_MACSEC, SCI_BITS, TCI

TYPE_WORD = 3  # number of the word that begins with the EtherType
LANES = ROW_BITS // WORD_BITS


def _type(number: int) -> int:
    """Return an EtherType in wire order (first byte in bits 7:0)."""
    return int.from_bytes(number.to_bytes(2, "big"), "little")


def frame_layout(rows: int, *, received: bool) -> list[tuple[str, int]]:
    """Return the layout of a stored frame: its rows, its length in bytes, and the fields on which decisions depend."""
    row_bits = bits_for(rows - 1)
    layout = [("row", row_bits), ("rows", row_bits), ("length", LENGTH_BITS), ("eapol", 1)]
    tag = [("tagged", 1), ("known", 1), ("tci", 8), ("sl", 8), ("pn", WORD_BITS)]
    return [*layout, *tag] if received else layout


class FrameWriter(Module):
    """Stores frames in the ring of rows.

    Parameters
    ----------
    rows : int
        Rows of the ring, a power of two.
    longest : int
        Longest frame in bytes.
    received : bool
        Frames come from the wire; otherwise they are to be sent.

    Attributes
    ----------
    sink : stream.Endpoint, LiteEth's `eth_phy_description(32)`, in
        Frames without check sequence.
    write : Record, see `write_layout`, out
        Always granted, unless `blocked`.
    freed : Signal, in
        Rows that were freed, modulo twice the ring.
    blocked : Signal(), in
        The ring is being zeroized: begin anew, and drop the frame under way.
    peer : Signal(64), in
        SCI of the peer, in wire order.
    frame : stream.Endpoint, see `frame_layout`, out
        A stored frame. `known`: its SCI is the peer's.
    event : stream.Endpoint, code(5), out
        A frame was dropped.
    """

    def __init__(self, *, rows: int, longest: int, received: bool):
        row_bits = bits_for(rows - 1)
        self.sink = sink = stream.Endpoint(eth_phy_description(WORD_BITS))
        self.write = write = Record(write_layout(rows))
        self.freed = Signal(row_bits + 1)
        self.blocked = Signal()
        self.peer = Signal(SCI_BITS)
        self.frame = frame = stream.Endpoint(frame_layout(rows, received=received))
        self.event = event = stream.Endpoint([("code", EVENT_BITS)])

        # # #

        # Words into rows.
        most = -(-longest // WORD_BYTES)
        words = Signal(max=most + 2)  # number of the frame's words before the present word
        lane, held = Signal(2), [Signal(WORD_BITS, name=f"held{n}") for n in range(LANES - 1)]
        first, written = Signal(row_bits + 1), Signal(row_bits + 1)
        full, take, ends_row, has_tag, in_tag = (Signal() for _ in range(5))
        tagged, tci = Signal(), Signal(8)
        kind = sink.data[:16]
        self.comb += [
            full.eq(self.blocked | ((written ^ self.freed) == rows)),
            take.eq(sink.valid & sink.ready),
            has_tag.eq(int(received) & (kind == _type(ETHERTYPE_MACSEC))),
            in_tag.eq(tagged & ((words == 4) | (tci[TCI.SC] & ((words == 5) | (words == 6))))),
            ends_row.eq(
                (words == TYPE_WORD) | ((words > TYPE_WORD) & ~in_tag & ((lane == LANES - 1) | sink.last)),
            ),
            write.row.eq(written),
            write.data.eq(Cat(*[Mux(lane == n, sink.data, word) for n, word in enumerate(held)], sink.data)),
        ]
        self.sync += If(
            take,
            If(~in_tag, Case(lane, {n: word.eq(sink.data) for n, word in enumerate(held)}), lane.eq(lane + 1)),
            If(
                words == TYPE_WORD,
                held[0].eq(sink.data),  # this word begins the frame's data if the frame has no SecTAG
                lane.eq(Mux(has_tag, 0, 1)),
            ),
            If(words != most + 1, words.eq(words + 1)),
        )

        # Fields.
        last_bytes, bad = Signal(3), Signal()
        lost, too_long = Signal(), Signal()  # there was no room
        length, short = Signal(LENGTH_BITS), Signal()
        source_is_peer, sci_is_peer = Signal(), Signal()
        eapol = Signal()
        self.comb += [
            Case(sink.last_be, {**{1 << n: last_bytes.eq(n + 1) for n in range(3)}, "default": last_bytes.eq(4)}),
            frame.row.eq(first),
            frame.length.eq(length),
            frame.eapol.eq(eapol),
        ]
        peer = Array([self.peer[:WORD_BITS], self.peer[WORD_BITS:]])
        self.sync += If(
            take,
            length.eq(Cat(C(0, 2), words) + last_bytes),
            short.eq((words < TYPE_WORD + 1) | ((words == TYPE_WORD + 1) & (last_bytes < SHORTEST % WORD_BYTES))),
            bad.eq(int(received) & ((sink.error & sink.last_be) != 0)),
            too_long.eq((words >= most) | ((words == most - 1) & (last_bytes > (longest - 1) % WORD_BYTES + 1))),
            If(words == TYPE_WORD, eapol.eq(kind == _type(ETHERTYPE_EAPOL)), tagged.eq(has_tag)),
        )
        if received:
            known = Signal()
            self.comb += [
                frame.tagged.eq(tagged),
                frame.tci.eq(tci),
                If(tci[TCI.SC], known.eq(sci_is_peer))
                .Elif(tci[TCI.ES], known.eq(source_is_peer))
                .Else(known.eq(~tci[TCI.SCB])),
                frame.known.eq(known),
            ]
            self.sync += If(
                take,
                Case(
                    words,
                    {
                        1: source_is_peer.eq(
                            (sink.data[16:] == self.peer[:16]) & (self.peer[48:] == _type(1)),
                        ),
                        2: If(sink.data != self.peer[16:48], source_is_peer.eq(0)),
                        3: [tci.eq(sink.data[16:24]), frame.sl.eq(sink.data[24:]), frame.pn.eq(0)],
                        4: frame.pn.eq(sink.data),
                        5: sci_is_peer.eq(sink.data == peer[0]),
                        6: If(sink.data != peer[1], sci_is_peer.eq(0)),
                    },
                ),
            )

        # Sequence.
        self.submodules.fsm = fsm = FSM(reset_state="TAKE")
        fits = ~lost & ~too_long & ~short & ~bad
        if received:
            code = Mux(lost, Counter.InPktsOverrun, Counter.InErrors)
            room = 1
        else:
            code = Mux(lost, Counter.OutPktsStopped, Mux(short, Counter.OutPktsTooShort, Counter.OutPktsTooLong))
            room = ~full
        fsm.act(  # the state TAKE waits for the words of a frame
            "TAKE",
            sink.ready.eq(1 if received else ~full),
            write.valid.eq(take & ends_row & ~full & ~lost & (words < most)),
            If(take & sink.last, NextState("END")),
        )
        done = Signal()
        fsm.act(  # the state END waits until `frame` accepts the frame, or `event` accepts the event of a dropped frame
            "END",
            frame.valid.eq(fits & room & ~self.blocked),
            frame.rows.eq(written - first + int(not received)),
            event.valid.eq(~fits),
            event.code.eq(code),
            If(fits, done.eq(frame.valid & frame.ready)).Else(done.eq(event.ready)),
            If(done, NextState("TAKE")),
        )
        if received:  # a received frame is dropped and counted if the queue of frames is full
            fsm.act("END", If(fits & ~frame.ready, event.valid.eq(1), event.code.eq(Counter.InPktsOverrun)))
            fsm.act("END", If(fits & ~frame.ready & event.ready, done.eq(1), NextState("TAKE")))
        self.sync += [
            If(write.valid, written.eq(written + 1)),
            If(take & ends_row & full, lost.eq(1)),
            If(self.blocked & ((words != 0) | take), lost.eq(1)),
            If(
                done,
                *[signal.eq(0) for signal in (words, lane, lost, tagged)],
                If(frame.valid & frame.ready, written.eq(first + frame.rows), first.eq(first + frame.rows)).Else(
                    written.eq(first)
                ),
            ),
            If(self.blocked, first.eq(0), written.eq(0), *[word.eq(0) for word in held]),
        ]
        assert ROW_BYTES == LANES * WORD_BYTES
