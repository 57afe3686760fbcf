# SPDX-License-Identifier: BSD-2-Clause
"""Stores which records arrived, with sums of their data, so that no counter block ever encrypts two different texts.

A counter block may serve one record, and the same record again.

::

    index of the record ─► minus base, divided by record_blocks ─► place in the window ─► outside
                                                                        │
    words ─► sum ─► compared with ◄── came, sum of the record before ◄──┴─► other_data
                                                        ▲
    mark ───────────────────────────────────────────────┘

The records of a session begin `record_blocks` counter blocks apart and are no longer than that. Its window is RECORDS
consecutive records. `base` is the index of the first block of the first record. A record is accepted if it begins where
a record begins, and lies in the window or within RECORDS after it. If it came before, its sum must be equal to the
earlier one. Marking a record that did not come before stores its sum. If such a record lies after the window, the
window moves until this record is its last.

The sum is computed over n bytes, as little-endian words w, the last padded with zeros. It begins with a = n and b = 0.
For each w: a = a + w, then b = b + a, modulo 2^32. The sum is b << 32 | a. It detects accidents, not attacks. A record
without data has the sum 0 and is treated like any other: data that come later for its place are other data.

The records of a row are stored at their number modulo RECORDS, each with the rest of its number modulo LAPS (its lap).
So no entry has to be cleared when the window moves. Numbers begin anywhere; the CPU counts records from the window's
first. If a place were skipped for LAPS - 1 laps in a row, it would still hold a record with the number of the next lap.
That record would then be refused if its data differ. No window that is kept allows so many skips. Nothing is ever
accepted that should be refused.

Latency: `outside` is valid LOOKUP_CYCLES after `begin`, whatever the record. `other_data` is valid DECIDE_CYCLES after
the last word. An access of the CPU takes 4 cycles, and at most 5 more while a record is decided.
"""

from migen import READ_FIRST, C, Cat, If, Memory, Module, Mux, Record, Replicate, Signal, bits_for

from ...memory import without_collisions
from .. import WORD_BITS, WORD_BYTES
from ..layouts import LENGTH_BITS

RECORDS = 64
LAPS = 128
# Width in bits of a block's index in its session. A session's stream has at most 2^36 bytes, which are 2^32 blocks.
INDEX_BITS = 32
# Width in bits of a record's length in blocks. The maximum, 127 blocks, is more than a datagram can hold.
BLOCKS_BITS = 7
BLOCK_INDEX_BITS = 60
BLOCK_BYTES_BITS = 4
SUM_BITS = 2 * WORD_BITS
LOOKUP_CYCLES = 11
DECIDE_CYCLES = 4

_PLACE_BITS = bits_for(RECORDS - 1)
_LAP_BITS = bits_for(LAPS - 1)
_NUMBER_BITS = _PLACE_BITS + _LAP_BITS
# Width in bits of a quotient. The quotient is a record's number, counted from the window's first record, and below 2 *
# RECORDS.
_QUOTIENT_BITS = _PLACE_BITS + 1


