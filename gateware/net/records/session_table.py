# SPDX-License-Identifier: BSD-2-Clause
"""Stores the fast path's sessions, each with its peer's address, its key slot and T1 (the initial counter block).

::

    CPU ─► columns of words, one row a session ─► row found by number ─► token, peer, limit, key slot, T1

Columns are small memories. The CPU writes them word by word and never reads them. A row is open or not. Its columns can
be written only while it is neither open nor in use. Closing a row zeroizes its columns; reset zeroizes all rows, one
each cycle.

A search reads every row, one each cycle, whatever it finds; it takes one cycle more than there are rows. The row that
it found stays selected until the next search. `found` falls when that row is closed. It stays low even if the row is
opened for another session.

T1 is in block RAM and is valid a cycle later. A read of T1 in the cycle of a write returns an undefined value. Nobody
uses that value, because a row is written only when it is being closed or is already closed.
"""

from enum import IntEnum

from migen import READ_FIRST, Array, Case, Cat, If, Memory, Module, Mux, Signal, bits_for

from ...aes.standard import BLOCK_BITS
from ...memory import block_ram
from .window import BLOCKS_BITS

WORD_BITS = 32
ROWS_MAX = 16


class Column(IntEnum):
    """The words of a session's row. A number's least significant word comes first; byte strings keep their order."""

    SESSION = 0
    PEER_IP = 1
    PEER_PORT = 2
    TOKEN_LO = 3
    TOKEN_HI = 4
    LIMIT_LO = 5
    LIMIT_HI = 6
    SLOT = 7
    IV0 = 8
    IV1 = 9
    IV2 = 10
    IV3 = 11
    RECORD_BLOCKS = 12


_INITIAL = (Column.IV0, Column.IV1, Column.IV2, Column.IV3)
_NARROW = {Column.PEER_PORT: 16, Column.RECORD_BLOCKS: BLOCKS_BITS}


