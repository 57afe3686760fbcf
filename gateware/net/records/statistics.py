# SPDX-License-Identifier: BSD-2-Clause
"""Counts bytes, blocks and records of each session, as the record `stat` reports them.

A row is three columns in small memories, with one adder each. Opening a session clears its row. Latency: an update
takes two cycles; `values` is valid within three cycles after `capture`.
"""

from litex.soc.interconnect import stream
from migen import If, Memory, Module, Mux, Record, Signal, bits_for

BYTES_BITS = 64
BLOCKS_BITS = 64
RECORDS_BITS = 32
COLUMNS = (("bytes", BYTES_BITS), ("blocks", BLOCKS_BITS), ("records", RECORDS_BITS))
LENGTH_BITS = 16


class Statistics(Module):
    """Counts answered bytes, blocks and records for each session.

    Parameters
    ----------
    rows : int
        Number of sessions.

    Attributes
    ----------
    record : stream.Endpoint, row, length(16), in
        A record of this length, in bytes, was answered; taken in the cycle of `valid`.
    row : Signal, in
        The session for `clear` and `capture`.
    clear, capture : Signal(), in
        Pulse: clear the row, or copy it to `values`. The two must not follow each other directly.
    values : Record, bytes(64), blocks(64), records(32), out
        The counts at the last `capture`.
    """

    def __init__(self, *, rows: int):
        row_bits = bits_for(rows - 1)
        self.record = stream.Endpoint([("row", row_bits), ("length", LENGTH_BITS)])
        self.row = Signal(row_bits)
        self.clear = Signal()
        self.capture = Signal()
        self.values = Record(list(COLUMNS))

        # # #

        # 1 while a request (`clear`, `capture`) waits for a cycle in which no record is counted
        clearing, capturing = Signal(), Signal()
        adding = Signal()
        row = Signal(row_bits)
        length = Signal(LENGTH_BITS)
        addends = {"bytes": length, "blocks": length[4:] + (length[:4] != 0), "records": 1}
        self.comb += self.record.ready.eq(1)
        self.sync += [
            adding.eq(self.record.valid),
            row.eq(self.record.row),
            length.eq(self.record.length),
            If(~adding, clearing.eq(0), capturing.eq(0)),
            If(self.clear, clearing.eq(1)),
            If(self.capture, capturing.eq(1)),
        ]
        for name, bits in COLUMNS:
            depth = max(rows, 2)
            memory = Memory(bits, depth, init=[0] * depth, name=f"statistics_{name}")
            port = memory.get_port(write_capable=True, async_read=True)
            self.specials += memory, port
            self.comb += [
                port.adr.eq(Mux(adding, row, self.row)),
                port.dat_w.eq(Mux(adding, port.dat_r + addends[name], 0)),
                port.we.eq(adding | clearing),
            ]
            self.sync += If(capturing & ~adding, getattr(self.values, name).eq(port.dat_r))
