# SPDX-License-Identifier: BSD-2-Clause
"""Fiskiran and Lee's parallel table lookup, ``ptlu``, for words of 32 bits, as a unit on the CFU port.

We built it to compare it with the vector AES unit. It has eight tables T0 to T7 of 256 entries of 32 bits, 8 KB of
block RAM::

    ptlu.subword.table.offset.step   rd = up to four lookups in one table, side by side
    ptlu_write.table                 T[table][rs1[7:0]] = rs2

`lab.isa.lookup_tables` defines a lookup. The instruction that writes tables is our own.

``funct7`` has the table in bits 2:0, the offset in 4:3 and the step in 6:5. ``funct3`` is 4, 5 or 6 for a subword of 1,
2 or 4 bytes, and 7 to write, which answers 0. Latency and throughput: one instruction a cycle, the response one cycle
after the command. The tables are the unit's only state.
"""

from migen import If, Signal

from gateware.isa.cfu import OneCycleUnit
from lab.isa import lookup_tables
from lab.isa.lookup_tables import LookupTables

SUBWORDS = {subword: 4 + n for n, subword in enumerate(lookup_tables.SUBWORDS)}  # maps a subword's size to funct3
WRITE = 7


class PtluUnit(OneCycleUnit):
    """Executes `ptlu` and `ptlu_write`, through the streams of `CFUUnit`. Any other function id has the result 0."""

    def __init__(self):
        OneCycleUnit.__init__(self)
        self.submodules.tables = tables = LookupTables(32)

        # # #

        rs1, rs2 = self.cmd_inputs
        funct3, answers = self.cmd_function_id[:3], Signal()
        self.comb += [
            tables.enable.eq(self.accept),
            tables.word.eq(rs1),
            tables.subword.eq(funct3[:2]),
            tables.table.eq(self.cmd_function_id[3:6]),
            tables.offset.eq(self.cmd_function_id[6:8]),
            tables.step.eq(self.cmd_function_id[8:10]),
            tables.write.eq(funct3 == WRITE),
            tables.index.eq(rs1[:8]),
            tables.data.eq(rs2),
            If(answers, self.rsp_output.eq(tables.result)),
        ]
        self.sync += If(self.accept, answers.eq(funct3[2] & (funct3 != WRITE)))
