"""Fiskiran and Lee's parallel table lookup ``ptlu`` for words of 32 bits, as a unit on the CFU port.

A yardstick beside the vector AES unit: eight tables T0 to T7 of 256 entries of 32 bits, 8 KB of block RAM::

    ptlu.subword.table.offset.step   rd = up to four lookups in one table, side by side
    ptlu_write.table                 T[table][rs1[7:0]] = rs2

Lookup i takes byte ``offset + i step`` of rs1 as its index and gives ``subword`` bytes, subword i of rd. Where the
paper is silent, this is ours: there are ``4 / subword`` lookups; byte numbers wrap modulo 4; lookup i is served by
subword i of the entries, so that each byte of them is a memory with one port; tables are written by an instruction.

``funct7``: table in bits 2:0, offset in 4:3, step in 6:5. ``funct3``: 4, 5 or 6 for a subword of 1, 2 or 4 bytes, 7 to
write, which answers 0. Latency and throughput: one instruction a cycle, the response one cycle after the command.
Beside its tables the unit has no state; they keep what was written, over a reset too.
"""

from migen import READ_FIRST, Array, Cat, If, Memory, Mux, Signal

from gateware.isa.cfu import OneCycleUnit

SUBWORDS = {1: 4, 2: 5, 4: 6}  # bytes: funct3
WRITE = 7
TABLES, ENTRIES = 8, 256


class PtluUnit(OneCycleUnit):
    """Both instructions, with the streams of `CFUUnit`. Undefined function ids answer 0."""

    def __init__(self):
        OneCycleUnit.__init__(self)

        # # #

        rs1, rs2 = self.cmd_inputs
        funct3, table = self.cmd_function_id[:3], self.cmd_function_id[3:6]
        offset, step = self.cmd_function_id[6:8], self.cmd_function_id[8:10]
        answers, write = Signal(), Signal()
        self.comb += write.eq(self.accept & (funct3 == WRITE))
        self.sync += If(self.accept, answers.eq(funct3[2] & (funct3 != WRITE)))

        # A memory for each byte of the entries, read by the lookup whose subword the byte is of.
        column = Array([rs1[8 * i : 8 * i + 8] for i in range(4)])
        results = []
        for i in range(4):
            lookup, number, index = Signal(2), Signal(2), Signal(8)
            memory = Memory(8, TABLES * ENTRIES, name=f"ptlu_{i}")
            port = memory.get_port(write_capable=True, has_re=True, mode=READ_FIRST)
            self.specials += memory, port
            self.comb += [
                If(funct3[:2] == 0, lookup.eq(i)).Elif(funct3[:2] == 1, lookup.eq(i // 2)),
                number.eq(offset + Array([0, step, step << 1, step + (step << 1)])[lookup]),
                index.eq(Mux(funct3 == WRITE, rs1[:8], column[number])),
                port.adr.eq(Cat(index, table)),
                port.dat_w.eq(rs2[8 * i : 8 * i + 8]),
                port.we.eq(write),
                port.re.eq(self.accept),
            ]
            results.append(port.dat_r)
        self.comb += If(answers, self.rsp_output.eq(Cat(*results)))
