# SPDX-License-Identifier: BSD-2-Clause
"""Sends or zeroizes stored frames, then frees their rows. Frames are sent with or without SecTAG and ICV.

::

    ring ─► rows ─► words ─┬─► ByteJoiner ─► register ─► source
            SecTAG ────────┘

A frame leaves only when its job comes, after its verdict. Throughput: a word a cycle, with at most four cycles between
frames and four inside a frame. A frame that is dropped takes a cycle a row. Latency: 6 cycles from the job to the first
word.
"""

from liteeth.common import eth_phy_description
from litex.soc.interconnect import stream
from migen import FSM, Array, Case, Cat, If, Module, Mux, NextState, NextValue, Record, Replicate, Signal, bits_for

from .. import WORD_BITS, WORD_BYTES
from . import ADDRESS_BYTES, LENGTH_BITS
from .row_ring import RowReader, write_layout
from .sectag import ICV_BYTES, SCI_BITS, TCI, first_word

ADDRESS_WORDS = ADDRESS_BYTES // WORD_BYTES
ICV_WORDS = ICV_BYTES // WORD_BYTES


def job_layout(rows: int, *, received: bool) -> list[tuple[str, int]]:
    """Return the layout of a job: the frame's rows and data length, what to do with the frame, and its SecTAG."""
    row_bits = bits_for(rows - 1)
    layout = [("row", row_bits), ("rows", row_bits), ("length", LENGTH_BITS), ("erase", 1)]
    if received:
        return [*layout, ("uncontrolled", 1)]
    return [*layout, ("tagged", 1), ("tci", 8), ("sl", 8), ("pn", WORD_BITS)]


class ByteJoiner(Module):
    """Joins the words of a frame: if a word before the last one has fewer than four bytes, later bytes fill the gap.
    Unused bytes of the last word are zeros.

    Throughput: a word a cycle, and one cycle more for a frame. Latency: none.

    Attributes
    ----------
    sink : stream.Endpoint, data(32), bytes(3), in
        Words with 1 to 4 bytes. Between two ends, at most one is shorter, apart from the last.
    source : stream.Endpoint, LiteEth's `eth_phy_description(32)`, out
    """

    def __init__(self):
        self.sink = sink = stream.Endpoint([("data", WORD_BITS), ("bytes", 3)])
        self.source = source = stream.Endpoint(eth_phy_description(WORD_BITS))

        # # #

        data = Signal(WORD_BITS)
        shift, carry = Signal(2), Signal(WORD_BITS - 8)  # number and values of the bytes that wait for the next word
        tail = Signal()  # 1 if the waiting bytes are the frame's last word
        short, step = Signal(), Signal()
        joined = Array([data, *[Cat(carry[: 8 * n], data[: WORD_BITS - 8 * n]) for n in range(1, WORD_BYTES)]])
        behind = Array([0, *[data[WORD_BITS - 8 * n :] for n in range(1, WORD_BYTES)]])
        self.comb += [
            data.eq(sink.data & Cat(*[Replicate(sink.bytes > n, 8) for n in range(WORD_BYTES)])),
            short.eq(sink.bytes != WORD_BYTES),
            If(tail, source.valid.eq(1), source.data.eq(carry), source.last.eq(1)).Else(
                source.data.eq(joined[shift]),
                source.last.eq(sink.last & (shift == 0)),
                source.valid.eq(sink.valid & ~(short & ~sink.last)),
                sink.ready.eq(source.ready | (short & ~sink.last)),
            ),
            If(
                source.last,
                Case(Mux(tail, shift, sink.bytes), {n: source.last_be.eq(1 << (n - 1)) for n in range(1, 5)}),
            ),
            step.eq(sink.valid & sink.ready),
        ]
        self.sync += [
            If(
                step,
                carry.eq(behind[shift]),
                If(short & ~sink.last, carry.eq(data), shift.eq(sink.bytes)),
                If(sink.last & (shift != 0), tail.eq(1)),
            ),
            If(tail & source.ready, tail.eq(0), shift.eq(0)),
        ]


