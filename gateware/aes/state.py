# SPDX-License-Identifier: BSD-2-Clause
"""Stores the state of an iterative cipher between two rounds, and applies ShiftRows when the state is read.

A round takes ``128 / width`` steps. Each step writes ``width / 32`` new columns. It reads the bytes that ShiftRows
(FIPS-197, 5.1.2) brings into the columns of the next step: byte (r, c) of the result is byte (r, c + r mod 4) of the
state. Bytes wait in small distributed RAMs, one for each row and each column of a step, in two banks: one is written
while the other is read. Bytes that are needed in the cycle in which they are new bypass the RAM. With a width of 128
bits all bytes do, and there is no RAM.

Latency: none from `new` to `shifted`. A byte in RAM is readable from the cycle after its write.
"""

from migen import Cat, Memory, Module, Mux, Signal, bits_for

from .standard import BLOCK_BITS, WORD_BITS

ROWS = 4


class State(Module):
    """A memory for the AES state between two rounds. The bytes that it outputs are already in the order of ShiftRows.

    Parameters
    ----------
    width : int
        Bits that are written and read in a step: 32, 64 or 128.

    Attributes
    ----------
    write : Signal(), in
        Write `new` as part `write_part` of bank `write_bank`.
    write_bank, write_part : Signal(), Signal, in
        Bank and part to write.
    new : Signal(width), in
        Columns, the first in bits 31:0.
    complete : Signal(), in
        `new` is the last part of a state; read part 0 of this state. Otherwise read the part that `read_bank` and
        `read_part` select.
    read_bank, read_part : Signal(), Signal, in
        Bank and part to read.
    shifted : Signal(width), out
        The bytes read, after ShiftRows.
    """

    def __init__(self, *, width: int):
        parts = BLOCK_BITS // width
        group = width // WORD_BITS  # columns of a part
        self.write = Signal()
        self.write_bank = Signal()
        self.write_part = Signal(bits_for(parts - 1))
        self.new = Signal(width)
        self.complete = Signal()
        self.read_bank = Signal()
        self.read_part = Signal(bits_for(parts - 1))
        self.shifted = Signal(width)

        # # #

        bank, part = Signal(), Signal(bits_for(parts - 1))
        self.comb += [
            bank.eq(Mux(self.complete, self.write_bank, self.read_bank)),
            part.eq(Mux(self.complete, 0, self.read_part)),
        ]
        for row in range(ROWS):
            for column in range(group):
                # ShiftRows: this byte of part `part` comes from column `source` of part `part + parts_on`. Part numbers
                # wrap around after the last part.
                parts_on, source = divmod(column + row, group)
                byte = self.new[WORD_BITS * source + 8 * row : WORD_BITS * source + 8 * row + 8]
                shifted = self.shifted[WORD_BITS * column + 8 * row : WORD_BITS * column + 8 * row + 8]
                if parts == 1:
                    self.comb += shifted.eq(byte)
                    continue
                memory = Memory(8, 2 * parts, name=f"state_{row}_{source}")
                write_port = memory.get_port(write_capable=True, async_read=True)
                read_port = memory.get_port(async_read=True)
                self.specials += memory, write_port, read_port
                address = Signal(bits_for(parts - 1))
                self.comb += [
                    write_port.we.eq(self.write),
                    write_port.adr.eq(Cat(self.write_part, self.write_bank)),
                    write_port.dat_w.eq(byte),
                    address.eq(part + parts_on),
                    read_port.adr.eq(Cat(address, bank)),
                ]
                if parts_on % parts == parts - 1:
                    self.comb += shifted.eq(Mux(self.complete, byte, read_port.dat_r))
                else:
                    self.comb += shifted.eq(read_port.dat_r)
