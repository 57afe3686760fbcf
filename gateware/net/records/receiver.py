# SPDX-License-Identifier: BSD-2-Clause
"""Takes datagrams, checks each of them against its session, and passes the accepted datagrams on.

::

    sink ─► header words ─► search, comparisons ─► verdict ─┬─► event
      │                                                     └─► job       (what the reply needs)
      └─► data words ─────────────────────────────────────────► packet    (with slot, T1, index, length)

The checks are those of `gateware.net.events.Event`, from HEADER on. All comparisons are made for every datagram, so the
verdict always comes after the same number of cycles. A datagram that fails is read to its end and leaves nothing.
`packet` always carries `length` bytes. If the datagram ends early or with an error, zeros follow, and `outcome` tells
that the result must be dropped. The same happens if the record came before with other data; that is known once all its
data have arrived.

The parameters for the reply and the engine are taken in the cycle of the verdict, so no later stage reads the session
table. If a session is closed in that cycle or later, its datagram has been accepted; if it was closed earlier, the
datagram has not.

Throughput: one word a cycle for data; about 23 cycles more for each datagram with 8 sessions. Handshake: valid and
ready; `job` and `outcome` must be ready whenever `room` is given.
"""

from liteeth.common import eth_udp_user_description
from litex.soc.interconnect import stream
from migen import FSM, Array, Cat, If, Module, Mux, NextState, NextValue, Signal

from .. import WORD_BITS
from ..events import EVENT_BITS, Event
from ..layouts import LENGTH_BITS, job_layout, outcome_layout, packet_layout
from . import header as wire
from .session_table import SessionTable
from .window import DECIDE_CYCLES, LOOKUP_CYCLES, RecordWindow

OFFSET_BITS = 64
# Number of cycles from the end of the session search to the state VERDICT, which accepts or refuses the record. The
# lookup in the record window needs all these cycles. The other checks and the output `needed` need fewer cycles.
COMPARE_CYCLES = LOOKUP_CYCLES - 1
CHECKS = [event for event in Event if Event.HEADER <= event <= Event.TRANSMIT_OVERFLOW]


