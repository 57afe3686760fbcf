# SPDX-License-Identifier: BSD-2-Clause
"""Test every instruction of the vector AES unit through its CFU port, without pauses and with stalls."""

import random

import pytest

from gateware.isa.instructions import BY_NAME, lookup
from tests.gateware.isa import fips197
from tests.gateware.isa.bench import ORIGIN, SIZE, block_of, encode, get_state, put_key, put_state, random_command
from tests.gateware.isa.model import UnitModel

SEVEN = ("round_xor", "shift_rows", "shift_rows_inv", "sbox_mix_xor", "sbox_mix_xor_inv", "sbox_xor", "sbox_xor_inv")


@pytest.mark.parametrize(("idle", "busy", "slow"), [(0, 0, 0), (0.5, 0, 0.5), (0, 0.5, 0), (0.3, 0.7, 0.9)])
def test_random_programs_follow_the_model(bench, run, idle, busy, slow):
    rng = random.Random(1000 * idle + busy)
    model = UnitModel(ORIGIN, SIZE, products=bench.products)
    memory = bytearray(rng.randbytes(SIZE))
    model.memory[:] = memory
    commands, expected = [], []
    for _ in range(3000):
        name, operands, fields = random_command(rng)
        commands.append(encode(name, **operands, **fields))
        expected.append(model.execute(name, **operands, **fields))
    # Add instructions that read back the unit's whole state.
    for context in range(8):
        for name, operands, fields in (
            [("context", {"rs1": context}, {})]
            + [("move_out_xor", {"rs1": 0}, {"s": s, "c": c}) for s in range(8) for c in range(4)]
            + [("key_read", {"rs1": i}, {}) for i in range(64)]
        ):
            commands.append(encode(name, **operands, **fields))
            expected.append(model.execute(name, **operands, **fields))
    responses, _ = run(commands, idle=idle, busy=busy, slow=slow, seed=7, memory=memory)
    assert responses == expected
    assert memory == model.memory


@pytest.mark.parametrize("name", SEVEN)
def test_each_of_the_seven(run, name):
    rng = random.Random(name)
    for s in (0, 5):
        state, key = rng.randbytes(16), rng.randbytes(16)
        fields = {"s": s}
        register = 0
        if "k" in BY_NAME[name].fields:
            fields["k"] = register = rng.randrange(16)
        if "l" in BY_NAME[name].fields:
            fields["l"] = code = rng.randrange(4)
            register = (0, 10, 12, 14)[code]
        model = UnitModel()
        model.v[0][s], model.k[0][register] = state, key
        model.execute(name, **fields)
        responses, _ = run(put_state(s, state) + put_key(register, key) + [encode(name, **fields)] + get_state(s))
        assert block_of(responses[-4:]) == model.v[0][s]