class SessionTable(Module):
    """A table with a row for each session, and a search for the row with a given session number.

    Parameters
    ----------
    rows : int
        Sessions that can be open at once, 1 to 16.
    slots : int
        Key slots.

    Attributes
    ----------
    row : Signal, in
        The row that the CPU accesses.
    write : dict of Column to Signal(), in
        Write strobes, each with `word`; ignored while the row is open or in use.
    word : Signal(32), in
        The word to write.
    open, close : Signal(), in
        Pulse: open or close the row. Opening a row that is open or in use is ignored.
    locked : Signal(), out
        The row is open or in use, or all rows are being zeroized after reset.
    opened : Signal(rows), out
        Rows that are open.
    in_use : Signal(rows), in
        Rows with a datagram under way.
    search : Signal(), in
        Begin a search for `number`; not while one is under way.
    number : Signal(32), in
        The session number to search for.
    searching : Signal(), out
        A search is under way.
    found : Signal(), out
        The search has found a row, and the row has been open since then.
    found_row, slot : Signal, out
        The row and its key slot.
    peer_ip, peer_port, token, limit, initial, record_blocks : Signal, 32, 16, 64, 64, 128 and 7 bits, out
        The row's fields; `initial` is T1 in the byte order of `gateware.aes`, a cycle after the others.
    """

    def __init__(self, *, rows: int = 8, slots: int = 8):
        if not 1 <= rows <= ROWS_MAX:
            raise ValueError(f"rows is {rows}; give 1 to {ROWS_MAX}")
        row_bits, slot_bits = bits_for(rows - 1), bits_for(slots - 1)
        self.row = Signal(row_bits)
        self.write = {column: Signal(name=f"write_{column.name.lower()}") for column in Column}
        self.word = Signal(WORD_BITS)
        self.open = Signal()
        self.close = Signal()
        self.locked = Signal()
        self.opened = Signal(rows)
        self.in_use = Signal(rows)
        self.search = Signal()
        self.number = Signal(WORD_BITS)
        self.searching = Signal()
        self.found = Signal()
        self.found_row = Signal(row_bits)
        self.slot = Signal(slot_bits)
        self.peer_ip = Signal(32)
        self.peer_port = Signal(16)
        self.token = Signal(64)
        self.limit = Signal(64)
        self.initial = Signal(BLOCK_BITS)
        self.record_blocks = Signal(BLOCKS_BITS)

        # # #

        # The CPU's side.
        opened = Array([self.opened[n] for n in range(rows)])
        in_use = Array([self.in_use[n] for n in range(rows)])
        zeroing = Signal(reset=1)
        zeroed = Signal(row_bits)
        self.comb += self.locked.eq(opened[self.row] | in_use[self.row] | zeroing)
        rows_case = range(rows)
        self.sync += [
            If(self.open & ~self.locked, Case(self.row, {n: self.opened[n].eq(1) for n in rows_case})),
            If(self.close, Case(self.row, {n: self.opened[n].eq(0) for n in rows_case})),
            If(zeroing, zeroed.eq(zeroed + 1), If(zeroed == rows - 1, zeroing.eq(0))),
        ]

        # Signal paths from the CPU are long. So registers store the CPU's row number and word, and the columns are
        # written one cycle later.
        clear = self.close | zeroing
        row = Signal(row_bits)
        word = Signal(WORD_BITS)
        self.sync += [row.eq(Mux(zeroing, zeroed, self.row)), word.eq(Mux(clear, 0, self.word))]
        scanned = Signal(row_bits)
        read = {}
        for column in Column:
            width = {**_NARROW, Column.SLOT: slot_bits}.get(column, WORD_BITS)
            memory = Memory(width, max(rows, 2), init=[0] * max(rows, 2), name=f"session_{column.name.lower()}")
            block = column in _INITIAL
            if block:
                block_ram(memory)
            write_port = memory.get_port(write_capable=True, mode=READ_FIRST, async_read=not block)
            read_port = memory.get_port(mode=READ_FIRST, async_read=not block)
            self.specials += memory, write_port, read_port
            self.sync += write_port.we.eq((self.write[column] & ~self.locked) | clear)
            self.comb += [
                write_port.adr.eq(row),
                write_port.dat_w.eq(word[:width]),
                read_port.adr.eq(scanned if column == Column.SESSION else self.found_row),
            ]
            read[column] = read_port.dat_r
        self.comb += [
            self.peer_ip.eq(read[Column.PEER_IP]),
            self.peer_port.eq(read[Column.PEER_PORT]),
            self.token.eq(Cat(read[Column.TOKEN_LO], read[Column.TOKEN_HI])),
            self.limit.eq(Cat(read[Column.LIMIT_LO], read[Column.LIMIT_HI])),
            self.slot.eq(read[Column.SLOT]),
            self.initial.eq(Cat(*[read[column] for column in _INITIAL])),
            self.record_blocks.eq(read[Column.RECORD_BLOCKS]),
        ]

        # Search.
        wanted = Signal(WORD_BITS)
        starting, scanning = Signal(), Signal()
        closing = Signal()  # 1 in the cycle in which software closes the row that the search reads
        self.comb += [
            closing.eq(self.close & (self.row == scanned)),
            self.searching.eq(starting | scanning),
        ]
        self.sync += [
            starting.eq(self.search),
            If(~self.searching, wanted.eq(self.number)),
            If(self.close & (self.row == self.found_row), self.found.eq(0)),
            If(
                scanning,
                scanned.eq(scanned + 1),
                If(
                    opened[scanned] & ~closing & (read[Column.SESSION] == wanted),
                    self.found.eq(1),
                    self.found_row.eq(scanned),
                ),
                If(scanned == rows - 1, scanning.eq(0)),
            ),
            If(starting, scanning.eq(1), self.found.eq(0), scanned.eq(0)),
        ]