class RecordReceiver(Module):
    """Parses the record in each datagram and checks it.

    Parameters
    ----------
    table : SessionTable
        The sessions; used, not added as a submodule.
    window : RecordWindow
        The windows of the sessions; used, not added as a submodule.

    Attributes
    ----------
    sink : stream.Endpoint, LiteEth's `eth_udp_user_description(32)`, in
        Datagrams.
    sender_mac : Signal(48), in
        Ethernet source address of the current datagram.
    usable : Signal(slots), in
        Key slots that hold a key and may be used.
    needed : Signal(16), out
        Bytes that the reply to the current datagram needs.
    room : Signal(), in
        There is room for `needed` bytes.
    accepted, row, slot : Signal(), Signal, Signal, out
        Pulse: a datagram of this row and key slot has passed all checks.
    job : stream.Endpoint, see `job_layout`, out
        The parameters of the reply, one cycle after `accepted`.
    packet : stream.Endpoint, see `packet_layout`, out
        Data to encrypt; none for a record without data.
    outcome : stream.Endpoint, see `outcome_layout`, out
        One outcome for each job, after its last word.
    event : stream.Endpoint, code(5), out
        Datagrams that were dropped.
    """

    def __init__(self, *, table: SessionTable, window: RecordWindow, slots: int):
        row_bits, slot_bits = len(table.found_row), len(table.slot)
        self.sink = sink = stream.Endpoint(eth_udp_user_description(WORD_BITS))
        self.sender_mac = Signal(48)
        self.usable = Signal(slots)
        self.needed = Signal(LENGTH_BITS)
        self.room = Signal()
        self.accepted = Signal()
        self.row, self.slot = table.found_row, table.slot
        self.job = stream.Endpoint(job_layout(row_bits, slot_bits))
        self.packet = packet = stream.Endpoint(packet_layout(slot_bits))
        self.outcome = stream.Endpoint(outcome_layout())
        self.event = stream.Endpoint([("code", EVENT_BITS)])

        # # #

        header = wire.header_record("header")
        words = Signal(wire.HEADER_WORDS * WORD_BITS)
        count = Signal(max=wire.HEADER_WORDS)  # header words taken
        size = Signal(LENGTH_BITS)  # length of the datagram
        peer_ip, peer_port, peer_mac = Signal(32), Signal(16), Signal(48)
        take = Signal()
        in_header = Signal()
        ended = Signal()  # 1: the last word of the datagram has been read
        damaged = Signal()  # 1: the datagram had an error, or fewer bytes than the length field of the record states
        faulty = Signal()
        short = Signal()  # 1: the datagram ended within the record header
        self.comb += [
            header.raw_bits().eq(words),
            take.eq(sink.valid & sink.ready),
            faulty.eq((sink.error & sink.last_be) != 0),
            table.number.eq(sink.data),
            table.search.eq(take & in_header & (count == wire.word_of("session"))),
        ]
        self.sync += [
            If(
                take & in_header,
                words.eq(Cat(words[WORD_BITS:], sink.data)),
                size.eq(sink.length),
                peer_ip.eq(sink.ip_address),
                peer_port.eq(sink.src_port),
                peer_mac.eq(self.sender_mac),
                count.eq(count + 1),
                short.eq(sink.last & (count != wire.HEADER_WORDS - 1)),
            ),
            If(take & sink.last, ended.eq(1), If(faulty, damaged.eq(1))),
        ]

        # The comparisons take two steps: store each result in a register, then choose the first failed check.
        data_end = Signal(OFFSET_BITS + 1)
        index_zero = wire.OFFSET_UNIT - 1
        failed = {code: Signal(name=f"failed_{code.name.lower()}") for code in CHECKS}
        usable = Array([self.usable[n] for n in range(slots)])
        self.sync += [
            self.needed.eq(header.length + wire.HEADER_BYTES),
            data_end.eq(header.offset + header.length),
            failed[Event.HEADER].eq((size < wire.HEADER_BYTES) | short),
            failed[Event.VERSION].eq(header.version != wire.HEADER_VERSION),
            failed[Event.TYPE].eq(header.type != wire.DATA_REQUEST),
            failed[Event.LENGTH].eq((header.length + wire.HEADER_BYTES != size) | (ended & (header.length != 0))),
            failed[Event.OFFSET].eq((header.offset & index_zero) != 0),
            failed[Event.PEER].eq((peer_ip != table.peer_ip) | (peer_port != table.peer_port)),
            failed[Event.TOKEN].eq(header.token != table.token),
            failed[Event.LIMIT].eq(data_end > table.limit),
        ]
        # The results of the following checks can change until the state VERDICT, so no registers store them.
        self.comb += [
            failed[Event.SESSION].eq(~table.found),
            failed[Event.WINDOW].eq(window.outside),
            failed[Event.KEY].eq(~usable[table.slot]),
            failed[Event.TRANSMIT_OVERFLOW].eq(~self.room),
        ]
        verdict = Event.RECORD
        passed = 1
        for code in reversed(CHECKS):
            verdict = Mux(failed[code], code, verdict)
            passed = passed & ~failed[code]

        # The outputs `job` and `packet` use the header's words, which stay valid until the next datagram.
        rest = Signal(LENGTH_BITS - 2)  # number of data words after the present word
        self.comb += [
            *[getattr(self.job, name).eq(getattr(header, name)) for name in ("session", "offset", "token", "length")],
            self.job.ip_address.eq(peer_ip),
            self.job.port.eq(peer_port),
            self.job.mac_address.eq(peer_mac),
            self.job.row.eq(table.found_row),
            self.job.slot.eq(packet.slot),
            packet.index.eq(header.offset[wire.OFFSET_UNIT.bit_length() - 1 :]),
            packet.length.eq(header.length),
            packet.data.eq(Mux(ended, 0, sink.data)),
            packet.last.eq(rest == 0),
        ]

        # The record window gets the record's block index, length and data words.
        self.comb += [
            window.found_row.eq(table.found_row),
            window.record_blocks.eq(table.record_blocks),
            window.index.eq(packet.index),
            window.length.eq(header.length),
            window.word.eq(sink.data),
            window.add.eq(packet.valid & packet.ready),
            window.last.eq(packet.last),
        ]

        self.sync += self.job.valid.eq(self.accepted)
        verdict_wait = Signal(max=COMPARE_CYCLES + 1)
        decide_wait = Signal(max=DECIDE_CYCLES)
        self.submodules.fsm = fsm = FSM(reset_state="HEADER")
        self.comb += in_header.eq(fsm.ongoing("HEADER"))
        fsm.act(  # the state HEADER waits for the whole header, or for the end of a datagram without a whole header
            "HEADER",
            sink.ready.eq(1),
            NextValue(verdict_wait, COMPARE_CYCLES),
            If(take & (sink.last | (count == wire.HEADER_WORDS - 1)), NextState("COMPARE")),
        )
        fsm.act(  # the state COMPARE waits for the session search, then for the comparisons with the row that was found
            "COMPARE",
            window.begin.eq(~table.searching & (verdict_wait == COMPARE_CYCLES)),
            If(~table.searching, NextValue(verdict_wait, verdict_wait - 1)),
            If(verdict_wait == 0, NextState("VERDICT")),
        )
        fsm.act(  # the state VERDICT lasts one cycle: it accepts or refuses the record
            "VERDICT",
            NextValue(count, 0),
            NextValue(decide_wait, DECIDE_CYCLES - 1),
            NextValue(rest, (header.length - 1)[2:]),
            NextValue(packet.initial, table.initial),
            NextValue(packet.slot, table.slot),
            If(
                passed,
                self.accepted.eq(1),
                NextState("DATA"),
                If(header.length == 0, NextState("DECIDE")),
            ).Else(
                self.event.valid.eq(1),
                self.event.code.eq(verdict),
                NextState("DISCARD"),
            ),
        )
        fsm.act(  # the state DATA passes the record's data words to the engine, with zeros for missing words
            "DATA",
            packet.valid.eq(sink.valid | ended),
            sink.ready.eq(packet.ready & ~ended),
            If(
                packet.valid & packet.ready,
                NextValue(rest, rest - 1),
                If(take & sink.last & (rest != 0), NextValue(damaged, 1)),
                If(rest == 0, NextState("DECIDE")),
            ),
        )
        fsm.act(  # the state DECIDE waits until the record window has compared the sum of the data with a stored sum
            "DECIDE",
            window.deciding.eq(1),
            NextValue(decide_wait, decide_wait - 1),
            If(
                decide_wait == 0,
                window.mark.eq(~damaged),
                self.outcome.valid.eq(1),
                self.outcome.damaged.eq(damaged | window.other_data),
                self.outcome.code.eq(Mux(damaged, Event.LENGTH, Event.OTHER_DATA)),
                NextState("DISCARD"),
            ),
        )
        fsm.act(  # the state DISCARD waits for the end of the datagram
            "DISCARD",
            sink.ready.eq(~ended),
            If(ended, NextValue(ended, 0), NextValue(damaged, 0), NextState("HEADER")),
        )
