# SPDX-License-Identifier: BSD-2-Clause
"""Test other authors' AES instruction sets at the CFU port. Each instruction must return the defined result. The
results must come in order, even if the port stalls at random.
"""

import random

from lab.isa import bertoni, rom_rounds, zkn
from lab.isa.comparators import CHOOSE, PTLU_64, PTLU_128, ZVKNED, ComparatorUnit, WideComparatorUnit
from lab.tests.isa import test_ptlu
from lab.tests.isa.wide_model import PtluModel, ZvknedModel
from tests.gateware.isa import fips197
from tests.gateware.isa.cfu import executing

TABLE = 5


def rotated(word, bits):
    return (word << bits | word >> 32 - bits) & 0xFFFFFFFF if bits else word


def transformed(word, inverse, mix):
    """Apply (Inv)SubBytes to each byte of a word. If `mix` is true, then also apply (Inv)MixColumns."""
    column = word.to_bytes(4, "little")
    column = fips197.inv_sub_bytes(column) if inverse else fips197.sub_bytes(column)
    if mix:
        column = (fips197.inv_mix_columns if inverse else fips197.mix_columns)(column + bytes(12))[:4]
    return int.from_bytes(column, "little")


def share(word, select, inverse, mix):
    """Apply (Inv)SubBytes to byte number `select` of a word. If `mix` is false, return the resulting byte. Otherwise,
    put this byte into row 0 of a column whose other rows are zero, and return (Inv)MixColumns of the column.
    """
    byte = transformed(word >> 8 * select & 0xFF, inverse, False) & 0xFF
    if not mix:
        return byte
    column = (fips197.inv_mix_columns if inverse else fips197.mix_columns)(bytes([byte]) + bytes(15))[:4]
    return int.from_bytes(column, "little")


def by_scalar(rng):
    operation, select, rs1, rs2 = rng.choice(range(4)), rng.randrange(4), rng.getrandbits(32), rng.getrandbits(32)
    code = (zkn.AES32ESI, zkn.AES32ESMI, zkn.AES32DSI, zkn.AES32DSMI)[operation]
    value = rs1 ^ rotated(share(rs2, select, operation >= 2, operation % 2), 8 * select)
    return ((select << 5 | code) << 3, rs1, rs2), value


def by_bertoni(rng):
    operation, select = rng.choice(bertoni.OPERATIONS), rng.randrange(4)
    rs1, rs2 = rng.getrandbits(32), rng.getrandbits(32)
    inverse, mix = bool(operation & bertoni.INVERSE), operation & 1
    if operation == bertoni.KSFW:
        value = transformed(rotated(rs1, 24), False, False) ^ rs2
    elif operation & bertoni.SBOX:
        value = rotated(share(rs1, select, inverse, mix), 8 * select if mix else 0)
    else:
        value = transformed(rs1, inverse, mix)
    return ((select << 5 | operation) << 3 | bertoni.FUNCT3, rs1, rs2), value


def by_rom(rng):
    operation, byte, rs1, rs2 = rng.randrange(4), rng.randrange(4), rng.getrandbits(32), rng.getrandbits(32)
    mirrored = int.from_bytes(rs2.to_bytes(4, "big"), "little")
    column = share(mirrored, 3 - byte, operation & rom_rounds.DECRYPT, not operation & rom_rounds.LAST)
    value = rs1 ^ int.from_bytes(rotated(column, 8 * (3 - byte)).to_bytes(4, "little"), "big")
    return ((byte << 3 | operation) << 3 | rom_rounds.FUNCT3, rs1, rs2), value


def test_each_answers_as_it_is_defined():
    rng = random.Random(4)
    words = [rng.getrandbits(32) for _ in range(256)]
    program = [(test_ptlu.write(TABLE, index, word), 0) for index, word in enumerate(words)]

    def by_ptlu(rng):
        fields = rng.choice((1, 2, 4)), TABLE, rng.randrange(4), rng.randrange(4), rng.getrandbits(32)
        return test_ptlu.lookup(*fields), test_ptlu.model({TABLE: words}, *fields)

    program += [rng.choice((by_scalar, by_bertoni, by_rom, by_ptlu))(rng) for _ in range(900)]
    instructions, expected = zip(*program, strict=True)
    with executing(ComparatorUnit()) as run:
        assert run(list(instructions)) == list(expected)
        assert run.cycles <= len(program) + 4, "one a cycle"
        assert run(list(instructions), 0.6) == list(expected), "under stalls"


def test_wide_sets_take_turns_and_keep_their_registers_apart():
    rng = random.Random(5)
    models = {PTLU_64: PtluModel(64), PTLU_128: PtluModel(128), ZVKNED: ZvknedModel()}

    def turns():
        program, expected = [], []
        for turn in range(60):
            number, model = rng.choice(list(models.items()))
            add_key = model.vaesem if number == ZVKNED else model.add_key
            for _ in range(10):
                model.move_in(rng.randrange(8), 0, rng.getrandbits(32), rng.getrandbits(32))
                model.key_write(3, 0, rng.getrandbits(32), rng.getrandbits(32))
                add_key(rng.randrange(4), 3)
                model.move_out(rng.randrange(8), rng.randrange(2))
            scalar, value = by_scalar(rng)
            instructions, answers = model.taken()
            program += [(CHOOSE, number | turn << 8, 7), scalar, *instructions]
            expected += [0, value, *answers]
        return program, expected

    with executing(WideComparatorUnit()) as run:
        assert run([((1 << 6 | 1) << 3 | 7, 5, 6)]) == [0], "none is chosen"
        program, expected = turns()
        assert run(program) == expected
        assert run.cycles <= len(program) + 4, "one a cycle"
        program, expected = turns()
        assert run(program, 0.6) == expected, "under stalls, with the registers as they are"
