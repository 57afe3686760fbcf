# SPDX-License-Identifier: BSD-2-Clause
"""Stores the CPU's frames in slots of a memory on the bus: received frames, and frames to send.

::

    frames ─► writer ─┬─► port ◄─► memory ◄── CPU, DMA
                      │    ▲
    frames ◄─ reader ◄┴────┘ words, one a cycle for both

Slot n begins at byte n * `SLOT_BYTES` and has `SLOT_BYTES`. The receive slots come before the transmit slots. Byte i of
a frame, without preamble and check sequence, is byte i of its slot. If a frame is longer than `FRAME_BYTES`, the rest
is not stored, and the reported length shows that the frame was longer. The registers have the names and functions of
LiteEth's slots.

Three sums follow a received frame, from byte `SUMS` of its slot on, so that no software has to read the frame for them:

=====  ====================================================================================================
word   sum
=====  ====================================================================================================
0      a, 32 bits: sum of the little-endian words from byte `DATA` of the frame on, modulo 2^32
1      b, 32 bits: sum of the values that a has after each word, modulo 2^32
2      16 bits: ones' complement sum of the frame's little-endian halves, 0xFFFF instead of 0 (RFC 1071)
=====  ====================================================================================================

The sums a and b leave out an incomplete last word. From the event that reports a frame until the event's
acknowledgement, its slot is neither written nor used for another frame.

While any station has a session, the frames of all others, the strangers, take at most `STRANGERS_SLOTS` slots
(`gateware.net.link.stations`). So a stranger that fills the wire leaves the other slots to the peers of sessions. A
stranger's frame is refused as soon as its source is known to be strange: on a wire of 1 Gb/s before byte `DATA`.

A frame that is sent with UDP's checksum is read twice. The first pass computes the sum from byte 34 on, where UDP
begins after the headers of Ethernet and IPv4. The second pass sends the frame with the sum's complement in bytes 40 and
41, 0xFFFF instead of 0. Before that, these bytes must hold the sum of the pseudo header (RFC 768); the memory keeps
that value.

The writer cannot wait. A wire of 1 Gb/s receives and sends one word in 2.4 cycles at 75 MHz. So both directions leave a
sixth of the memory's cycles to others. The reader leaves every eighth cycle free, so nobody waits for long. Between
frames, the writer needs three cycles without a word.
"""

from liteeth.common import eth_phy_description
from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from litex.soc.interconnect.csr import CSR, CSRStatus, CSRStorage
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel, EventSourcePulse, SharedIRQ
from migen import FSM, Case, Cat, If, Mux, NextState, NextValue, Record, Replicate, Signal, bits_for

from .. import WORD_BITS, WORD_BYTES
from .checksum import RIGHT, ChecksumSum
from .stations import SOURCE_WORDS, KnownStations

SLOT_BYTES = 2048
FRAME_BYTES = 1520
SUMS = SLOT_BYTES - 16
DATA = 66  # byte offset of a record's data in a frame, after the headers of Ethernet, IPv4, UDP and the record
SLOT_WORDS = SLOT_BYTES // WORD_BYTES
LENGTH_BITS = bits_for(FRAME_BYTES + WORD_BYTES)
UDP = 34
UDP_CHECKSUM = 40
QUEUE_WORDS = 8
# Maximum number of receive slots with frames of strangers (stations without a session). The limit applies only while
# any station has a session.
STRANGERS_SLOTS = 2
LATENCY = 2  # cycles from a read request until its word arrives


def port_layout(words: int) -> list[tuple[str, int]]:
    """Return the layout of an access to the slots' memory, which reads or writes one word."""
    return [("valid", 1), ("write", 1), ("address", bits_for(words - 1)), ("data", WORD_BITS)]


