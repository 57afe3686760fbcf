# SPDX-License-Identifier: BSD-2-Clause
"""RISC-V's ratified scalar AES instructions (Zkne and Zknd, RV32), as a unit on the CFU port.

We built it to compare it with the vector AES unit, on the same CPU and through the same port. An instruction
substitutes one byte and adds its share of a column::

    aes32esi   rd = rs1 ^ rotl(SubBytes(byte), 8 bs)
    aes32esmi  rd = rs1 ^ rotl(MixColumns(SubBytes(byte)), 8 bs)
    aes32dsi   rd = rs1 ^ rotl(InvSubBytes(byte), 8 bs)
    aes32dsmi  rd = rs1 ^ rotl(InvMixColumns(InvSubBytes(byte)), 8 bs)

``byte`` is byte ``bs`` of rs2. MixColumns applies to the column with this byte in row 0 and zeros below. The encoding
is the standard's (funct3 = 0; bs in funct7 bits 6:5; bits 4:0 as below), but in custom-0, where the port is. Latency
and throughput: one instruction a cycle, the response one cycle after the command.
"""

from migen import Array, Mux, Signal

from gateware.aes.sbox import SBox
from gateware.isa.cfu import ColumnUnit

# Operation codes: bits 4:0 of funct7.
AES32ESI = 0b10001
AES32ESMI = 0b10011
AES32DSI = 0b10101
AES32DSMI = 0b10111


class ScalarAESUnit(ColumnUnit):
    """Executes the scalar AES instructions. The unit gets commands and returns results through the streams of
    `CFUUnit`.

    Undefined function ids answer 0. The unit has no state.

    Parameters
    ----------
    sbox : str
        Implementation of the S-boxes (`gateware.aes.sbox`).
    """

    def __init__(self, *, sbox: str = "table"):
        ColumnUnit.__init__(self)

        # # #

        rs1, rs2 = self.cmd_inputs
        operation = self.cmd_function_id[3:8]
        select = self.cmd_function_id[8:10]
        byte = Signal(8)
        self.submodules.forward = forward = SBox(implementation=sbox)
        self.submodules.inverse = inverse = SBox(inverse=True, implementation=sbox)
        self.comb += [
            byte.eq(Array([rs2[8 * i : 8 * i + 8] for i in range(4)])[select]),
            forward.i.eq(byte),
            inverse.i.eq(byte),
        ]
        self.answer(
            defined=(self.cmd_function_id[:3] == 0) & operation[4] & ~operation[3] & operation[0],
            column=Mux(operation[2], inverse.o, forward.o),
            addend=rs1,
            rotation=select,
            mix=operation[1],
            inverse=operation[2],
        )
