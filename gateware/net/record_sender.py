"""Builds the reply to each record and sends it once it is whole.

::

    job ──────► header words ─┬─► buffer ─► source      (a datagram: header with the reply bit, encrypted data)
    encrypted ──► data words ─┘     ▲
    outcome ──────────── commit or drop

Room is reserved when a datagram is accepted, so that nothing behind that point ever waits for the network: when the
buffer is full because LiteEth does not send, datagrams are refused at the door instead.

Bytes behind the end of the data leave as zero. Throughput: one word a cycle; 2 cycles a datagram besides its words.
Handshake: valid and ready; `reserve` takes the room for `needed` bytes, `room` says that it is there.
"""

from liteeth.common import eth_udp_user_description
from litex.soc.interconnect import stream
from migen import FSM, Array, C, Cat, If, Module, Mux, NextState, NextValue, Record, Replicate, Signal

from gateware.net import WORD_BITS, WORD_BYTES
from gateware.net import header as wire
from gateware.net.events import EVENT_BITS, Event
from gateware.net.neighbours import RECEIVER_LAYOUT, STATION_LAYOUT
from gateware.net.packet_buffer import PacketBuffer
from gateware.net.record_receiver import LENGTH_BITS, job_layout

# Datagrams between acceptance and the end of sending.
DATAGRAMS_MAX = 16