class SlotWriter(LiteXModule):
    """Writes received frames into slots, one after another.

    Parameters
    ----------
    slots : int
        A power of two.
    stations : KnownStations
        The stations that may take all slots; used, not added as a submodule.

    Attributes
    ----------
    sink : stream.Endpoint, LiteEth's `eth_phy_description(32)`, in
        Frames; never made to wait. A frame with an error leaves data only in a free slot, and so does a refused frame.
        A frame that comes while all slots are taken, or all slots for strangers, is dropped and counted.
    port : Record, see `port_layout`, out
        Driven one cycle before the access.
    """

    def __init__(self, *, slots: int, stations: KnownStations):
        self.sink = sink = stream.Endpoint(eth_phy_description(WORD_BITS))
        self.port = port = Record(port_layout(slots * SLOT_WORDS))
        slot_bits = max(bits_for(slots - 1), 1)
        self._slot = CSRStatus(slot_bits, description="Slot of the waiting frame.")
        self._length = CSRStatus(
            LENGTH_BITS,
            description=f"Length of the waiting frame in bytes. Above {FRAME_BYTES}, the frame was "
            "longer and is incomplete.",
        )
        self._errors = CSRStatus(
            32, description="Frames that were dropped because all slots that they may take were taken, modulo 2^32."
        )
        self.ev = EventManager()
        self.ev.available = EventSourceLevel(
            description="A frame waits. Acknowledging the event returns the frame's slot to the MAC."
        )
        self.ev.finalize()

        # # #

        # The queue of received frames that wait for the CPU.
        layout = [("slot", slot_bits), ("length", LENGTH_BITS), ("stranger", 1)]
        self.frames = frames = stream.SyncFIFO(layout, slots)
        self.comb += [
            self.ev.available.trigger.eq(frames.source.valid),
            frames.source.ready.eq(self.ev.available.clear),
            self._slot.status.eq(frames.source.slot),
            self._length.status.eq(frames.source.length),
        ]

        # The frame that is being received.
        slot, position = Signal(slot_bits), Signal(LENGTH_BITS - 2)  # `position`: words before the present word
        last_bytes, whole = Signal(3), Signal()
        bad = Signal()
        data = Signal(WORD_BITS)
        self.comb += [
            Case(sink.last_be, {**{1 << n: last_bytes.eq(n + 1) for n in range(3)}, "default": last_bytes.eq(4)}),
            whole.eq(position == FRAME_BYTES // WORD_BYTES),
            *[
                data[8 * n : 8 * n + 8].eq(sink.data[8 * n : 8 * n + 8] & Replicate(last_bytes > n, 8))
                for n in range(4)
            ],
            sink.ready.eq(1),
            frames.sink.slot.eq(slot),
        ]

        # Strangers are stations without a session. At the first word of a frame, `crowded` stores whether too many
        # frames from strangers wait for the CPU. If so, and if the search for the sender finds no session, the frame is
        # refused. The search can end during the frame, or after the frame's last word.
        strangers, crowded, refused = Signal(max=slots + 1), Signal(), Signal()
        comes, goes = Signal(), Signal()
        self.comb += [
            stations.valid.eq(sink.valid),
            stations.last.eq(sink.last),
            stations.data.eq(sink.data),
            frames.sink.stranger.eq(~stations.known),
            comes.eq(frames.sink.valid & frames.sink.stranger),
            goes.eq(frames.source.valid & frames.source.ready & frames.source.stranger),
            refused.eq(stations.searched & ~stations.known & crowded & (position >= SOURCE_WORDS)),
        ]
        self.sync += [
            If(comes & ~goes, strangers.eq(strangers + 1)),
            If(goes & ~comes, strangers.eq(strangers - 1)),
            If(position == 0, crowded.eq(stations.any & (strangers >= STRANGERS_SLOTS))),
        ]

        # Computes the Internet checksum of the frame, and two sums `a` and `b` over the data of the frame's record. The
        # module `gateware.net.records.window` defines these two sums.
        a, b, behind = Signal(32), Signal(32), Signal()
        held = Signal(16)
        end = Signal()
        self.checksum = checksum = ChecksumSum(initial=RIGHT)
        taken = Signal()
        self.comb += [
            checksum.word.eq(data),
            checksum.add.eq(taken),
            checksum.clear.eq(end),
        ]
        self.sync += [
            behind.eq(0),
            If(
                taken,
                held.eq(sink.data[16:]),
                If(
                    (position > DATA // WORD_BYTES) & (last_bytes != 1),
                    a.eq(a + Cat(held, sink.data[:16])),
                    behind.eq(1),
                ),
            ),
            If(behind, b.eq(b + a)),
            If(end, a.eq(0), b.eq(0)),
        ]

        # Sequence.
        self.fsm = fsm = FSM(reset_state="WRITE")
        self.comb += [port.write.eq(1), port.address.eq(Cat(position, slot)), port.data.eq(sink.data)]
        fsm.act(  # the state WRITE waits for the words of a frame
            "WRITE",
            If(
                sink.valid & frames.sink.ready & ~refused,
                taken.eq(1),
                port.valid.eq(~whole),
                If(~whole, NextValue(position, position + 1)),
                If(
                    sink.last,
                    NextValue(frames.sink.length, Cat(0, 0, position) + last_bytes),
                    NextValue(bad, (sink.error & sink.last_be) != 0),
                    NextState("SUM_A"),
                ),
            ).Elif(
                sink.valid,
                NextValue(self._errors.status, self._errors.status + 1),
                NextValue(position, 0),
                end.eq(1),
                If(~sink.last, NextState("DROP")),
            ),
        )
        fsm.act(  # the state DROP skips the remainder of a frame that is refused or has no slot
            "DROP",
            If(sink.valid & sink.last, NextState("WRITE")),
        )
        for state, word, value, next_state in (("SUM_A", 0, a, "SUM_B"), ("SUM_B", 1, b, "SUM")):
            fsm.act(  # one cycle
                state,
                port.valid.eq(1),
                port.address.eq(Cat(Signal(LENGTH_BITS - 2, reset=SUMS // WORD_BYTES + word), slot)),
                port.data.eq(value),
                NextState(next_state),
            )
        stays = ~bad & (stations.known | ~crowded)
        fsm.act(  # the state SUM lasts one cycle: the frame is complete, and the search for its sender has ended
            "SUM",
            port.valid.eq(1),
            port.address.eq(Cat(Signal(LENGTH_BITS - 2, reset=SUMS // WORD_BYTES + 2), slot)),
            port.data.eq(checksum.value),
            end.eq(1),
            frames.sink.valid.eq(stays),
            If(stays, NextValue(slot, slot + 1)),
            If(~bad & ~stays, NextValue(self._errors.status, self._errors.status + 1)),
            NextValue(position, 0),
            NextState("WRITE"),
        )


class SlotReader(LiteXModule):
    """Sends frames from slots, in the order in which they were started.

    Parameters
    ----------
    slots, first_slot : int
        Number of slots, a power of two; index of the first of them among all slots.

    Attributes
    ----------
    source : stream.Endpoint, LiteEth's `eth_phy_description(32)`, out
        Frames without preamble and check sequence.
    port : Record, see `port_layout`, out
        Driven one cycle before the access, which happens only if `granted`.
    granted : Signal(), in
        The memory carries out the access.
    word : Signal(32), in
        The word that was read, `LATENCY` cycles later.
    with_checksum : Signal(), in
        Sampled when a frame is started: send it with UDP's checksum, as the module's docstring describes.
    """

    def __init__(self, *, slots: int, first_slot: int):
        self.source = source = stream.Endpoint(eth_phy_description(WORD_BITS))
        self.port = port = Record(port_layout((first_slot + slots) * SLOT_WORDS))
        self.granted = Signal()
        self.word = Signal(WORD_BITS)
        self.with_checksum = Signal()
        slot_bits = max(bits_for(slots - 1), 1)
        self._start = CSR()
        self._start.description = (
            "A write queues the frame in `slot` if `ready`, with a copy of the other registers' values."
        )
        self._ready = CSRStatus(description="Another frame can be queued.")
        self._level = CSRStatus(bits_for(slots), description="Frames that are queued or being sent.")
        self._slot = CSRStorage(slot_bits, reset_less=True, description="Slot of the frame; the first slot is 0.")
        self._length = CSRStorage(LENGTH_BITS, reset_less=True, description="Length of the frame in bytes.")
        self.ev = EventManager()
        self.ev.done = EventSourcePulse(description="A frame was sent.")
        self.ev.finalize()

        # # #

        command = [("slot", slot_bits), ("length", LENGTH_BITS), ("checksum", 1)]
        self.frames = frames = stream.SyncFIFO(command, slots)
        frame = frames.source
        self.comb += [
            frames.sink.valid.eq(self._start.re),
            frames.sink.slot.eq(self._slot.storage),
            frames.sink.length.eq(self._length.storage),
            frames.sink.checksum.eq(self.with_checksum),
            self._ready.status.eq(frames.sink.ready),
            self._level.status.eq(frames.level),
        ]

        # Requests to read the slot. Each word arrives `LATENCY` cycles after its request.
        position, last_position = Signal(LENGTH_BITS - 2), Signal(LENGTH_BITS - 2)
        ask, asked, last = Signal(), Signal(), Signal()
        come = Signal(LATENCY)
        marks = [Record([("last", 1), ("first", 1), ("field", 1)], name=f"marks{n}") for n in range(LATENCY)]
        turn = Signal(3)
        self.comb += [
            asked.eq(ask & self.granted),
            port.valid.eq(ask),
            port.address.eq(Cat(position, frame.slot) + first_slot * SLOT_WORDS),
            last.eq(position == last_position),
        ]
        self.sync += [
            turn.eq(turn + 1),
            last_position.eq((frame.length - 1)[2:]),
            come.eq(Cat(asked, come)),
            marks[0].last.eq(last),
            marks[0].first.eq(position == UDP // WORD_BYTES),
            marks[0].field.eq(position == UDP_CHECKSUM // WORD_BYTES),
            marks[1].eq(marks[0]),
        ]
        word, mark = self.word, marks[-1]
        rest = frame.length[:2]

        # Computes the UDP checksum over the words that are read.
        summing, start_sum = Signal(), Signal()
        self.checksum = checksum = ChecksumSum(initial=RIGHT)
        has = [1, *[~mark.last | (rest == 0) | (rest > n) for n in range(1, WORD_BYTES)]]
        self.comb += [
            checksum.add.eq(come[-1] & summing),
            checksum.clear.eq(start_sum),
            *[
                checksum.word[8 * n : 8 * n + 8].eq(
                    word[8 * n : 8 * n + 8] & Replicate(has[n] & (~mark.first if n < UDP % WORD_BYTES else 1), 8)
                )
                for n in range(WORD_BYTES)
            ],
        ]

        # The queue of words that wait to be sent. The reader requests only as many words as the queue has room for.
        self.queue = queue = stream.SyncFIFO([("data", WORD_BITS)], QUEUE_WORDS)
        room = Signal(max=QUEUE_WORDS + 1, reset=QUEUE_WORDS)
        sending = Signal()
        self.comb += [
            queue.sink.valid.eq(come[-1] & sending),
            queue.sink.last.eq(mark.last),
            queue.sink.data.eq(word),
            If(
                mark.field & frame.checksum,
                queue.sink.data[:16].eq(Mux(checksum.value == RIGHT, RIGHT, ~checksum.value)),
            ),
            queue.source.connect(source),
            If(source.last, Case(rest, {n: source.last_be.eq(1 << (n - 1) % WORD_BYTES) for n in range(WORD_BYTES)})),
        ]
        self.sync += room.eq(room - (asked & sending) + (source.valid & source.ready))

        # Sequence.
        self.fsm = fsm = FSM(reset_state="IDLE")
        fsm.act(  # the state IDLE waits for a frame
            "IDLE",
            start_sum.eq(1),
            If(frame.valid, NextState("BEGIN")),
        )
        fsm.act(  # the state BEGIN lasts one cycle, in which registers store values that depend on the frame's length
            "BEGIN",
            NextValue(position, 0),
            NextState("SEND"),
            If(frame.checksum, NextValue(position, UDP // WORD_BYTES), NextState("SUM")),
        )
        fsm.act(  # the state SUM reads words in free cycles of the memory, at most in every second cycle
            "SUM",
            summing.eq(1),
            ask.eq(turn[0]),
            If(asked, NextValue(position, position + 1), If(last, NextState("SUMMED"))),
        )
        fsm.act(  # the state SUMMED waits for the last word that was requested, and for the sum
            "SUMMED",
            summing.eq(1),
            If(come == 0, NextValue(position, 0), NextState("SEND")),
        )
        fsm.act(  # the state SEND reads words in free cycles of the memory while the queue has room
            "SEND",
            sending.eq(1),
            ask.eq((room != 0) & (turn != 0)),
            If(asked, NextValue(position, position + 1), If(last, NextState("SENT"))),
        )
        fsm.act(  # the state SENT waits until the end of the frame has been sent
            "SENT",
            sending.eq(1),
            If(
                source.valid & source.ready & source.last,
                frame.ready.eq(1),
                self.ev.done.trigger.eq(1),
                NextState("IDLE"),
            ),
        )


class FrameSlots(LiteXModule):
    """Contains the writer and the reader of slots, their registers, and the port to the slots' memory.

    Parameters
    ----------
    rx_slots, tx_slots : int
        Powers of two.

    Attributes
    ----------
    sink, source : stream.Endpoint
        See `SlotWriter` and `SlotReader`.
    port : Record, see `port_layout`, out
        The accesses of writer and reader.
    word : Signal(32), in
        The word of a read, in the cycle after it.
    with_checksum : Signal(), in
        See `SlotReader`.
    stations : KnownStations
        See `SlotWriter`.
    ev : SharedIRQ
    """

    def __init__(self, *, rx_slots: int, tx_slots: int):
        self.stations = stations = KnownStations()
        self.sram_writer = writer = SlotWriter(slots=rx_slots, stations=stations)
        self.sram_reader = reader = SlotReader(slots=tx_slots, first_slot=rx_slots)
        self.ev = SharedIRQ(writer.ev, reader.ev)
        self.sink, self.source = writer.sink, reader.source
        self.port = port = Record(port_layout((rx_slots + tx_slots) * SLOT_WORDS))
        self.word, self.with_checksum = reader.word, reader.with_checksum

        # # #

        self.comb += reader.granted.eq(~writer.port.valid)
        self.sync += [
            port.valid.eq(writer.port.valid | reader.port.valid),
            port.write.eq(writer.port.valid),
            port.address.eq(Mux(writer.port.valid, writer.port.address, reader.port.address)),
            port.data.eq(writer.port.data),
        ]