class RecordWindow(Module):
    """Stores the windows of all sessions. A window is `RECORDS` consecutive records of a session.

    Parameters
    ----------
    rows : int
        Number of sessions.

    Attributes
    ----------
    begin : Signal(), in
        Pulse: look the record up, and begin its sum.
    found_row, record_blocks : Signal, in, and Signal(7), in
        With `begin`: the record's session, and the number of blocks from one of its records to the next. If that is 0,
        every record is outside.
    index, length : Signal(60), in, and Signal(16), in
        The record's first block in the stream, and its length in bytes. Both must stay stable until it is decided.
    outside : Signal(), out
        The record begins where no record begins, is too long, or lies before the window or too far after it.
    word, add, last : Signal(32), in, and Signal(), in
        Data of the record, word by word. In the last word, bytes after the record's end are ignored.
    deciding : Signal(), in
        High for DECIDE_CYCLES after the last word was taken. In the last of these cycles `other_data` is valid and
        `mark` is given.
    other_data : Signal(), out
        The record came before with other data.
    mark : Signal(), in
        The record came whole: store its sum, unless it came before.
    row, place : Signal, in, and Signal(6), in
        Session and record that the CPU accesses; records count from the window's first. These and `given` must stay
        stable while `busy`.
    read, write : Signal(), in
        Pulse. `read` copies the record and its window's base to `values`; `write` replaces them by `given`. Not while
        `busy`.
    busy : Signal(), out
        An access is under way.
    given, values : Record, came(1), sum(64), base(32)
        A record and the base of its row's window.
    taken : Signal(), out
        Pulse: `values` are valid.
    """

    def __init__(self, *, rows: int):
        row_bits = bits_for(rows - 1)
        layout = [("came", 1), ("sum", SUM_BITS), ("base", INDEX_BITS)]
        self.begin = Signal()
        self.found_row = Signal(row_bits)
        self.record_blocks = Signal(BLOCKS_BITS)
        self.index = Signal(BLOCK_INDEX_BITS)
        self.length = Signal(LENGTH_BITS)
        self.outside = Signal()
        self.word = Signal(WORD_BITS)
        self.add = Signal()
        self.last = Signal()
        self.deciding = Signal()
        self.other_data = Signal()
        self.mark = Signal()
        self.row = Signal(row_bits)
        self.place = Signal(_PLACE_BITS)
        self.read = Signal()
        self.write = Signal()
        self.busy = Signal()
        self.given = Record(layout, name="given")
        self.values = Record(layout, name="values")
        self.taken = Signal()

        # # #

        # These memories store for each session the block index at which its window begins (base), and the number of the
        # window's first record.
        depth = max(rows, 2)
        ports = {}
        for name, bits in (("base", INDEX_BITS), ("number", _NUMBER_BITS)):
            memory = Memory(bits, depth, init=[0] * depth, name=f"window_{name}")
            write_port = memory.get_port(write_capable=True, async_read=True)
            read_port = memory.get_port(async_read=True)
            self.specials += memory, write_port, read_port
            self.comb += read_port.adr.eq(Mux(self.begin, self.found_row, self.row))
            ports[name] = write_port, read_port.dat_r
        (base_write, base_read), (number_write, number_read) = ports["base"], ports["number"]

        # The distance is the index of the record's first block minus the window's base. Divide the distance by the
        # number of blocks in a record, at one bit of the quotient per cycle. The quotient is the record's number within
        # the window.
        row = Signal(row_bits)
        blocks = Signal(BLOCKS_BITS)
        base = Signal(INDEX_BITS)
        # number of the window's first record, and number of the present record, both modulo RECORDS * LAPS
        first, number = Signal(_NUMBER_BITS), Signal(_NUMBER_BITS)
        wait = Signal(max=LOOKUP_CYCLES)
        distance = Signal(INDEX_BITS + 1)
        beyond, long, far = Signal(), Signal(), Signal()
        quotient, rest = Signal(_QUOTIENT_BITS), Signal(BLOCKS_BITS)
        dividend, reduced = Signal(BLOCKS_BITS + 1), Signal(BLOCKS_BITS + 2)
        back = Signal(INDEX_BITS)  # base of the window whose last record is the present record
        self.comb += [dividend.eq(Cat(quotient[-1], rest)), reduced.eq(dividend - blocks)]
        self.sync += [
            If(wait != 0, wait.eq(wait - 1)),
            If(
                self.begin,
                wait.eq(LOOKUP_CYCLES - 1),
                row.eq(self.found_row),
                blocks.eq(self.record_blocks),
                base.eq(base_read),
                first.eq(number_read),
            ),
            beyond.eq(self.index[INDEX_BITS:] != 0),
            long.eq(self.length > (blocks << BLOCK_BYTES_BITS)),
            distance.eq(self.index[:INDEX_BITS] - base),
            back.eq(self.index[:INDEX_BITS] - ((blocks << _PLACE_BITS) - blocks)),
            If(
                wait == _QUOTIENT_BITS + 2,
                Cat(quotient, rest).eq(distance),
                far.eq(distance[_QUOTIENT_BITS + BLOCKS_BITS :] != 0),
            ).Elif(
                wait >= 2,
                Cat(quotient, rest).eq(Cat(~reduced[-1], quotient[:-1], Mux(reduced[-1], dividend, reduced))),
                If((wait == _QUOTIENT_BITS + 1) & (rest >= blocks), far.eq(1)),
            ),
            self.outside.eq(beyond | long | far | (rest != 0)),
            number.eq(first + quotient),
        ]

        # Sum of the data.
        data_bits = self.length[: bits_for(WORD_BYTES - 1)]
        kept = [~self.last | (data_bits == 0) | (data_bits > n) for n in range(WORD_BYTES)]
        word = Signal(WORD_BITS)
        added = Signal(2)
        low, high = Signal(WORD_BITS), Signal(WORD_BITS)
        self.sync += [
            word.eq(self.word & Cat(*[Replicate(keep, 8) for keep in kept])),
            added.eq(Cat(self.add, added)),
            If(added[0], low.eq(low + word)),
            If(added[1], high.eq(high + low)),
            If(self.begin, low.eq(self.length), high.eq(0)),
        ]

        # An access of the CPU takes three steps: compute the number of the record, wait for a cycle in which the memory
        # is free, and read the output of the memory.
        asked, found, fetched = Signal(), Signal(), Signal()
        replaces = Signal()
        cpu_number = Signal(_NUMBER_BITS)
        turn = Signal()
        self.comb += [turn.eq(found & ~self.deciding), self.busy.eq(asked | found | fetched)]
        self.sync += [
            If(self.read | self.write, asked.eq(1), replaces.eq(self.write)),
            If(
                asked & ~self.begin,
                asked.eq(0),
                found.eq(1),
                cpu_number.eq(number_read + self.place),
                self.values.base.eq(base_read),
            ),
            If(turn, found.eq(0)),
            fetched.eq(turn & ~replaces),
        ]

        # The memory of the stored records. It is written only when the receiver decides on a record, or when the CPU
        # writes. No logic uses the word that is read in the cycle of a write.
        bits = SUM_BITS + _LAP_BITS + 1
        memory = without_collisions(Memory(bits, depth * RECORDS, init=[0] * depth * RECORDS, name="window_records"))
        write_port = memory.get_port(write_capable=True, mode=READ_FIRST)
        read_port = memory.get_port(mode=READ_FIRST)
        self.specials += memory, write_port, read_port
        kept_sum, kept_lap, kept_came = Signal(SUM_BITS), Signal(_LAP_BITS), Signal()
        place, lap = number[:_PLACE_BITS], number[_PLACE_BITS:]
        cpu_place, cpu_lap = cpu_number[:_PLACE_BITS], cpu_number[_PLACE_BITS:]
        came, same = Signal(), Signal(2)
        keep = Signal()
        self.comb += [
            Cat(kept_sum, kept_lap, kept_came).eq(read_port.dat_r),
            read_port.adr.eq(Mux(turn, Cat(cpu_place, self.row), Cat(place, row))),
            self.other_data.eq(came & (same != 0b11)),
            keep.eq(self.mark & ~came),
            self.values.sum.eq(kept_sum),
            self.values.came.eq(kept_came & (kept_lap == cpu_lap)),
            self.taken.eq(fetched),
            write_port.we.eq(keep | (turn & replaces)),
            write_port.adr.eq(Cat(cpu_place, self.row)),
            write_port.dat_w.eq(Cat(self.given.sum, cpu_lap, self.given.came)),
            base_write.we.eq((keep & quotient[-1]) | (turn & replaces)),
            base_write.adr.eq(self.row),
            base_write.dat_w.eq(self.given.base),
            If(
                self.deciding,
                write_port.adr.eq(Cat(place, row)),
                write_port.dat_w.eq(Cat(low, high, lap, C(1, 1))),
                base_write.adr.eq(row),
                base_write.dat_w.eq(back),
            ),
            number_write.we.eq(keep & quotient[-1]),
            number_write.adr.eq(row),
            number_write.dat_w.eq(number - (RECORDS - 1)),
        ]
        self.sync += [
            came.eq(kept_came & (kept_lap == lap)),
            same.eq(Cat(kept_sum[:WORD_BITS] == low, kept_sum[WORD_BITS:] == high)),
        ]
