# SPDX-License-Identifier: BSD-2-Clause
"""Decodes the function id of the CFU port into the control signals of the vector AES unit.

Combinational. The encodings come only from `gateware.isa.instructions`.
"""

from migen import Case, If, Module, Mux, Signal

from .instructions import INSTRUCTIONS, LAST_ROUND_KEYS, PRODUCTS

SHUFFLE_NONE = 0
SHUFFLE_FORWARD = 1
SHUFFLE_INVERSE = 2

ROUNDS = ("sbox_mix_xor", "sbox_mix_xor_inv", "round_enc", "round_dec")
LAST_ROUNDS = ("sbox_xor", "sbox_xor_inv", "last_enc", "last_dec")
IN_PLACE = ("round_xor", "shift_rows", "shift_rows_inv", *ROUNDS, *LAST_ROUNDS)
INVERSE_SBOX = ("sbox_mix_xor_inv", "sbox_xor_inv", "round_dec", "last_dec")


class Decoder(Module):
    """Turns a function id into control signals. All of them are zero for an undefined function id.

    Parameters
    ----------
    products : bool
        The unit has a multiplier, and the instructions for it are defined.

    Attributes
    ----------
    function_id : Signal(10), in
    state_register : Signal(3), out
        ``s``.
    key_register : Signal(4), out
        ``k``, or the register that ``l`` names.
    substitute, substitute_inverse : Signal(), out
        SubBytes (of a state register, or of a word for the key schedule) or InvSubBytes in stage 1.
    shuffle : Signal(2), out
        SHUFFLE_NONE, SHUFFLE_FORWARD or SHUFFLE_INVERSE in stage 1.
    mix, add_key : Signal(), out
        In stage 2: MixColumns after SubBytes, otherwise InvMixColumns; AddRoundKey.
    reads_state, reads_key : Signal(), out
        The instruction depends on its state register, or on its round-key register.
    loads, stores : Signal(), out
        The instruction reads memory, or writes memory; a group does both.
    write_state, write_key : Signal(4), out
        Lanes written in stage 2.
    is_* : Signal(), out
        One for each instruction, named after it.
    """

    def __init__(self, *, products: bool = False):
        self.function_id = Signal(10)
        self.state_register = Signal(3)
        self.key_register = Signal(4)
        self.substitute = Signal()
        self.substitute_inverse = Signal()
        self.shuffle = Signal(2)
        self.mix = Signal()
        self.add_key = Signal()
        self.reads_state = Signal()
        self.reads_key = Signal()
        self.loads = Signal()
        self.stores = Signal()
        self.write_state = Signal(4)
        self.write_key = Signal(4)

        # # #

        flags = {}
        multiplications = PRODUCTS if products else ()
        for instruction in (*INSTRUCTIONS, *multiplications):
            name = instruction.name
            flags[name] = flag = Signal(name=f"is_{name}")
            setattr(self, f"is_{name}", flag)
            self.comb += flag.eq((self.function_id & instruction.mask) == instruction.match)

        def any_of(*names):
            result = 0
            for name in names:
                result = result | flags[name]
            return result

        funct7 = self.function_id[3:]
        readers = (
            "move_in_xor",
            "move_out_xor",
            "vload_xor",
            "vstore",
            "vxor_group",
            *(i.name for i in multiplications),
        )
        half_lanes = Signal(4)
        last_round_key = Signal(4)
        self.comb += [
            Case(funct7[3:5], {code: last_round_key.eq(register) for code, register in enumerate(LAST_ROUND_KEYS)}),
            self.state_register.eq(funct7[0:3]),
            self.key_register.eq(funct7[3:7]),
            If(any_of(*LAST_ROUNDS), self.key_register.eq(last_round_key)),
            If(flags["counter_xor"], self.key_register.eq(0)),
            If(any_of("key_write", "key_write_inv_mix"), self.key_register.eq(funct7[0:4])),
            self.substitute.eq(any_of(*ROUNDS, *LAST_ROUNDS, "sub_word", "sub_rot_word")),
            self.substitute_inverse.eq(any_of(*INVERSE_SBOX)),
            self.shuffle[0].eq(any_of("shift_rows", "round_enc", "last_enc")),
            self.shuffle[1].eq(any_of("shift_rows_inv", "round_dec", "last_dec")),
            self.mix.eq(any_of(*ROUNDS, "key_write_inv_mix")),
            self.add_key.eq(any_of("round_xor", *ROUNDS, *LAST_ROUNDS, "counter_xor")),
            self.reads_state.eq(any_of(*IN_PLACE, *readers)),
            self.loads.eq(any_of("vload", "vload_xor", "vxor_group")),
            self.stores.eq(any_of("vstore", "vxor_group")),
            self.reads_key.eq(self.add_key | any_of("key_read", "counter")),
            half_lanes.eq(Mux(funct7[4], 0b1100, 0b0011)),
            If(
                any_of(*IN_PLACE, "counter", "counter_xor"),
                self.write_state.eq(0b1111),
            ).Elif(
                any_of("move_in", "move_in_xor"),
                self.write_state.eq(half_lanes),
            ),
            If(any_of("key_write", "key_write_inv_mix"), self.write_key.eq(half_lanes)),
        ]
