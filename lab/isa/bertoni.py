# SPDX-License-Identifier: BSD-2-Clause
"""The two instruction sets of Bertoni, Breveglieri, Farina and Regazzoni (2006), as a unit on the CFU port.

We built it to compare it with the vector AES unit. Names and roles are the paper's. **Operands and encodings are
ours**: the simplest ones that fit the roles, because the part of the paper that defines them was not available. A
column of the state is 32 bits, row 0 in the low byte; byte ``b`` is bits ``8b+7 : 8b``::

    byte set   sbox     rd = SubBytes(byte b of rs1), zero-extended
               s_mix    rd = rotl(MixColumns(SubBytes(byte b of rs1), 0, 0, 0), 8 b)
    word set   sub_word rd = SubBytes of each byte of rs1
               s_mix_w  rd = MixColumns(SubBytes of each byte of rs1)
               ksfw     rd = SubWord(RotWord(rs1)) ^ rs2

The rotation in ``s_mix`` stands for the rotated operands of an ARM, which RISC-V lacks. Each instruction except
``ksfw`` has an inverse, for the equivalent inverse cipher. ``funct3`` is 1. ``funct7`` has the byte in bits 6:5 and the
operation in bits 4:0. Latency and throughput: one instruction a cycle, the response one cycle after the command. The
unit has no state.
"""

from migen import Array, Cat, If, Mux, Signal

from gateware.aes.sbox import SBox
from gateware.isa.cfu import ColumnUnit

FUNCT3 = 1
# Operation codes in bits 4:0 of funct7. Bit 3 selects the inverse. Bit 2 selects substitution of only one byte.
SUB_WORD = 0b00000
S_MIX_W = 0b00001
KSFW = 0b00010
SBOX = 0b00100
S_MIX = 0b00101
INVERSE = 0b01000
OPERATIONS = (SUB_WORD, S_MIX_W, KSFW, SBOX, S_MIX, *(INVERSE | o for o in (SUB_WORD, S_MIX_W, SBOX, S_MIX)))
BYTE_SET = tuple(operation for operation in OPERATIONS if operation & SBOX)
WORD_SET = tuple(operation for operation in OPERATIONS if not operation & SBOX)


class BertoniUnit(ColumnUnit):
    """Executes the instructions of one or both sets. The unit gets commands and returns results through the streams of
    `CFUUnit`.

    Undefined function ids answer 0.

    Parameters
    ----------
    operations : tuple of int
        `BYTE_SET`, `WORD_SET` or, for both, `OPERATIONS`. The byte set needs one S-box for each direction, the word set
        four.
    sbox : str
        Implementation of the S-boxes (`gateware.aes.sbox`).
    """

    def __init__(self, *, operations: tuple[int, ...] = OPERATIONS, sbox: str = "table"):
        ColumnUnit.__init__(self)

        # # #

        rs1, rs2 = self.cmd_inputs
        operation = self.cmd_function_id[3:8]
        select = self.cmd_function_id[8:10]
        defined = Signal()
        for one in operations:
            self.comb += If((self.cmd_function_id[:3] == FUNCT3) & (operation == one), defined.eq(1))

        # The S-boxes substitute all four bytes of a column, or only one byte. A single byte is first moved to row 0.
        boxes = 4 if set(operations) & set(WORD_SET) else 1
        source = Signal(32)
        is_byte = Signal(reset=boxes == 1)
        byte = Array([rs1[8 * i : 8 * i + 8] for i in range(4)])[select]
        if boxes == 4:
            self.comb += is_byte.eq(operation[2])
        self.comb += (
            If(is_byte, source.eq(byte)).Elif(operation[1], source.eq(Cat(rs1[8:], rs1[:8]))).Else(source.eq(rs1))
        )
        substituted = []
        for i in range(boxes):
            forward, inverse = SBox(implementation=sbox), SBox(inverse=True, implementation=sbox)
            self.submodules += [forward, inverse]
            self.comb += [each.i.eq(source[8 * i : 8 * i + 8]) for each in (forward, inverse)]
            value = Mux(operation[3], inverse.o, forward.o)
            substituted.append(value if i == 0 else Mux(is_byte, 0, value))
        self.answer(
            defined=defined,
            column=Cat(*substituted),
            addend=Mux(operation[1], rs2, 0),
            rotation=Mux(is_byte & operation[0], select, 0),
            mix=operation[0],
            inverse=operation[3],
        )
