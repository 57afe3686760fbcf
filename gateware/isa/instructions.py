# SPDX-License-Identifier: BSD-2-Clause
"""Encodings of the vector AES unit's instructions. The decoder, the C header and the reference page use this table.

Every instruction is an R-type of the custom-0 opcode (0001011). VexRiscv gives the unit a function id of ten bits,
``funct7 << 3 | funct3``, and the values of ``rs1`` and ``rs2``. It writes the unit's answer to ``rd``. So the numbers
of the unit's own registers are part of ``funct7``:

====== ========= ===========================================================
field  funct7    meaning
====== ========= ===========================================================
``s``  bits 2:0  state register ``v0`` to ``v7`` (source and destination)
``k``  bits 6:3  round-key register ``k0`` to ``k15`` (``k15``: counter base)
``l``  bits 4:3  round key of a last round: ``k0``, ``k10``, ``k12``, ``k14``
``c``  bits 4:3  lane, that is column of the state, 0 to 3
``h``  bit 4     half: lanes 0 and 1, or lanes 2 and 3
====== ========= ===========================================================

The paper's names (roundXOR) are written in snake case here (``round_xor``). `PRODUCTS` exist only in a unit with a
multiplier. Their names and semantics are those of RISC-V's extension Zvkg, but an instruction names three registers. So
``rs1`` holds the numbers of two of them.
"""

from dataclasses import dataclass

CUSTOM_0 = 0b0001011
STATE_REGISTERS = 8
KEY_REGISTERS = 16
LANES = 4
CONTEXTS = 8
COUNTER_BASE = 15
LAST_ROUND_KEYS = (0, 10, 12, 14)

# Maps each operand field to its width in bits and its lowest bit in funct7.
FIELDS = {
    "s": (3, 0),
    "k": (4, 3),
    "l": (2, 3),
    "c": (2, 3),
    "h": (1, 4),
    "kw": (4, 0),  # number of the round-key register that an instruction writes
    "hw": (1, 4),  # which half (0 or 1) of a round-key register an instruction writes
}


@dataclass(frozen=True)
class Instruction:
    """One instruction: its fixed bits, its operand fields and its effect.

    ``funct7`` holds the fixed bits; bits of ``fields`` (names of `FIELDS`) are zero in it. ``operation`` is the effect
    in the notation of the reference page.
    """

    name: str
    funct3: int
    funct7: int
    fields: tuple[str, ...]
    operation: str
    paper: str = ""
    uses_rs1: bool = False
    uses_rs2: bool = False
    writes_rd: bool = False

    @property
    def mask(self) -> int:
        """Mask of the fixed bits of the function id."""
        free = 0
        for field in self.fields:
            width, position = FIELDS[field]
            free |= ((1 << width) - 1) << position
        return (0x7F & ~free) << 3 | 0b111

    @property
    def match(self) -> int:
        """Value of the fixed bits of the function id."""
        return self.funct7 << 3 | self.funct3

    def function_id(self, **operands: int) -> int:
        """Return the function id for the given operand fields.

        Raises
        ------
        ValueError
            An operand is missing, unknown or out of range.
        """
        if set(operands) != set(self.fields):
            raise ValueError(f"{self.name} takes the operands {self.fields}, not {tuple(operands)}")
        funct7 = self.funct7
        for field, value in operands.items():
            width, position = FIELDS[field]
            if not 0 <= value < 1 << width:
                raise ValueError(f"{self.name}: operand {field} = {value} is not in 0 to {(1 << width) - 1}")
            funct7 |= value << position
        return funct7 << 3 | self.funct3


