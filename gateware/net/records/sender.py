# SPDX-License-Identifier: BSD-2-Clause
"""Builds the reply to each record, and sends a reply when the reply is complete.

::

    job ─┬─► UDP's header words ───┬─► sum ──► checksum ─► source
         └─► header words ─┬───────┤                         ▲
    encrypted ► data words ┘       └─► buffer ──────────► datagram  (header with the reply bit, encrypted data)
    outcome, error ──────────── commit or drop

The checksum is the UDP checksum (RFC 768). It covers both addresses, both ports, the protocol, twice the length, and
all words that go to the buffer. A result of 0 leaves as 0xFFFF, since 0 would mean that there is no checksum. The
checksum is ready when the datagram's first word has come out of the buffer, so it costs no latency.

Room is reserved when a datagram is accepted, so nothing after that point ever waits for the network. When the buffer is
full because LiteEth does not send, the receiver refuses datagrams.

Bytes after the end of the data leave as zero. Throughput: one word a cycle; 5 cycles more for each datagram. Handshake:
valid and ready; `reserve` takes the room for `needed` bytes, `room` tells that there is room.
"""

from litex.soc.interconnect import stream
from migen import FSM, Array, C, Cat, If, Module, Mux, NextState, NextValue, Record, Replicate, Signal

from ...ctr.client import USES_MAX
from ...memory import BlockRAMFIFO
from .. import WORD_BITS, WORD_BYTES
from ..events import EVENT_BITS, Event
from ..layouts import (
    CHECKSUM_BITS,
    DESTINATION_LAYOUT,
    LENGTH_BITS,
    STATION_LAYOUT,
    datagram_layout,
    job_layout,
    outcome_layout,
)
from ..link.checksum import PROTOCOL_UDP, RIGHT, ChecksumSum, doubled, half, halves
from ..link.packet_buffer import PacketBuffer
from ..udp.port import HEADER_BYTES as UDP_HEADER_BYTES
from . import header as wire

# Maximum number of datagrams that are accepted but not yet sent.
DATAGRAMS_MAX = USES_MAX


