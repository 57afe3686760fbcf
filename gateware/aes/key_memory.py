# SPDX-License-Identifier: BSD-2-Clause
"""A memory for round keys, with one write port and one read port. No bus can access it.

Its size determines its kind. One row is a register. Up to 16 rows are distributed RAM: a 16x4 cell is four LUTs, so a
schedule of 128 bits takes 128 LUTs. More rows are block RAM if the read is registered. 8 slots of 128-bit rows fill a
quarter of each of four block RAMs. In LUTs they would take 1024 LUTs, plus multiplexers.
"""

from migen import READ_FIRST, If, Memory, Module, Signal, bits_for

from ..memory import without_collisions


class KeyMemory(Module):
    """A memory for round keys. Each row contains a round key or a part of one.

    Parameters
    ----------
    width, depth : int
        Bits of a row, and number of rows.
    registered : bool
        The read takes one clock cycle; otherwise it is combinational.

    Attributes
    ----------
    write, write_address, write_data : Signal(), Signal, Signal(width), in
        The write port.
    read_address, read_data : Signal, in, and Signal(width), out
        The read port. A read in the cycle of a write to the same row returns the old row or the new one. The cores do
        not read rows of a slot while it is written.
    """

    def __init__(self, *, width: int, depth: int, registered: bool):
        self.depth = depth
        self.write = Signal()
        self.write_address = Signal(bits_for(depth - 1))
        self.write_data = Signal(width)
        self.read_address = Signal(bits_for(depth - 1))
        self.read_data = Signal(width, reset_less=True)

        # # #

        read = self.read_data
        if registered and depth <= 16:
            read = Signal(width)
            self.sync += self.read_data.eq(read)
        if depth == 1:
            row = Signal(width, reset_less=True)
            self.sync += If(self.write, row.eq(self.write_data))
            self.comb += read.eq(row)
        else:
            memory = without_collisions(Memory(width, depth, name="round_keys"))
            block = registered and depth > 16
            write_port = memory.get_port(write_capable=True, mode=READ_FIRST, async_read=not block)
            read_port = memory.get_port(mode=READ_FIRST, async_read=not block)
            self.specials += memory, write_port, read_port
            self.comb += [
                write_port.adr.eq(self.write_address),
                write_port.dat_w.eq(self.write_data),
                write_port.we.eq(self.write),
                read_port.adr.eq(self.read_address),
                read.eq(read_port.dat_r),
            ]
