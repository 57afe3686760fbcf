# SPDX-License-Identifier: BSD-2-Clause
"""Answers record datagrams with encrypted data. Connects the receiver, session table, sender and counters.

::

    sink ─► receiver ─┬─ packet ──► (CTR packet engine) ── encrypted ──► sender ─► source
                 ▲    └─ job ───────────────────────────────────────────►  ▲
  session table, window ◄── CPU                     statistics, events ◄───┘

The engine is outside this module. It takes packets (`gateware.net.layouts.packet_layout`) and returns as many words, in
order. Several datagrams are under way at a time. One is being received; earlier ones are in the engine; still earlier
ones wait to be sent. Nothing is sent for a datagram that fails a check. A session that is closed meanwhile takes no
more datagrams. Datagrams that it accepted before are answered with its key.
"""

from migen import Module, Record, bits_for

from ...ctr.client import USE_LAYOUT
from ...ctr.key_loader import Uses
from ..event_counters import EventCounters
from .receiver import RecordReceiver
from .sender import RecordSender
from .session_table import SessionTable
from .statistics import Statistics
from .window import RecordWindow


class FastPath(Module):
    """The fast path: parses records from a UDP port, passes data through a CTR packet engine, and sends the replies.

    Parameters
    ----------
    port : int
        UDP port of the records.
    rows, slots : int
        Sessions and key slots.
    buffer_words : int
        Size of the transmit buffer, a power of two.

    Attributes
    ----------
    sink : stream.Endpoint, LiteEth's `eth_udp_user_description(32)`, in
        Datagrams with correct checksums.
    source : stream.Endpoint, see `gateware.net.layouts.datagram_layout`, out
        Datagrams.
    ip_address : Signal(32), in
        The hardware's IP address.
    sender_mac : Signal(48), in
        Source address of the frame at `sink`.
    destination : Record, waits, ip_address(32), mac_address(48), out
        Whether a datagram waits at `source`, and the station that it goes to.
    packet, encrypted : stream.Endpoint
        To and from the engine.
    usable : Signal(slots), in
        Key slots that may be used.
    begin, end : Record, see `gateware.ctr.client.USE_LAYOUT`, out
        Pulse with a key slot: a datagram for the slot was accepted, or one left the engine a cycle ago.
    table, window, statistics : Module
        The parts that the CPU accesses: sessions, windows of records, and statistics.
    frame_event : stream.Endpoint, code(5), in
        Frames that were dropped before they reached this module.
    events : EventCounters
        All counters.
    empty : Signal(), out
        Every accepted datagram has been sent or dropped.
    """

    def __init__(self, *, port: int, rows: int = 8, slots: int = 8, buffer_words: int = 2048):
        self.submodules.table = table = SessionTable(rows=rows, slots=slots)
        self.submodules.window = window = RecordWindow(rows=rows)
        self.submodules.taker = taker = RecordReceiver(table=table, window=window, slots=slots)
        self.submodules.sender = sender = RecordSender(
            port=port, row_bits=bits_for(rows - 1), slot_bits=bits_for(slots - 1), buffer_words=buffer_words
        )
        self.submodules.statistics = statistics = Statistics(rows=rows)
        self.submodules.events = events = EventCounters(sources=3)
        self.begin, self.end = Record(USE_LAYOUT), Record(USE_LAYOUT)
        row_begin, row_end = Record(USE_LAYOUT), Record(USE_LAYOUT)
        self.submodules.rows_under_way = in_rows = Uses(rows, row_begin, row_end)
        self.sink, self.sender_mac = taker.sink, taker.sender_mac
        self.source, self.destination, self.ip_address = sender.source, sender.destination, sender.ip_address
        self.packet, self.encrypted = taker.packet, sender.encrypted
        self.usable = taker.usable
        self.frame_event = events.sinks[0]
        self.empty = sender.empty

        # # #

        finished = sender.finished
        self.comb += [
            taker.job.connect(sender.job),
            taker.outcome.connect(sender.outcome),
            sender.needed.eq(taker.needed),
            sender.reserve.eq(taker.accepted),
            taker.room.eq(sender.room),
            table.in_use.eq(in_rows.used),
            statistics.record.valid.eq(finished.valid & ~finished.damaged),
            statistics.record.row.eq(finished.row),
            statistics.record.length.eq(finished.length),
            statistics.row.eq(table.row),
            window.row.eq(table.row),
            taker.event.connect(events.sinks[1]),
            events.sinks[2].valid.eq(finished.valid),
            events.sinks[2].code.eq(finished.code),
        ]
        for begin, end, name in ((row_begin, row_end, "row"), (self.begin, self.end, "slot")):
            self.comb += [
                begin.valid.eq(taker.accepted),
                begin.number.eq(getattr(taker, name)),
            ]
            self.sync += [end.valid.eq(finished.valid), end.number.eq(getattr(finished, name))]
