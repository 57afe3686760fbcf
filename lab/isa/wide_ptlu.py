# SPDX-License-Identifier: BSD-2-Clause
"""Fiskiran and Lee's parallel table lookup, ``ptlu``, for words of 64 or 128 bits, as a unit on the CFU port.

The words are registers of the unit, as in the vector AES unit (`lab.isa.wide_registers` has the moves and the
loading of round keys); 128 bits are its four lanes. Eight tables of 256 words take 16 or 32 KB of block RAM.
`lab.isa.lookup_tables` defines a lookup. Encodings are ours:

=========== ====== ======== ==================================================================
instruction funct3 funct7   meaning
=========== ====== ======== ==================================================================
ptlu        1      0sssddd  v[d] = up to four lookups by bytes of v[s] in one table
shift_left  1      1sssddd  v[d] = v[s] << 32
exclusive   2      0sssddd  v[d] ^= v[s]
shift_right 2      1sssddd  v[d] = v[s] >> 32
add_key     3      kk..dd   v[d] ^= k[k]
ptlu_write  7      11ccttt  T[t][rs1[7:0]].lane[c] = rs2
=========== ====== ======== ==================================================================

The 10 bits of a function id cannot hold the registers and all fields of ``ptlu``. So rs1 carries the fields, and its
value stays in a register of the CPU: offset in bits 3:0, step in 7:4, table in 10:8, and log2 of 4 / subword in 12:11
(3 counts as 2). The next instruction can use a result, as in the paper.
"""

from migen import Cat, Constant, If, Mux, Signal

from lab.isa.lookup_tables import LookupTables
from lab.isa.wide_registers import MOVE, OWN, WideRegistersUnit

PTLU, EXCLUSIVE, ADD_KEY = 1, 2, 3
SHIFT = 1 << 6  # this bit of funct7
LANE = 32


class WidePtluUnit(WideRegistersUnit):
    """Executes `ptlu` and three other kinds of instructions through the streams of `CFUUnit`: XOR of registers, shift
    of a register, and addition of a round key. For any other function id, the result is 0, and nothing changes.

    Parameters
    ----------
    width : int
        Bits of a word: 64 or 128.
    """

    def __init__(self, *, width: int):
        WideRegistersUnit.__init__(self, width)
        self.submodules.tables = tables = LookupTables(width)

        # # #

        rs1, rs2 = self.cmd_inputs
        funct3, funct7 = self.funct3, self.funct7
        is_shift, looked_up = Signal(), Signal()
        edge = Constant(0, LANE)
        self.comb += [
            is_shift.eq(funct7[6]),
            self.target_has_key.eq(funct3 == ADD_KEY),
            self.writes.eq((funct3 == PTLU) | (funct3 == EXCLUSIVE) | (funct3 == ADD_KEY)),
            If(funct3 == ADD_KEY, self.early.eq(self.target ^ self.key))
            .Elif(~is_shift, self.early.eq(self.target ^ self.source))
            .Elif(funct3 == PTLU, self.early.eq(Cat(edge, self.source[:-LANE])))
            .Else(self.early.eq(Cat(self.source[LANE:], edge))),
            tables.enable.eq(self.accept),
            tables.word.eq(self.source),
            tables.subword.eq(Mux(rs1[12], 0, Mux(rs1[11], 1, 2))),
            tables.offset.eq(rs1[:4]),
            tables.step.eq(rs1[4:8]),
            tables.table.eq(Mux(tables.write, funct7[:3], rs1[8:11])),
            tables.write.eq((funct3 == MOVE) & (funct7[5:] == OWN)),
            tables.index.eq(rs1[:8]),
            tables.lane.eq(funct7[3:5]),
            tables.data.eq(rs2),
            self.result.eq(Mux(looked_up, tables.result, self.held)),
        ]
        self.sync += looked_up.eq(self.accept & (funct3 == PTLU) & ~is_shift)