class RecordSender(Module):
    """Builds the replies and sends them.

    Parameters
    ----------
    port : int
        The UDP port from which replies are sent.
    row_bits, slot_bits : int
        Sizes of a job's `row` and `slot`.
    buffer_words : int
        Size of the buffer, a power of two.

    Attributes
    ----------
    job : stream.Endpoint, see `job_layout`, in
        The parameters of each reply.
    encrypted : stream.Endpoint, data(32), error, in
        Data of the jobs, in the same order. A reply with `error` in a word is dropped.
    outcome : stream.Endpoint, see `outcome_layout`, in
        One outcome for each job.
    needed, room, reserve : Signal(16), in, and Signal(), out, and Signal(), in
        Room for a reply. `room` is valid two cycles after `needed`.
    finished : Record, valid, damaged, code(5), row, slot, length(16), out
        Pulse: the data of a job have left the engine. The reply is whole, or dropped if `damaged`; `code` is the
        `Event`.
    ip_address : Signal(32), in
        The source address of replies.
    source : stream.Endpoint, see `gateware.net.layouts.datagram_layout`, out
        Datagrams.
    destination : Record, waits, ip_address(32), mac_address(48), out
        Whether a datagram waits at `source`, and the station that it goes to.
    empty : Signal(), out
        The sender holds no job and no datagram.
    """

    def __init__(self, *, port: int, row_bits: int, slot_bits: int, buffer_words: int = 2048):
        self.job = stream.Endpoint(job_layout(row_bits, slot_bits))
        self.encrypted = stream.Endpoint([("data", WORD_BITS), ("error", 1)])
        self.outcome = stream.Endpoint(outcome_layout())
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
        self.ip_address = Signal(32)
        self.source = source = stream.Endpoint(datagram_layout())
        self.destination = Record(DESTINATION_LAYOUT)
        self.empty = Signal()

        # # #

        self.submodules.jobs = jobs = BlockRAMFIFO(self.job.description, DATAGRAMS_MAX, paced=True)
        self.submodules.outcomes = outcomes = stream.SyncFIFO(self.outcome.description, DATAGRAMS_MAX)
        self.submodules.buffer = buffer = PacketBuffer(depth=buffer_words)
        job = jobs.source
        self.comb += [self.job.connect(jobs.sink), self.outcome.connect(outcomes.sink)]

        # Reply.
        header = wire.header_record("reply")
        words = [  # three words that only the UDP checksum needs, then the words of the record's header
            halves(job.ip_address),
            halves(self.ip_address),
            Cat(halves(job.port), halves(doubled(job.length))),
            *[header.raw_bits()[WORD_BITS * n : WORD_BITS * (n + 1)] for n in range(wire.HEADER_WORDS)],
        ]
        count = Signal(max=len(words))
        word_valid = Signal()
        rest = Signal(LENGTH_BITS - 2)  # number of data words after the present word
        last_byte = Signal(2)
        last_be = Signal(WORD_BYTES)
        keyless = Signal()  # 1: a data word of the job had no keystream
        mask = Cat(C(0xFF, 8), *[Replicate(last_byte >= n, 8) for n in range(1, WORD_BYTES)])
        self.comb += [
            header.version.eq(wire.HEADER_VERSION),
            header.type.eq(wire.DATA_REPLY),
            *[getattr(header, name).eq(getattr(job, name)) for name in ("length", "session", "offset", "token")],
            last_be.eq(1 << last_byte),
        ]
        self.sync += last_byte.eq(job.length[:2] - 1)
        self.submodules.fsm = fsm = FSM(reset_state="HEADER")
        fsm.act(  # the state HEADER waits for a job
            "HEADER",
            NextValue(rest, (job.length - 1)[2:]),
            buffer.sink.data.eq(Array(words)[count]),
            If(
                job.valid,
                word_valid.eq(1),
                buffer.sink.valid.eq(count >= len(words) - wire.HEADER_WORDS),
                NextValue(count, count + 1),
                If(
                    count == len(words) - 1,
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
        fsm.act(  # the state DATA waits for encrypted words
            "DATA",
            word_valid.eq(self.encrypted.valid),
            buffer.sink.valid.eq(self.encrypted.valid),
            self.encrypted.ready.eq(1),
            buffer.sink.data.eq(self.encrypted.data),
            If(
                rest == 0,
                buffer.sink.data.eq(self.encrypted.data & mask),
                buffer.sink.last.eq(1),
                buffer.sink.last_be.eq(last_be),
            ),
            If(
                self.encrypted.valid,
                NextValue(rest, rest - 1),
                If(self.encrypted.error, NextValue(keyless, 1)),
                If(rest == 0, NextState("OUTCOME")),
            ),
        )
        fsm.act(  # the state OUTCOME waits until the receiver reports whether to send or drop the reply to this record
            "OUTCOME",
            outcomes.source.ready.eq(1),
            If(
                outcomes.source.valid,
                self.finished.valid.eq(1),
                buffer.commit.eq(~self.finished.damaged),
                buffer.drop.eq(self.finished.damaged),
                job.ready.eq(1),
                NextValue(keyless, 0),
                NextState("HEADER"),
            ),
        )
        self.comb += [
            self.finished.damaged.eq(outcomes.source.damaged | keyless),
            self.finished.code.eq(Mux(keyless, Event.KEY, Event.RECORD)),
            If(outcomes.source.damaged, self.finished.code.eq(outcomes.source.code)),
            *[getattr(self.finished, name).eq(getattr(job, name)) for name in ("row", "slot", "length")],
        ]

        # Adds each word to the UDP checksum, one cycle after the word has entered the buffer.
        constants = port + PROTOCOL_UDP + 2 * (wire.HEADER_BYTES + UDP_HEADER_BYTES)
        self.submodules.sum = total = ChecksumSum(initial=half(constants))
        self.submodules.checksums = checksums = stream.SyncFIFO([("checksum", CHECKSUM_BITS)], DATAGRAMS_MAX)
        committed = Signal()
        self.sync += [
            total.word.eq(buffer.sink.data),
            total.add.eq(word_valid),
            total.clear.eq(self.finished.valid),
            committed.eq(self.finished.valid & ~self.finished.damaged),
            checksums.sink.valid.eq(committed),
        ]
        self.comb += checksums.sink.checksum.eq(
            Mux(total.value == RIGHT, RIGHT, halves(~total.value)),
        )

        # Output: whole datagrams from the buffer, each with its destination from a queue.
        layout = [*STATION_LAYOUT, ("port", 16), ("length", LENGTH_BITS)]
        destinations = BlockRAMFIFO(layout, DATAGRAMS_MAX, paced=True)
        self.submodules.destinations = destinations
        sent = Signal()
        complete = Signal()
        self.comb += [
            destinations.sink.valid.eq(self.finished.valid & ~self.finished.damaged),
            destinations.sink.ip_address.eq(job.ip_address),
            destinations.sink.mac_address.eq(job.mac_address),
            destinations.sink.port.eq(job.port),
            destinations.sink.length.eq(job.length + wire.HEADER_BYTES),
            complete.eq(checksums.source.valid & destinations.source.valid),
            source.valid.eq(buffer.source.valid & complete),
            buffer.source.ready.eq(source.ready & complete),
            source.data.eq(buffer.source.data),
            source.last.eq(buffer.source.last),
            source.last_be.eq(buffer.source.last_be),
            source.src_port.eq(port),
            source.dst_port.eq(destinations.source.port),
            source.ip_address.eq(destinations.source.ip_address),
            source.length.eq(destinations.source.length),
            source.checksum.eq(checksums.source.checksum),
            self.destination.waits.eq(destinations.source.valid),
            self.destination.ip_address.eq(destinations.source.ip_address),
            self.destination.mac_address.eq(destinations.source.mac_address),
            sent.eq(source.valid & source.ready & source.last),
            destinations.source.ready.eq(sent),
            checksums.source.ready.eq(sent),
        ]

        # Counts the free space in the buffer and in the queues.
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
            # A record is accepted only if its reply fits into the buffer and one more datagram fits into the queues.
            self.room.eq((needed_words <= free) & (datagrams < DATAGRAMS_MAX)),
            free.eq(free - taken + given),
            datagrams.eq(datagrams + self.reserve - sent - dropped),
        ]
