# SPDX-License-Identifier: BSD-2-Clause
"""The AES instructions of VexRiscv's AES plugin, as a unit on the CFU port.

Each instruction processes one byte, with a ROM of 2 KB instead of S-boxes.

We built it to compare it with the vector AES unit. Functions, fields and the ROM's contents follow ``AesPlugin.scala``
of SpinalHDL's VexRiscv; the code is ours. Columns have **row 0 in the high byte**, so byte ``b`` of a word is row ``3 -
b``::

    rd = rs1 ^ share of byte b of rs2 in its column, which is
         MixColumns of the column with SubBytes(byte) in row 3 - b       (0)
         SubBytes(byte) in row 3 - b                                     (LAST)
         InvMixColumns of the column with InvSubBytes(byte) in row 3 - b (DECRYPT)
         InvSubBytes(byte) in row 3 - b                                  (DECRYPT | LAST)

``funct3`` is 2. ``funct7`` has the byte in bits 4:3 and the operation in bits 1:0. The plugin's own opcode is custom-1.
From the high byte on, a word of the ROM holds InvSubBytes of its index, {02} x, x and {03} x with x = SubBytes of the
index. For `DECRYPT` it holds {0e} x, {09} x, {0d} x and {0b} x with x = InvSubBytes of the index. Latency and
throughput: one instruction a cycle, the response one cycle after the command. In the plugin another register follows,
so an instruction that needs the result waits one cycle longer there than on this port. The unit has no state.
"""

from migen import READ_FIRST, Array, Cat, If, Memory, Mux, Signal

from gateware.aes.field import INV_SBOX, SBOX, multiply
from gateware.aes.transforms import masked
from gateware.isa.cfu import OneCycleUnit

FUNCT3 = 2
# Operation codes: bits 1:0 of funct7.
DECRYPT = 0b01
LAST = 0b10
# Maps each operation to four byte numbers: byte i of the result is byte number BYTES[operation][i] of the ROM's word.
# This order is valid if the operand is byte 3 of a register.
BYTES = {0: (0, 1, 1, 2), DECRYPT: (0, 1, 2, 3), LAST: (1, 1, 1, 1), DECRYPT | LAST: (3, 3, 3, 3)}


def _word(*rows: int) -> int:
    """Return a word that consists of the given bytes, the high byte first."""
    return int.from_bytes(bytes(rows), "big")


def rom() -> list[int]:
    """Return the ROM's contents, 512 words. The first 256 words serve the encryption rounds and the last decryption
    round. The other 256 words serve all other decryption rounds.
    """
    forward = [_word(y, multiply(2, x), x, multiply(3, x)) for x, y in zip(SBOX, INV_SBOX, strict=True)]
    return forward + [_word(*(multiply(factor, x) for factor in (14, 9, 13, 11))) for x in INV_SBOX]


class ROMRoundsUnit(OneCycleUnit):
    """Executes the plugin's instructions, through the streams of `CFUUnit`. Any other function id has the result 0."""

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
            # `column` is the result for an operand in byte 3. For an operand in byte b, rotate `column` right by 3 - b
            # bytes.
            turned = Array([column[(i + 3 - b) % 4] for b in range(4)])[select]
            share.append(Mux(operation[1], masked(select == i, turned), turned))
        self.comb += If(answers, self.rsp_output.eq(added ^ Cat(*share)))