@pytest.mark.parametrize("key_bits", [128, 192, 256])
@pytest.mark.parametrize("fused", [False, True])
def test_whole_blocks_both_ways(run, key_bits, fused):
    """Encrypt the example of FIPS-197, appendix C, and decrypt it with the equivalent inverse cipher (5.3.5)."""
    key = bytes(range(key_bits // 8))
    plaintext = bytes.fromhex("00112233445566778899aabbccddeeff")
    ciphertext = {
        128: "69c4e0d86a7b0430d8cdb78070b4c55a",
        192: "dda97ca4864cdfe06eaf70a0ec0d7191",
        256: "8ea2b7ca516745bfeafc49904b496089",
    }[key_bits]
    keys = fips197.expand_key(key)
    rounds = len(keys) - 1

    program = put_state(0, plaintext)
    for i, round_key in enumerate(keys):
        program += put_key(i, round_key)
    program.append(encode("round_xor", k=0, s=0))
    for i in range(1, rounds):
        program += (
            [encode("round_enc", k=i, s=0)] if fused else [encode("shift_rows", s=0), encode("sbox_mix_xor", k=i, s=0)]
        )
    last = {"l": (0, 10, 12, 14).index(rounds), "s": 0}
    program += [encode("last_enc", **last)] if fused else [encode("shift_rows", s=0), encode("sbox_xor", **last)]
    program += get_state(0)
    responses, _ = run(program)
    assert block_of(responses[-4:]).hex() == ciphertext

    program = put_state(1, bytes.fromhex(ciphertext)) + put_key(0, keys[0]) + put_key(rounds, keys[rounds])
    for i in range(1, rounds):
        program += put_key(i, keys[i], "key_write_inv_mix")
    program.append(encode("round_xor", k=rounds, s=1))
    for i in range(rounds - 1, 0, -1):
        program += (
            [encode("round_dec", k=i, s=1)]
            if fused
            else [encode("shift_rows_inv", s=1), encode("sbox_mix_xor_inv", k=i, s=1)]
        )
    last = {"l": 0, "s": 1}
    program += (
        [encode("last_dec", **last)] if fused else [encode("shift_rows_inv", s=1), encode("sbox_xor_inv", **last)]
    )
    program += get_state(1)
    responses, _ = run(program)
    assert block_of(responses[-4:]) == plaintext


@pytest.mark.parametrize("base", [0, 2**32 - 1, 2**64 - 1, 2**128 - 1, 0x0123456789ABCDEF_FFFFFFFFFFFFFFFF])
def test_counter_carries_across_words(run, base):
    commands = put_key(15, base.to_bytes(16, "big"))
    for index in (0, 1, 2**32, 2**64 - 1):
        commands += [encode("counter", index % 2**32, index >> 32, s=3), *get_state(3)]
    responses, _ = run(commands)
    values = [int.from_bytes(block_of(responses[3 + 5 * i : 7 + 5 * i]), "big") for i in range(4)]
    assert values == [(base + index + 3) % 2**128 for index in (0, 1, 2**32, 2**64 - 1)]


def test_undefined_function_ids_answer_zero_and_change_nothing(run):
    undefined = [f for f in range(1024) if lookup(f) is None]
    assert undefined
    rng = random.Random(3)
    state, key = rng.randbytes(16), rng.randbytes(16)
    prepare = [c for s in range(8) for c in put_state(s, state)] + [c for k in range(16) for c in put_key(k, key)]
    readback = [c for s in range(8) for c in get_state(s)] + [encode("key_read", i) for i in range(64)]
    responses, _ = run(prepare + [(f, 0xFFFFFFFF, 0x12345678) for f in undefined] + readback + [encode("status")])
    assert set(responses[len(prepare) : len(prepare) + len(undefined)]) == {0}
    assert block_of(responses[-97:-65]) == state * 8
    assert block_of(responses[-65:-1]) == key * 16
    assert responses[-1] & 0xFF == 0


def test_loads_and_stores_run_behind_other_instructions(run):
    """Load and store seven blocks while other instructions run: the unit must accept one instruction per cycle."""
    rng = random.Random(4)
    memory = bytearray(rng.randbytes(SIZE))
    expected = memory[:128]
    commands = []
    for s in range(7):
        commands += [encode("vload", ORIGIN, s=s), encode("round_enc", k=1, s=7), encode("counter", s=7)]
    for s in range(7):
        commands += [encode("vstore", ORIGIN + 512, s=s), encode("counter", s=7)]
    commands.append(encode("memory_status"))
    responses, cycles = run(commands, memory=memory)
    assert memory[512 : 512 + 112] == expected[:112]
    assert responses[-1] == 0
    assert cycles <= len(commands) + 12


@pytest.mark.parametrize(("address", "code"), [(ORIGIN + 8, 1), (ORIGIN + SIZE, 2), (ORIGIN - 16, 2), (0, 2)])
@pytest.mark.parametrize("name", ["vload", "vload_xor", "vstore"])
def test_bad_addresses_are_reported_and_change_nothing(run, name, address, code):
    state = bytes(range(16))
    memory = bytearray(SIZE)
    commands = put_state(2, state)
    commands += [encode(name, address - 32, s=2), encode("memory_status", 1), encode("memory_status")] + get_state(2)
    responses, _ = run(commands, memory=memory)
    assert responses[3] == (address & ~15) | code
    assert responses[4] == 0, "the fault was not cleared"
    assert block_of(responses[-4:]) == state
    assert memory == bytes(SIZE)


def test_one_instruction_a_cycle_where_none_depends_on_the_one_before(run):
    count = 64
    commands = [encode("round_enc", k=1 + i // 8 % 14, s=i % 8) for i in range(count)]
    _, cycles = run(commands)
    assert cycles <= count + 3
    _, dependent = run([encode("round_enc", k=1, s=0)] * count)
    assert count + 3 < dependent <= 2 * count + 3
