# SPDX-License-Identifier: BSD-2-Clause
"""Test every instruction of the vector AES unit on the simulated board's CPU (VexRiscv), against the model."""

import random

import pytest

from gateware.isa.instructions import ALL, BY_NAME, FIELDS, PRODUCTS, lookup
from tests.gateware.isa import fips197
from tests.gateware.isa.executor import Executor
from tests.gateware.isa.model import UnitModel

pytestmark = pytest.mark.simboard


@pytest.fixture(scope="module")
def executor():
    with Executor() as running:
        yield running


BUFFER_SCRATCH = 0x4000_8000  # an address in the buffer memory; the executor program does not use this memory


class Checked:
    """Collects instructions. `check` executes them on the CPU and on the model, and compares every rd."""

    KNOWN = (("context", 0), ("memory_status", 1))  # instructions that select context 0 and clear earlier faults

    def __init__(self, executor):
        self.executor = executor
        self.model = UnitModel()
        self.pending = []
        self.cycles = {}
        for block in range(72):
            self("vstore", rs1=BUFFER_SCRATCH + 16 * block, s=0)
        self("memory_status", rs1=1)
        # Earlier tests may have changed the unit's registers. Set the unit and the model to the same known state.
        executor.execute([(BY_NAME[name].function_id(), operand, 0) for name, operand in self.KNOWN])
        for context in range(8):
            self("context", rs1=context)
            for s in range(8):
                for h in range(2):
                    self("move_in", h=h, s=s)
            for kw in range(16):
                for hw in range(2):
                    self("key_write", hw=hw, kw=kw)
        self("context", rs1=0)

    def __call__(self, name, rs1=0, rs2=0, **fields):
        self.pending.append((name, rs1, rs2, fields))

    def check(self):
        """Execute the instructions added since the last check, compare with the model, and return each rd."""
        answers = self.executor.execute([(BY_NAME[n].function_id(**f), a, b) for n, a, b, f in self.pending])
        for (name, rs1, rs2, fields), (result, cycles) in zip(self.pending, answers, strict=True):
            expected = self.model.execute(name, rs1, rs2, **fields)
            assert result == expected, f"{name} {fields} rs1={rs1:#x} rs2={rs2:#x}"
            self.cycles.setdefault(name, set()).add(cycles)
        self.pending = []
        return [result for result, _ in answers]

    def read_back(self):
        for s in range(8):
            for c in range(4):
                self("move_out_xor", c=c, s=s)
        for index in range(64):
            self("key_read", rs1=index)


def test_random_instructions_follow_the_model(executor):
    rng = random.Random(1)
    unit = Checked(executor)
    for _ in range(600):
        instruction = rng.choice(ALL)
        fields = {field: rng.randrange(1 << FIELDS[field][0]) for field in instruction.fields}
        operands = [rng.getrandbits(32), rng.getrandbits(32)]
        if instruction.name.startswith("v") and instruction not in PRODUCTS:
            source, destination = (
                BUFFER_SCRATCH + 16 * rng.randrange(64) + rng.choice([0] * 12 + [4, -(2**28)]) for _ in range(2)
            )
            operands = [source, (destination - source) % 2**32]
        unit(instruction.name, *operands, **fields)
    for context in range(8):
        unit("context", rs1=context)
        unit.read_back()
    unit.check()


@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_the_seven_instructions_encrypt_and_decrypt(executor, key_bits):
    """Encrypt and decrypt the examples of FIPS-197, appendix C, on the CPU, with two instructions a round."""
    unit = Checked(executor)
    key = bytes(range(key_bits // 8))
    plaintext = bytes.fromhex("00112233445566778899aabbccddeeff")
    keys = fips197.expand_key(key)
    rounds = len(keys) - 1

    def put(name, block, **fields):
        field = "h" if name == "move_in" else "hw"
        for half in range(2):
            low, high = (int.from_bytes(block[8 * half + i :][:4], "little") for i in (0, 4))
            unit(name, low, high, **{field: half}, **fields)

    def take(s):
        for c in range(4):
            unit("move_out_xor", c=c, s=s)
        return b"".join(word.to_bytes(4, "little") for word in unit.check()[-4:])

    put("move_in", plaintext, s=0)
    for i, round_key in enumerate(keys):
        put("key_write", round_key, kw=i)
    unit("round_xor", k=0, s=0)
    for i in range(1, rounds):
        unit("shift_rows", s=0)
        unit("sbox_mix_xor", k=i, s=0)
    unit("shift_rows", s=0)
    unit("sbox_xor", l=(0, 10, 12, 14).index(rounds), s=0)
    ciphertext = take(0)
    assert (
        ciphertext.hex()
        == {
            128: "69c4e0d86a7b0430d8cdb78070b4c55a",
            192: "dda97ca4864cdfe06eaf70a0ec0d7191",
            256: "8ea2b7ca516745bfeafc49904b496089",
        }[key_bits]
    )

    for i in range(1, rounds):
        put("key_write_inv_mix", keys[i], kw=i)
    unit("round_xor", k=rounds, s=0)
    for i in range(rounds - 1, 0, -1):
        unit("shift_rows_inv", s=0)
        unit("sbox_mix_xor_inv", k=i, s=0)
    unit("shift_rows_inv", s=0)
    unit("sbox_xor_inv", l=0, s=0)
    assert take(0) == plaintext


def test_undefined_function_ids_answer_zero_and_the_core_goes_on(executor):
    unit = Checked(executor)
    unit.check()
    undefined = [(function_id, 0xFFFFFFFF, 0x12345678) for function_id in range(1024) if lookup(function_id) is None]
    assert {result for result, _ in executor.execute(undefined)} == {0}
    unit.read_back()
    unit.check()


def test_cycles_do_not_depend_on_data(executor):
    rng = random.Random(2)
    unit = Checked(executor)
    for name in ("sbox_mix_xor", "sbox_mix_xor_inv", "round_enc", "round_dec", "round_xor"):
        for _ in range(24):
            unit("move_in", rng.getrandbits(32), rng.getrandbits(32), h=0, s=1)
            unit("key_write", rng.getrandbits(32), rng.getrandbits(32), hw=0, kw=2)
            unit(name, k=2, s=1)
        unit.check()
        assert len(unit.cycles[name]) == 1, f"{name} took {sorted(unit.cycles[name])} cycles"