INSTRUCTIONS = (
    # The seven instructions of the paper (Jenkins et al. 2007).
    Instruction("round_xor", 4, 0, ("k", "s"), "v[s] = v[s] ^ k[k]", "roundXOR"),
    Instruction("shift_rows", 7, 0 << 3, ("s",), "v[s] = ShiftRows(v[s])", "shift_rows"),
    Instruction("shift_rows_inv", 7, 1 << 3, ("s",), "v[s] = InvShiftRows(v[s])", "shift_rows_inv"),
    Instruction("sbox_mix_xor", 0, 0, ("k", "s"), "v[s] = MixColumns(SubBytes(v[s])) ^ k[k]", "sbox_mix_xor"),
    Instruction(
        "sbox_mix_xor_inv", 1, 0, ("k", "s"), "v[s] = InvMixColumns(InvSubBytes(v[s])) ^ k[k]", "sbox_mix_xor_inv"
    ),
    Instruction("sbox_xor", 5, 0 << 5, ("l", "s"), "v[s] = SubBytes(v[s]) ^ k[last(l)]", "sbox_xor"),
    Instruction("sbox_xor_inv", 5, 1 << 5, ("l", "s"), "v[s] = InvSubBytes(v[s]) ^ k[last(l)]", "sbox_xor_inv"),
    # Each of these instructions computes a whole AES round.
    Instruction("round_enc", 2, 0, ("k", "s"), "v[s] = MixColumns(ShiftRows(SubBytes(v[s]))) ^ k[k]"),
    Instruction("round_dec", 3, 0, ("k", "s"), "v[s] = InvMixColumns(InvShiftRows(InvSubBytes(v[s]))) ^ k[k]"),
    Instruction("last_enc", 5, 2 << 5, ("l", "s"), "v[s] = ShiftRows(SubBytes(v[s])) ^ k[last(l)]"),
    Instruction("last_dec", 5, 3 << 5, ("l", "s"), "v[s] = InvShiftRows(InvSubBytes(v[s])) ^ k[last(l)]"),
    # Moves between scalar registers and lanes.
    Instruction(
        "move_in", 6, 0 << 5, ("h", "s"), "v[s].lane[2h] = rs1; v[s].lane[2h+1] = rs2", uses_rs1=True, uses_rs2=True
    ),
    Instruction(
        "move_in_xor",
        6,
        1 << 5,
        ("h", "s"),
        "v[s].lane[2h] ^= rs1; v[s].lane[2h+1] ^= rs2",
        uses_rs1=True,
        uses_rs2=True,
    ),
    Instruction("move_out_xor", 6, 2 << 5, ("c", "s"), "rd = v[s].lane[c] ^ rs1", uses_rs1=True, writes_rd=True),
    # Counter blocks (SP 800-38A). The instruction `counter` writes k15 + n + s to v[s]. k15 is the initial counter
    # block. n is a 64-bit number: rs2 is its upper half, and rs1 its lower half. For the same n, v0 to v7 get
    # consecutive counter blocks.
    Instruction("counter", 7, 2 << 3, ("s",), "v[s] = k15 + (rs2 << 32 | rs1) + s", uses_rs1=True, uses_rs2=True),
    Instruction(
        "counter_xor", 7, 3 << 3, ("s",), "v[s] = (k15 + (rs2 << 32 | rs1) + s) ^ k0", uses_rs1=True, uses_rs2=True
    ),
    # Loads and stores through the unit's own memory port. The block for v[s] is at address rs1 + 16 * s.
    Instruction("vload", 7, 4 << 3, ("s",), "v[s] = memory[rs1 + 16 s]", uses_rs1=True),
    Instruction("vload_xor", 7, 5 << 3, ("s",), "v[s] ^= memory[rs1 + 16 s]", uses_rs1=True),
    Instruction("vstore", 7, 6 << 3, ("s",), "memory[rs1 + 16 s] = v[s]", uses_rs1=True),
    # This instruction processes all state registers, v0 to v7 (a group). rs2 is the destination address minus the
    # source address, in bytes.
    Instruction(
        "vxor_group",
        7,
        7 << 3,
        (),
        "memory[rs1 + rs2 + 16 s] = memory[rs1 + 16 s] ^ v[s], for s = 0 to 7 in this order, up to the first fault",
        uses_rs1=True,
        uses_rs2=True,
    ),
    Instruction(
        "memory_status",
        6,
        0x65,
        (),
        "wait for loads and stores; rd = fault address (31:4) and code (3:0); clear it if rs1[0]",
        uses_rs1=True,
        writes_rd=True,
    ),
    # Instructions for the round-key registers and the key schedule.
    Instruction(
        "key_write",
        7,
        0x40,
        ("hw", "kw"),
        "k[kw].lane[2hw] = rs1; k[kw].lane[2hw+1] = rs2",
        uses_rs1=True,
        uses_rs2=True,
    ),
    Instruction(
        "key_write_inv_mix",
        7,
        0x60,
        ("hw", "kw"),
        "k[kw].lane[2hw] = InvMixColumns(rs1); k[kw].lane[2hw+1] = InvMixColumns(rs2)",
        uses_rs1=True,
        uses_rs2=True,
    ),
    Instruction("key_read", 6, 0x60, (), "rd = k[rs1[5:2]].lane[rs1[1:0]]", uses_rs1=True, writes_rd=True),
    Instruction("sub_word", 6, 0x61, (), "rd = SubWord(rs1) ^ rs2", uses_rs1=True, uses_rs2=True, writes_rd=True),
    Instruction(
        "sub_rot_word", 6, 0x62, (), "rd = SubWord(RotWord(rs1)) ^ rs2", uses_rs1=True, uses_rs2=True, writes_rd=True
    ),
    # Contexts and status.
    Instruction("context", 6, 0x63, (), "rd = context; context = rs1[2:0]", uses_rs1=True, writes_rd=True),
    Instruction("status", 6, 0x64, (), "rd = unit version << 16 | products << 8 | context", writes_rd=True),
)

# Products in GF(2^128) with the bit order of GCM (SP 800-38D, 6.3), for GHASH. See `gateware.isa.products`.
PRODUCTS = (
    Instruction("vghsh", 6, 1 << 3, ("s",), "v[rs1[6:4]] = (v[rs1[6:4]] ^ v[s]) * v[rs1[2:0]]", uses_rs1=True),
    Instruction("vgmul", 6, 3 << 3, ("s",), "v[s] = v[s] * v[rs1[2:0]]", uses_rs1=True),
)

ALL = INSTRUCTIONS + PRODUCTS
BY_NAME = {instruction.name: instruction for instruction in ALL}


def lookup(function_id: int) -> Instruction | None:
    """Return the instruction with this function id, or None if there is no such instruction."""
    for instruction in ALL:
        if function_id & instruction.mask == instruction.match:
            return instruction
    return None
