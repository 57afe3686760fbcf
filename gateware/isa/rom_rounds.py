"""The AES instructions of VexRiscv's plugin as a unit on the CFU port: one byte each, by a ROM of 2 KB for the S-boxes.

A yardstick beside the vector AES unit. Functions, fields and what the ROM holds are those of SpinalHDL's VexRiscv,
``AesPlugin.scala``; the code is ours. Columns have **row 0 in the high byte**, so that byte ``b`` of a word is row
``3 - b``::

    rd = rs1 ^ share of byte b of rs2 in its column, which is
         MixColumns of the column with SubBytes(byte) in row 3 - b       (0)
         SubBytes(byte) in row 3 - b                                     (LAST)
         InvMixColumns of the column with InvSubBytes(byte) in row 3 - b (DECRYPT)
         InvSubBytes(byte) in row 3 - b                                  (DECRYPT | LAST)

``funct3`` is 2, ``funct7`` has the byte in bits 4:3 and the operation in bits 1:0; the plugin's own opcode is custom-1.
A word of the ROM is, from the high byte on, InvSubBytes of its index, {02} x, x and {03} x with x = SubBytes of it; for
`DECRYPT` alone {0e} x, {09} x, {0d} x and {0b} x with x = InvSubBytes. Latency and throughput: one instruction a cycle,
the response one cycle after the command. The plugin's result comes from a register behind that: an instruction that
needs it waits a cycle longer there than behind this port. The unit has no state.
"""

from migen import READ_FIRST, Array, Cat, If, Memory, Mux, Signal

from gateware.aes.field import INV_SBOX, SBOX, multiply
from gateware.aes.transforms import masked
from gateware.isa.cfu import OneCycleUnit

FUNCT3 = 2
# Bits 1:0 of funct7.
DECRYPT = 0b01
LAST = 0b10
# The ROM's bytes that the column of byte 3 takes, from the low one on.
BYTES = {0: (0, 1, 1, 2), DECRYPT: (0, 1, 2, 3), LAST: (1, 1, 1, 1), DECRYPT | LAST: (3, 3, 3, 3)}


def _word(*rows: int) -> int:
    """Bytes from the high one on."""
    return int.from_bytes(bytes(rows), "big")


def rom() -> list[int]:
    """256 words for all operations but `DECRYPT`, and 256 for that."""
    forward = [_word(y, multiply(2, x), x, multiply(3, x)) for x, y in zip(SBOX, INV_SBOX, strict=True)]
    return forward + [_word(*(multiply(factor, x) for factor in (14, 9, 13, 11))) for x in INV_SBOX]


class ROMRoundsUnit(OneCycleUnit):
    """The instructions, with the streams of `CFUUnit`. Undefined function ids answer 0."""

    def __init__(self):
        OneCycleUnit.__init__(self)

        # # #

        rs1, rs2 = self.cmd_inputs
        funct3, funct7 = self.cmd_function_id[:3], self.cmd_function_id[3:]
        memory = Memory(32, 512, init=rom(), name="aes_rom")
        port = memory.get_port(mode=READ_FIRST, has_re=True)
        self.specials += memory, port
        byte = Array([rs2[8 * i : 8 * i + 8] for i in range(4)])[funct7[3:5]]
        self.comb += [port.re.eq(self.accept), port.adr.eq(Cat(byte, funct7[0] & ~funct7[1]))]

        operation, select, added, answers = Signal(2), Signal(2), Signal(32), Signal()
        self.sync += If(
            self.accept,
            operation.eq(funct7[:2]),
            select.eq(funct7[3:5]),
            added.eq(rs1),
            answers.eq((funct3 == FUNCT3) & ~funct7[2] & (funct7[5:] == 0)),
        )
        words = [port.dat_r[8 * i : 8 * i + 8] for i in range(4)]
        column = [Signal(8, name=f"row{3 - i}_of_byte3") for i in range(4)]
        share = []
        for i in range(4):
            chosen = Array([words[BYTES[o][i]] for o in range(4)])
            self.comb += column[i].eq(chosen[operation])
            # Byte b's column is byte 3's, turned to the right by 3 - b bytes.
            turned = Array([column[(i + 3 - b) % 4] for b in range(4)])[select]
            share.append(Mux(operation[1], masked(select == i, turned), turned))
        self.comb += If(answers, self.rsp_output.eq(added ^ Cat(*share)))
