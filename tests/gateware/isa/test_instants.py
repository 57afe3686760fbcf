# SPDX-License-Identifier: BSD-2-Clause
"""Test two events at every possible time: a context switch during a load, and a reset during a program with loads,
stores and products.
"""

import random

import pytest

from tests.gateware.isa.bench import ORIGIN, SIZE, block_of, encode, get_state, words
from tests.gateware.isa.model import UnitModel

UNALIGNED = ORIGIN + 8
BLOCKS = [random.Random("blocks").randbytes(16) for _ in range(4)]


def named(name, rs1=0, rs2=0, **fields):
    """Return a command in two forms: the values for the unit's port, and the arguments for the model."""
    return encode(name, rs1, rs2, **fields), (name, rs1, rs2, fields)


def moves(name: str, block: bytes, **fields):
    """Return two instructions, each of which moves one half of a block into a register. The instruction's field `h` or
    `hw` selects the half.
    """
    w = words(block)
    half = "hw" if name == "key_write" else "h"
    return [(name, (w[2 * h], w[2 * h + 1]), {**fields, half: h}) for h in range(2)]


# A program, as a list of (instruction name, operands, fields). The program has loads, stores and every kind of register
# write. It also causes a fault, and uses two contexts.
PROGRAM = [
    *(each for s in range(2) for each in moves("move_in", BLOCKS[s], s=s)),
    *moves("key_write", BLOCKS[2], kw=1),
    *moves("key_write", BLOCKS[3], kw=15),
    ("vload", (ORIGIN,), {"s": 4}),
    ("round_enc", (), {"k": 1, "s": 0}),
    ("vload_xor", (ORIGIN,), {"s": 1}),
    ("vghsh", (0x64,), {"s": 1}),
    ("vstore", (ORIGIN + 128,), {"s": 0}),
    ("vxor_group", (ORIGIN + 512, 256), {}),
    ("sub_word", (0x01020304, 7), {}),
    ("key_read", (4,), {}),
    ("vload", (UNALIGNED,), {"s": 2}),
    ("context", (3,), {}),
    *moves("move_in", BLOCKS[1], s=0),
    *moves("key_write", BLOCKS[0], kw=1),
    ("counter", (9, 0), {"s": 5}),
    ("vgmul", (0,), {"s": 5}),
    ("vload", (ORIGIN,), {"s": 6}),
    ("vxor_group", (ORIGIN + 384, 0), {}),
    ("round_enc", (), {"k": 1, "s": 5}),
    ("vstore", (ORIGIN + 256,), {"s": 5}),
    ("memory_status", (), {}),
]


@pytest.mark.parametrize("access_cycles", range(12))
def test_a_context_switch_waits_for_loads_and_products(bench, access_cycles):
    """The unit writes a result only to the context of its instruction. `vxor_group` reads only one context."""
    memory = bytearray(random.Random(access_cycles).randbytes(SIZE))
    model = UnitModel(ORIGIN, SIZE, products=bench.products)
    model.memory[:] = memory
    commands = [named("vload", ORIGIN, s=3), named("context", 5), named("vload_xor", ORIGIN + 32, s=3)]
    commands += [named("vxor_group", ORIGIN + 512, 128), named("vghsh", 0x37, s=3), named("context", 0)]
    commands += [named("counter", 5, s=7), named("vgmul", 7, s=7), named("vxor_group", ORIGIN + 512, -256 % 2**32)]
    commands += [named("context", 5), named("counter", 6, s=7), named("vgmul", 7, s=3), named("context", 0)]
    commands += [named("vstore", ORIGIN + 64, s=3), named("context", 5)]
    commands += [named("counter", 7, 0, s=3), named("vload_xor", UNALIGNED, s=3), named("context", 0)]
    commands += [named("memory_status", 1), named("status")]
    for context in (0, 5):
        commands += [named("context", context), *(named("move_out_xor", s=3, c=c) for c in range(4))]

    def serve():
        bus, cycles = bench.unit.bus, 0
        while True:
            yield bus.ack.eq(0)
            yield
            if not ((yield bus.cyc) and (yield bus.stb)):
                continue
            cycles += 1
            if cycles <= access_cycles:
                continue
            cycles = 0
            first = 16 * (yield bus.adr) - ORIGIN
            if (yield bus.we):
                memory[first : first + 16] = (yield bus.dat_w).to_bytes(16, "little")
            yield bus.dat_r.eq(int.from_bytes(memory[first : first + 16], "little"))
            yield bus.ack.eq(1)
            yield

    bench.sim.power_on()
    responses = []
    bench.sim.run(
        bench.drive([words for words, _ in commands]),
        bench.collect(len(commands), responses),
        background=[serve()],
        max_cycles=2000,
    )
    assert responses == [model.execute(name, rs1, rs2, **fields) for _, (name, rs1, rs2, fields) in commands]
    assert memory == model.memory


def test_reset(bench):
    """After a reset, the unit is in context 0 and reports no fault. No memory access and no response follow.

    Each register then holds its initial value or a value that some instruction of the program wrote.
    """
    program = [named(name, *w, **f) for name, w, f in PROGRAM]
    initial = random.Random("memory").randbytes(SIZE)
    model = UnitModel(ORIGIN, SIZE, products=bench.products)
    model.memory[:] = initial
    states = [
        {(c, s): {bytes(16)} for c in (0, 3) for s in range(8)},
        {(c, k): {bytes(16)} for c in (0, 3) for k in (1, 15)},
    ]
    blocks = {first: {initial[first : first + 16]} for first in range(0, SIZE, 16)}
    for _, (name, rs1, rs2, fields) in program:
        model.execute(name, rs1, rs2, **fields)
        for values, file in zip(states, (model.v, model.k), strict=True):
            for c, n in values:
                values[c, n].add(file[c][n])
        for first in blocks:
            blocks[first].add(bytes(model.memory[first : first + 16]))
    readback = [encode("status"), encode("memory_status")]
    for context in (0, 3):
        readback += [encode("context", context), *(c for s in range(8) for c in get_state(s))]
        readback += [encode("key_read", 4 * k + c) for k in (1, 15) for c in range(4)]

    def run_for(cycles):
        yield bench.unit.rsp_ready.eq(1)
        for _ in range(cycles):
            yield

    def quiet():
        for _ in range(8):
            yield
            assert not (yield bench.unit.rsp_valid) and not (yield bench.unit.bus.cyc)

    for cycles in range(1, 2 * len(program) + 150):
        bench.sim.power_on()
        bench.memory = bytearray(initial)
        commands = bench.drive([words for words, _ in program])
        bench.sim.run(run_for(cycles), background=[commands, bench.serve(random.Random(cycles), 0.5)], max_cycles=300)
        bench.sim.reset()
        bench.sim.run(quiet(), max_cycles=20)
        responses = []
        bench.sim.run(bench.drive(readback), bench.collect(len(readback), responses), max_cycles=1000)
        assert (responses[0] & 0xFF, responses[1]) == (0, 0), f"after {cycles} cycles"
        for c, context in enumerate((0, 3)):
            found = responses[3 + 41 * c : 43 + 41 * c]
            read = [block_of(found[n : n + 4]) for n in range(0, 40, 4)]
            for s in range(8):
                assert read[s] in states[0][context, s], f"v{s} after {cycles} cycles"
            for k, value in zip((1, 15), read[8:], strict=True):
                assert value in states[1][context, k], f"k{k} after {cycles} cycles"
        for first, values in blocks.items():
            assert bytes(bench.memory[first : first + 16]) in values
    assert bench.memory == model.memory, "the last reset came behind the whole program"
