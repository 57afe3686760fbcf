# SPDX-License-Identifier: BSD-2-Clause
"""Test instructions for parallel table lookups, 64 and 128 bits wide. Compare each instruction with a model, then use
the instructions to encrypt and decrypt AES blocks.
"""

import random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from lab.isa.lookup_tables import ENTRIES, SUBWORDS, TABLES
from lab.isa.wide_ptlu import WidePtluUnit
from lab.isa.wide_registers import MOVE
from lab.tests.isa.wide_model import PtluModel, checking, encode
from tests.gateware.isa import fips197
from tests.gateware.isa.cfu import block_bytes, column_words

# COLUMNS[False] describes ShiftRows, and COLUMNS[True] describes InvShiftRows. For each of the rows 0 to 3, the tuple
# contains the number of columns by which the row moves to the left.
COLUMNS = {False: (0, 1, 2, 3), True: (0, -1, -2, -3)}


@pytest.fixture(scope="module", params=[64, 128])
def wide(request):
    """Yield a model and a function. The model records each instruction that a test executes on the model. The function
    executes the recorded instructions on the unit, and checks that the unit gives the model's answers.
    """
    model = PtluModel(request.param)
    with checking(WidePtluUnit(width=request.param), model) as check:
        yield model, check


def fill(model, entry):
    """Fill all lookup tables with the entries that the function `entry(table, index)` returns."""
    for table in range(TABLES):
        for index in range(ENTRIES):
            value = entry(table, index)
            for lane in range(model.bytes // 4):
                model.ptlu_write(table, index, lane, int.from_bytes(value[4 * lane : 4 * lane + 4], "little"))


def test_every_instruction_and_field_against_the_model(wide):
    model, check = wide
    rng = random.Random(1)
    fill(model, lambda table, index: rng.randbytes(model.bytes))
    check()

    def one():
        d, s, k = rng.randrange(8), rng.randrange(8), rng.randrange(model.key_registers)
        h, lane = rng.randrange(model.bytes // 8), rng.randrange(model.bytes // 4)
        word = rng.getrandbits(32)
        fields = rng.choice(SUBWORDS), rng.randrange(TABLES), rng.randrange(model.bytes), rng.randrange(model.bytes)
        rng.choice(
            [
                lambda: model.ptlu(d, s, *fields),
                lambda: model.ptlu(d, s, *fields),
                lambda: model.ptlu_write(rng.randrange(TABLES), rng.randrange(ENTRIES), lane, word),
                lambda: model.exclusive(d, s),
                lambda: model.shift_left(d, s),
                lambda: model.shift_right(d, s),
                lambda: model.add_key(d % 4, k),
                lambda: model.move_in(d, h, word, rng.getrandbits(32)),
                lambda: model.key_write(k, h, word, rng.getrandbits(32)),
                lambda: model.move_out(d, lane),
            ]
        )()

    for stall in (0.0, 0.0, 0.5):
        for _ in range(1500):
            one()
        model.look_at_all(model.add_key)
        check(stall)


def test_undefined_function_ids_answer_zero_and_change_nothing(wide):
    model, check = wide
    rng = random.Random(2)
    for d in range(8):
        model.put(d, rng.randbytes(model.bytes))
    for funct3 in (0, 4, 5, 6):
        for funct7 in range(128):
            model.note(encode(funct3, funct7, rng.getrandbits(32), rng.getrandbits(32)))
    model.look_at_all(model.add_key)
    check()


def test_of_64_bits_a_register_has_one_half_and_two_lanes(wide):
    """Instruction fields select a 64-bit half or a 32-bit lane of a register. A 64-bit register has only one half and
    two lanes, so the 64-bit unit must ignore the upper bits of these fields.
    """
    model, check = wide
    model.move_in(3, model.bytes // 8 - 1, 1, 2)
    model.program[-1] = encode(MOVE, 1 << 3 | 3, 1, 2)
    for c in range(4):
        model.note(encode(MOVE, 2 << 5 | c << 3 | 3), column_words(2 * model.v[3])[c])
    model.look_at_all(model.add_key)
    check()


def entry_of_aes(inverse, width):
    """Return a function that computes the table entries for AES. An entry of table T(4 + r) is a column with the
    S-box's value in row r and zeros in the other rows. An entry of table T(r) is (Inv)MixColumns of this column.
    """

    def entry(table, index):
        row = table % 4
        byte = (fips197.INV_SBOX if inverse else fips197.SBOX)[index]
        column = bytes(byte if r == row else 0 for r in range(4))
        if table < 4:
            column = (fips197.inv_mix_columns if inverse else fips197.mix_columns)(column + bytes(12))[:4]
        return column * (width // 4)

    return entry


def round_of_128(model, d, s, spare, inverse, first):
    """Compute an AES round with one lookup instruction for each row r. The instruction looks up byte r of all four
    columns in the table for row r.
    """
    for row, column in enumerate(COLUMNS[inverse]):
        model.ptlu(spare if row else d, s, 4, first + row, (4 * column + row) % 16, 4)
        if row:
            model.exclusive(d, spare)


def round_of_64(model, inverse, first):
    """Compute an AES round. Registers v0 and v1 hold the state's columns 0 to 3, and v2 and v3 receive the result. The
    code first copies columns 1 and 2 to v4, and columns 3 and 0 to v5.
    """
    model.shift_right(4, 0)
    model.shift_left(6, 1)
    model.exclusive(4, 6)
    model.shift_right(5, 1)
    model.shift_left(6, 0)
    model.exclusive(5, 6)
    # Maps a column c to the register that holds columns c and c + 1.
    pairs = {0: 0, 1: 4, 2: 1, 3: 5}
    for d, pair in ((2, 0), (3, 2)):
        for row, column in enumerate(COLUMNS[inverse]):
            model.ptlu(6 if row else d, pairs[(pair + column) % 4], 4, first + row, row, 4)
            if row:
                model.exclusive(d, 6)


def run_of_64(model, keys, inverse, block):
    """Encrypt or decrypt a block with the 64-bit unit. Before each round, registers v0 and v1 contain the two halves of
    the state.
    """
    for n in range(2 * len(keys)):
        model.put_key(n, keys[n // 2][8 * (n % 2) : 8 * (n % 2) + 8])
    for half in range(2):
        model.put(half, block[8 * half : 8 * half + 8])
        model.add_key(half, half)
    for n in range(1, len(keys)):
        round_of_64(model, inverse, 4 if n == len(keys) - 1 else 0)
        for half in range(2):
            model.add_key(2 + half, 2 * n + half)
            model.put(half, bytes(8))
            model.exclusive(half, 2 + half)
    model.get(0)
    model.get(1)


def run_of_128(model, keys, inverse, block):
    for k, key in enumerate(keys):
        model.put_key(k, key)
    model.put(0, block)
    model.add_key(0, 0)
    for n in range(1, len(keys)):
        d, s = (1, 0) if n % 2 else (0, 1)
        round_of_128(model, d, s, 2, inverse, 4 if n == len(keys) - 1 else 0)
        model.add_key(d, n)
    model.get(0)  # rounds are even


@pytest.mark.parametrize("inverse", [False, True], ids=["encrypt", "decrypt"])
def test_blocks_against_the_library(wide, inverse):
    model, check = wide
    fill(model, entry_of_aes(inverse, model.bytes))
    check()
    rng = random.Random(3)
    for key_bytes in (16, 24, 32):
        key, block = rng.randbytes(key_bytes), rng.randbytes(16)
        keys = fips197.expand_key(key)
        if inverse:
            keys = [keys[-1], *map(fips197.inv_mix_columns, reversed(keys[1:-1])), keys[0]]
        (run_of_64 if model.bytes == 8 else run_of_128)(model, keys, inverse, block)
        cipher = Cipher(algorithms.AES(key), modes.ECB())
        expected = (cipher.decryptor() if inverse else cipher.encryptor()).update(block)
        assert block_bytes(check()[-4:]) == expected


def test_words_are_of_64_or_128_bits():
    with pytest.raises(ValueError, match="64 or 128"):
        WidePtluUnit(width=96)
