# SPDX-License-Identifier: BSD-2-Clause
"""RISC-V's vector AES instructions (Zvkned), as a unit on the CFU port.

We built it to compare it with the vector AES unit. Names and semantics are the standard's (RISC-V Cryptography
Extensions, Volume II), for one element group of 128 bits, so the forms .vv and .vs coincide. The unit has its own
registers (`lab.isa.wide_registers`): state in v0 to v7, round keys in k0 to k15. A CPU with the vector extension
has 32 registers of one kind. Encodings are ours. A state is bytes in the standard's order, column c in lane c::

    vaesem  v[d] = MixColumns(ShiftRows(SubBytes(v[d]))) ^ k[k]
    vaesef  v[d] = ShiftRows(SubBytes(v[d])) ^ k[k]
    vaesdm  v[d] = InvMixColumns(InvSubBytes(InvShiftRows(v[d])) ^ k[k])
    vaesdf  v[d] = InvSubBytes(InvShiftRows(v[d])) ^ k[k]
    vaesz   v[d] = v[d] ^ k[k]
    vaeskf1 k[d] = the round key of AES-128 that follows k[s], of round rnd
    vaeskf2 k[d] = the round key of AES-256 that follows k[d] and k[s], of round rnd
    vmv     k[d] = k[s]

The first five have funct3 1 to 5 and ``kkkkddd`` as funct7. The others have funct3 6 and ``000dddd``, ``100dddd`` and
``010dddd``, with s in bits 3:0 of rs1 and rnd in 7:4. ``vmv.v.v`` belongs to the vector extension itself; ``vaeskf2``
replaces the older of its two round keys. Bit 3 of an invalid rnd is inverted, as the standard demands.

Differences from the vector AES unit: ``vaesdm`` adds the round key before InvMixColumns, so decryption uses the round
keys of encryption, whereas `round_dec` uses those of the equivalent inverse cipher. Any round key serves a last round.
Round keys are made in registers. The next instruction can use a result.
"""

from migen import Array, Case, Cat, Constant, If, Mux, Signal

from gateware.aes.sbox_pair import SBoxPair
from gateware.aes.transforms import byte_list, inv_shift_rows, inverse_mix_correction, masked, mix_column, shift_rows
from lab.isa.wide_registers import WideRegistersUnit

VAESEM, VAESEF, VAESDM, VAESDF, VAESZ, VAESKF = range(1, 7)
KF1, KF2, VMV = 0, 4, 2  # bits 6:4 of funct7
RCON = (0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1B, 0x36)


class ZvknedUnit(WideRegistersUnit):
    """Executes Zvkned's instructions, through the streams of `CFUUnit`. For any other function id, the result is 0, and
    nothing changes.

    Parameters
    ----------
    sbox : str
        Implementation of the S-boxes (`gateware.aes.sbox_pair`).
    """

    def __init__(self, *, sbox: str = "table"):
        WideRegistersUnit.__init__(self, 128)

        # # #

        rs1, _ = self.cmd_inputs
        funct3, funct7 = self.funct3, self.funct7
        current, to_substitute, substituted = Signal(128), Signal(128), Signal(128)
        is_round, is_schedule, is_move, inverse = Signal(), Signal(), Signal(), Signal()
        self.comb += [
            is_round.eq((funct3 >= VAESEM) & (funct3 <= VAESZ)),
            is_schedule.eq((funct3 == VAESKF) & ((funct7[4:] == KF1) | (funct7[4:] == KF2))),
            is_move.eq((funct3 == VAESKF) & (funct7[4:] == VMV)),
            inverse.eq((funct3 == VAESDM) | (funct3 == VAESDF)),
            self.target_has_key.eq(is_round),
            self.writes.eq(is_round),
            self.writes_key.eq(is_schedule | is_move),
            self.early.eq(Mux(is_move, current, self.target ^ self.key)),
        ]

        # First cycle: a round instruction substitutes the bytes of the state. A key-schedule instruction substitutes
        # the bytes of the previous round key.
        self.comb += [current.eq(self.read_key(rs1[:4])), to_substitute.eq(Mux(is_schedule, current, self.target))]
        for n in range(16):
            box = SBoxPair(implementation=sbox)
            self.submodules += box
            byte = slice(8 * n, 8 * n + 8)
            self.comb += [box.i.eq(to_substitute[byte]), box.inverse.eq(inverse), substituted[byte].eq(box.o)]

        # Compute the number of the round. Store all values that the second cycle needs.
        second, given, number = funct7[6], rs1[4:8], Signal(4)
        has_meaning = Mux(second, (given >= 2) & (given <= 14), (given >= 1) & (given <= 10))
        self.comb += number.eq(given ^ (masked(~has_meaning, Constant(1)) << 3))
        operation, key, rotates, constant = Signal(3), Signal(128), Signal(), Signal(8)
        constants, index = Array([*RCON, *[0] * (16 - len(RCON))]), Signal(4)
        self.comb += index.eq(Mux(second, number >> 1, number) - 1)
        self.sync += If(
            self.accept,
            operation.eq(masked(is_round | is_schedule, funct3)),
            key.eq(Mux(is_schedule & ~second, current, self.key)),
            rotates.eq(~second | ~number[0]),
            constant.eq(constants[index]),
        )

        # Second cycle: ShiftRows, MixColumns and AddRoundKey. To compute InvMixColumns, XOR a correction into each
        # column, then apply MixColumns.
        forward = Cat(*shift_rows(byte_list(substituted)))
        straight, mixed, is_middle_inverse = Signal(128), Signal(128), Signal()
        self.comb += [
            is_middle_inverse.eq(operation == VAESDM),
            straight.eq(
                Mux(is_middle_inverse | (operation == VAESDF), Cat(*inv_shift_rows(byte_list(substituted))), forward)
                ^ masked(operation != VAESEM, key)
            ),
        ]
        for column in (slice(i, i + 32) for i in range(0, 128, 32)):
            corrected = Signal(32)
            correction = Cat(*inverse_mix_correction(byte_list(straight[column])))
            self.comb += [
                corrected.eq(straight[column] ^ masked(is_middle_inverse, correction)),
                mixed[column].eq(Cat(*mix_column(byte_list(corrected))) ^ masked(operation == VAESEM, key[column])),
            ]
        word = substituted[96:]
        word = Mux(rotates, Cat(word[8:], word[:8]) ^ constant, word)
        scheduled = []
        for i in range(0, 128, 32):
            word = word ^ key[i : i + 32]
            scheduled.append(word)
        self.comb += Case(
            operation,
            {
                VAESEM: self.result.eq(mixed),
                VAESDM: self.result.eq(mixed),
                VAESEF: self.result.eq(straight),
                VAESDF: self.result.eq(straight),
                VAESKF: self.result.eq(Cat(*scheduled)),
                "default": self.result.eq(self.held),
            },
        )
