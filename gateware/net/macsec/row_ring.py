# SPDX-License-Identifier: BSD-2-Clause
"""The frame buffer of one direction of a SecY: a ring of 128-bit rows in block RAM, with a write port and a read port.

A frame takes one row for its addresses, then rows for its data from the data's first byte on. So the text of a frame is
in whole blocks of GCM, and each block is replaced by its result. Several users share each port; the first one that asks
has it. The frames on the wire need a quarter of a port's cycles, at one word a cycle.

Handshake: a user is `granted` its access in the cycle in which it asks. A row that was read is there one cycle later.
"""

from migen import READ_FIRST, Cat, If, Memory, Module, Record, Signal, bits_for

from ...memory import block_ram
from .. import WORD_BITS
from . import ROW_BITS


def access_layout(rows: int) -> list[tuple[str, int]]:
    """Return the layout of an access to the ring of rows."""
    return [("valid", 1), ("row", bits_for(rows - 1)), ("granted", 1)]


def write_layout(rows: int) -> list[tuple[str, int]]:
    """Return the layout of a write to the ring of rows."""
    return [*access_layout(rows), ("data", ROW_BITS)]


class RowRing(Module):
    """The memory of a ring of rows. Its users share one write port and one read port.

    Parameters
    ----------
    rows : int
        A power of two.
    writes, reads : list of Record
        The users' accesses, see `write_layout` and `access_layout`; the first one goes first.

    Attributes
    ----------
    data : Signal(128), out
        The row that was read.
    clear : Signal(), in
        Pulse: zeroize all rows, a row a cycle.
    busy : Signal(), out
        Rows are being zeroized; nobody is granted an access.
    """

    def __init__(self, *, rows: int, writes: list[Record], reads: list[Record]):
        self.data = Signal(ROW_BITS)
        self.clear = Signal()
        self.busy = Signal()

        # # #

        # No logic uses a row that is read in the cycle in which it is written, because a row belongs to one user at a
        # time. A reader may also read rows that follow its frame's last row, but drops these rows.
        memory = block_ram(Memory(ROW_BITS, rows, name="frame_rows"))
        write_port = memory.get_port(write_capable=True, mode=READ_FIRST)
        read_port = memory.get_port(mode=READ_FIRST)
        self.specials += memory, write_port, read_port
        row = Signal(bits_for(rows - 1))  # that is zeroized next
        self.comb += [write_port.adr.eq(row), write_port.we.eq(self.busy), self.data.eq(read_port.dat_r)]
        for users, port in ((writes, write_port), (reads, read_port)):
            others = self.busy
            for user in users:
                self.comb += [
                    user.granted.eq(~others),
                    If(user.valid & ~others, port.adr.eq(user.row)),
                ]
                if port is write_port:
                    self.comb += If(user.valid & ~others, port.dat_w.eq(user.data), port.we.eq(1))
                others = others | user.valid
        self.sync += [
            If(self.busy, row.eq(row + 1), If(row == rows - 1, self.busy.eq(0))),
            If(self.clear, self.busy.eq(1), row.eq(0)),
        ]


class RowReader(Module):
    """Reads consecutive rows of the ring, and passes them on as rows or as words.

    The next row is fetched while the present one is used. Throughput: a row each three cycles, a word a cycle.

    Attributes
    ----------
    read : Record, see `access_layout`, out
    data : Signal(128), in
        The row that was read, one cycle after the access.
    start, first : Signal(), Signal, in
        Pulse: drop everything and begin with this row.
    stop : Signal(), in
        Pulse: drop everything and zeroize it.
    valid, row : Signal(), Signal(128), out
        The present row. Its first word that has not been taken is in bits 31:0.
    lane : Signal(2), out
        Number of this word.
    take, skip : Signal(), in
        Take this word, or the remainder of the row; only while `valid`.
    """

    def __init__(self, *, rows: int):
        self.read = Record(access_layout(rows))
        self.data = Signal(ROW_BITS)
        self.start = Signal()
        self.first = Signal(bits_for(rows - 1))
        self.stop = Signal()
        self.valid = Signal()
        self.row = Signal(ROW_BITS)
        self.lane = Signal(2)
        self.take = Signal()
        self.skip = Signal()

        # # #

        active, asked = Signal(), Signal()
        ahead, fetched = Signal(ROW_BITS), Signal()  # `ahead`: the next row; `fetched`: 1 if `ahead` is valid
        ends, moves = Signal(), Signal()
        read = self.read
        self.comb += [
            read.valid.eq(active & ~fetched & ~asked),
            ends.eq(self.skip | (self.take & (self.lane == ROW_BITS // WORD_BITS - 1))),
            moves.eq(fetched & (~self.valid | ends)),
        ]
        self.sync += [
            asked.eq(read.valid & read.granted),
            If(read.valid & read.granted, read.row.eq(read.row + 1)),
            If(asked, ahead.eq(self.data), fetched.eq(1)),
            If(self.take, self.row.eq(Cat(self.row[WORD_BITS:], self.row[:WORD_BITS])), self.lane.eq(self.lane + 1)),
            If(ends, self.valid.eq(0)),
            If(moves, self.row.eq(ahead), self.lane.eq(0), self.valid.eq(1), fetched.eq(0)),
            If(self.start | self.stop, active.eq(self.start), asked.eq(0), fetched.eq(0), self.valid.eq(0)),
            If(self.start, read.row.eq(self.first)),
            If(self.stop, self.row.eq(0), ahead.eq(0)),
        ]