class RecordSender(Module):
    """Makes replies.

    Parameters
    ----------
    port : int
        The UDP port that replies come from.
    row_bits, slot_bits : int
        Sizes of a job's `row` and `slot`.
    buffer_words : int
        Size of the buffer, a power of two.

    Attributes
    ----------
    job : stream.Endpoint, see `job_layout`, in
    encrypted : stream.Endpoint, data(32), in
        Data of the jobs, in their order.
    outcome : stream.Endpoint, damaged, in
        For each job, whether its reply must be dropped.
    needed, room, reserve : Signal(16), in, and Signal(), out, and Signal(), in
        The room for a reply; `room` is two cycles behind `needed`.
    finished : Record, valid, damaged, code(4), row, slot, length(16), out
        Pulse: the data of a job have left the engine; the reply is whole, or dropped; `code` is the `Event`.
    source : stream.Endpoint, LiteEth's `eth_udp_user_description(32)`, out
        Datagrams.
    receiver : Record, waits, ip_address(32), mac_address(48), out
        Whether a datagram waits at `source`, and for whom.
    empty : Signal(), out
        No job or datagram is here.
    """

    def __init__(self, *, port: int, row_bits: int, slot_bits: int, buffer_words: int = 2048):
        self.job = stream.Endpoint(job_layout(row_bits, slot_bits))
        self.encrypted = stream.Endpoint([("data", WORD_BITS)])
        self.outcome = stream.Endpoint([("damaged", 1)])
        self.needed = Signal(LENGTH_BITS)
        self.room = Signal()
        self.reserve = Signal()
        self.finished = Record(
            [
                ("valid", 1),
                ("damaged", 1),
                ("code", EVENT_BITS),
                ("row", row_bits),
                ("slot", slot_bits),
                ("length", LENGTH_BITS),
            ]
        )
        self.source = source = stream.Endpoint(eth_udp_user_description(WORD_BITS))
        self.receiver = Record(RECEIVER_LAYOUT)
        self.empty = Signal()

        # # #

        self.submodules.jobs = jobs = stream.SyncFIFO(self.job.description, DATAGRAMS_MAX)
        self.submodules.outcomes = outcomes = stream.SyncFIFO(self.outcome.description, DATAGRAMS_MAX)
        self.submodules.buffer = buffer = PacketBuffer(depth=buffer_words)
        job = jobs.source
        self.comb += [self.job.connect(jobs.sink), self.outcome.connect(outcomes.sink)]

        # Reply.
        header = wire.header_record("reply")
        count = Signal(max=wire.HEADER_WORDS)
        rest = Signal(LENGTH_BITS - 2)  # data words to come after this one
        last_byte = Signal(2)
        last_be = Signal(WORD_BYTES)
        words = [header.raw_bits()[WORD_BITS * n : WORD_BITS * (n + 1)] for n in range(wire.HEADER_WORDS)]
        mask = Cat(C(0xFF, 8), *[Replicate(last_byte >= n, 8) for n in range(1, WORD_BYTES)])
        self.comb += [
            header.version.eq(wire.HEADER_VERSION),
            header.type.eq(wire.DATA_REPLY),
            *[getattr(header, name).eq(getattr(job, name)) for name in ("length", "session", "offset", "token")],
            last_be.eq(1 << last_byte),
        ]
        self.sync += last_byte.eq(job.length[:2] - 1)
        self.submodules.fsm = fsm = FSM(reset_state="HEADER")
        fsm.act(  # waits for a job
            "HEADER",
            NextValue(rest, (job.length - 1)[2:]),
            buffer.sink.data.eq(Array(words)[count]),
            If(
                job.valid,
                buffer.sink.valid.eq(1),
                NextValue(count, count + 1),
                If(
                    count == wire.HEADER_WORDS - 1,
                    NextValue(count, 0),
                    NextState("DATA"),
                    If(
                        job.length == 0,
                        buffer.sink.last.eq(1),
                        buffer.sink.last_be.eq(1 << (WORD_BYTES - 1)),
                        NextState("OUTCOME"),
                    ),
                ),
            ),
        )
        fsm.act(  # waits for encrypted words
            "DATA",
            buffer.sink.valid.eq(self.encrypted.valid),
            self.encrypted.ready.eq(1),
            buffer.sink.data.eq(self.encrypted.data),
            If(
                rest == 0,
                buffer.sink.data.eq(self.encrypted.data & mask),
                buffer.sink.last.eq(1),
                buffer.sink.last_be.eq(last_be),
            ),
            If(self.encrypted.valid, NextValue(rest, rest - 1), If(rest == 0, NextState("OUTCOME"))),
        )
        fsm.act(  # waits for the receiver's word on the datagram
            "OUTCOME",
            outcomes.source.ready.eq(1),
            If(
                outcomes.source.valid,
                self.finished.valid.eq(1),
                buffer.commit.eq(~outcomes.source.damaged),
                buffer.drop.eq(outcomes.source.damaged),
                job.ready.eq(1),
                NextState("HEADER"),
            ),
        )
        self.comb += [
            self.finished.damaged.eq(outcomes.source.damaged),
            self.finished.code.eq(Mux(outcomes.source.damaged, Event.LENGTH, Event.RECORD)),
            *[getattr(self.finished, name).eq(getattr(job, name)) for name in ("row", "slot", "length")],
        ]

        # Datagrams, each with its receiver.
        receivers = stream.SyncFIFO([*STATION_LAYOUT, ("port", 16), ("length", LENGTH_BITS)], DATAGRAMS_MAX)
        self.submodules.receivers = receivers
        sent = Signal()
        self.comb += [
            receivers.sink.valid.eq(self.finished.valid & ~self.finished.damaged),
            receivers.sink.ip_address.eq(job.ip_address),
            receivers.sink.mac_address.eq(job.mac_address),
            receivers.sink.port.eq(job.port),
            receivers.sink.length.eq(job.length + wire.HEADER_BYTES),
            source.valid.eq(buffer.source.valid & receivers.source.valid),
            buffer.source.ready.eq(source.ready & receivers.source.valid),
            source.data.eq(buffer.source.data),
            source.last.eq(buffer.source.last),
            source.last_be.eq(buffer.source.last_be),
            source.src_port.eq(port),
            source.dst_port.eq(receivers.source.port),
            source.ip_address.eq(receivers.source.ip_address),
            source.length.eq(receivers.source.length),
            self.receiver.waits.eq(receivers.source.valid),
            self.receiver.ip_address.eq(receivers.source.ip_address),
            self.receiver.mac_address.eq(receivers.source.mac_address),
            sent.eq(source.valid & source.ready & source.last),
            receivers.source.ready.eq(sent),
        ]

        # Room, in words and in datagrams.
        free = Signal(max=buffer_words + 1, reset=buffer_words)
        datagrams = Signal(max=DATAGRAMS_MAX + 1)
        needed_words = Signal(LENGTH_BITS - 1)
        finished_words = Signal(LENGTH_BITS - 1)
        taken, given = Signal(LENGTH_BITS - 1), Signal(LENGTH_BITS - 1)
        dropped = Signal()
        self.comb += [
            finished_words.eq((job.length + (wire.HEADER_BYTES + WORD_BYTES - 1))[2:]),
            dropped.eq(self.finished.valid & self.finished.damaged),
            taken.eq(Replicate(self.reserve, len(taken)) & needed_words),
            given.eq((source.valid & source.ready) + (Replicate(dropped, len(given)) & finished_words)),
            self.empty.eq(datagrams == 0),
        ]
        self.sync += [
            needed_words.eq((self.needed + (WORD_BYTES - 1))[2:]),
            # A reservation in this cycle cannot be followed by another one in the next.
            self.room.eq((needed_words <= free) & (datagrams < DATAGRAMS_MAX)),
            free.eq(free - taken + given),
            datagrams.eq(datagrams + self.reserve - sent - dropped),
        ]