class FrameSender(Module):
    """Sends or zeroizes stored frames, one for each job.

    Parameters
    ----------
    rows : int
        Rows of the ring.
    received : bool
        Frames come from the wire, and leave without SecTAG; otherwise they are to be sent.

    Attributes
    ----------
    job : stream.Endpoint, see `job_layout`, in
        Frames, in the order of their rows. `uncontrolled`: the frame belongs to the uncontrolled port.
    source : stream.Endpoint, LiteEth's `eth_phy_description(32)`, out
    uncontrolled : Signal(), out
        With `source`: as the job says.
    reader : RowReader
        Reads the ring.
    write : Record, see `write_layout`, out
        Zeroizes rows.
    sci : Signal(64), in
        In wire order; steady while a frame is sent.
    freed : Signal, out
        Rows that were freed, modulo twice the ring.
    blocked : Signal(), in
        Begin anew, after the end of the frame under way. No job comes meanwhile.
    idle : Signal(), out
        No frame is under way.
    """

    def __init__(self, *, rows: int, received: bool):
        row_bits = bits_for(rows - 1)
        self.job = job = stream.Endpoint(job_layout(rows, received=received))
        self.source = stream.Endpoint(eth_phy_description(WORD_BITS))
        self.uncontrolled = Signal()
        self.submodules.reader = reader = RowReader(rows=rows)
        self.write = write = Record(write_layout(rows))
        self.sci = Signal(SCI_BITS)
        self.freed = Signal(row_bits + 1)
        self.blocked = Signal()
        self.idle = Signal()

        # # #

        self.submodules.joiner = joiner = ByteJoiner()
        self.submodules.register = register = stream.Buffer(eth_phy_description(WORD_BITS))
        self.submodules.fsm = fsm = FSM(reset_state="IDLE")
        word = joiner.sink
        present = Record(job.description.payload_layout, name="present")
        left = Signal(LENGTH_BITS)  # bytes of data
        count, step = Signal(row_bits), Signal()
        self.comb += [
            joiner.source.connect(register.sink),
            register.source.connect(self.source),
            step.eq(word.valid & word.ready),
            word.data.eq(reader.row),
            word.bytes.eq(WORD_BYTES),
            reader.first.eq(job.row),
            write.row.eq(present.row + count),
            self.idle.eq(fsm.ongoing("IDLE") & ~register.source.valid),
            self.uncontrolled.eq(present.uncontrolled if received else 0),
        ]
        fsm.act(  # the state IDLE waits until the previous frame has left and a job arrives
            "IDLE",
            NextValue(count, 0),
            If(
                job.valid & ~register.source.valid & ~self.blocked,
                job.ready.eq(1),
                *[NextValue(getattr(present, name), getattr(job, name)) for name, _ in job.description.payload_layout],
                NextValue(left, job.length),
                reader.start.eq(~job.erase),
                NextState("ADDRESSES"),
                If(job.erase, NextState("ERASE")),
            ),
        )
        tagged = 0 if received else present.tagged
        fsm.act(  # the state ADDRESSES sends the addresses (three words of the first row), and skips the fourth word
            "ADDRESSES",
            word.valid.eq(reader.valid),
            If(
                step,
                NextValue(count, count + 1),
                reader.take.eq(count != ADDRESS_WORDS - 1),
                If(
                    count == ADDRESS_WORDS - 1,
                    reader.skip.eq(1),
                    NextValue(count, 0),
                    NextState("DATA"),
                    *([] if received else [If(tagged, NextState("SECTAG"))]),
                ),
            ),
        )
        if not received:
            tag = [first_word(present.tci, present.sl), present.pn, self.sci[:WORD_BITS], self.sci[WORD_BITS:]]
            fsm.act(  # the state SECTAG sends the SecTAG: two words, or four with an SCI
                "SECTAG",
                word.valid.eq(1),
                word.data.eq(Array(tag)[count[:2]]),
                If(
                    step,
                    NextValue(count, count + 1),
                    If(
                        count == Mux(present.tci[TCI.SC], len(tag) - 1, 1),
                        NextValue(count, 0),
                        NextState("DATA"),
                    ),
                ),
            )
        fsm.act(  # the state DATA waits for rows with data
            "DATA",
            word.valid.eq(reader.valid),
            word.last.eq((left <= WORD_BYTES) & ~tagged),
            If(left <= WORD_BYTES, word.bytes.eq(left)),
            If(
                step,
                NextValue(left, left - WORD_BYTES),
                reader.take.eq(left > WORD_BYTES),
                If(
                    left <= WORD_BYTES,
                    reader.skip.eq(1),
                    NextState("FREE"),
                    *([] if received else [If(tagged, NextState("ICV"))]),
                ),
            ),
        )
        if not received:
            fsm.act(  # the state ICV waits for the row with the ICV
                "ICV",
                word.valid.eq(reader.valid),
                word.last.eq(count == ICV_WORDS - 1),
                reader.take.eq(step),
                If(step, NextValue(count, count + 1), If(word.last, NextState("FREE"))),
            )
        fsm.act(  # the state ERASE zeroizes a row in each cycle in which no other unit writes to the ring
            "ERASE",
            write.valid.eq(1),
            If(
                write.granted,
                NextValue(count, count + 1),
                If(count == present.rows - 1, NextState("FREE")),
            ),
        )
        fsm.act(  # one cycle
            "FREE",
            reader.stop.eq(1),
            NextValue(self.freed, self.freed + present.rows),
            NextState("IDLE"),
        )
        self.sync += If(self.blocked & self.idle, self.freed.eq(0))
