# SPDX-License-Identifier: BSD-2-Clause
"""Test the instructions for products in GF(2^128): registers, hazards, GCM tags, cycles and zeroization.

`UnitModel` multiplies by the definition (SP 800-38D, 6.3); `cryptography` computes the expected tags.
"""

import itertools
import random

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from migen import Memory, Signal

from gateware.isa.products import CYCLES, EXTRA_CYCLES, TABLE_CYCLES
from tests.gateware.gcm.reference import encrypted, hashed, product, xor
from tests.gateware.isa.bench import ORIGIN, SIZE, Bench, block_of, encode, get_state, put_key, put_state
from tests.gateware.isa.model import UnitModel

PERIOD = CYCLES + EXTRA_CYCLES  # cycles between two products, if the second uses the result of the first
NOP = (0x78 << 3 | 6, 0, 0)  # no instruction has this function id; the unit only returns 0


@pytest.fixture(scope="module")
def bench():
    bench = Bench()
    yield bench
    bench.sim.close()


class Program:
    """A list of commands for the unit, with the responses that the model expects."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.memory = bytearray(rng.randbytes(SIZE))
        self.model = UnitModel(ORIGIN, SIZE)
        self.model.memory[:] = self.memory
        self.commands, self.expected = [], []
        for k in (1, 15):
            self.put("key_write", rng.randbytes(16), kw=k)
        for s in range(8):
            self.put("move_in", rng.randbytes(16), s=s)

    def put(self, name, block, **fields):
        half = "hw" if name == "key_write" else "h"
        for n in range(2):
            low, high = (int.from_bytes(block[8 * n + i :][:4], "little") for i in (0, 4))
            self(name, low, high, **{half: n}, **fields)

    def __call__(self, name, rs1=0, rs2=0, **fields):
        self.commands.append(encode(name, rs1, rs2, **fields))
        self.expected.append(self.model.execute(name, rs1, rs2, **fields))

    def idle(self, cycles):
        """Add commands that do nothing."""
        self.commands += [NOP] * cycles
        self.expected += [0] * cycles

    def vghsh(self, target, s, factor):
        self("vghsh", target << 4 | factor, s=s)

    def vgmul(self, s, factor):
        self("vgmul", factor, s=s)

    def read(self, s):
        for c in range(4):
            self("move_out_xor", c=c, s=s)

    def check(self, run, **options):
        """Run the program; compare responses, state registers and memory with the model; return the program's number of
        cycles.
        """
        commands = len(self.commands)
        for s in range(8):
            self.read(s)
        responses, cycles = run(self.commands, memory=self.memory, **options)
        assert responses == self.expected
        assert self.memory == self.model.memory
        return cycles - (len(self.commands) - commands)


def test_each_bit_of_the_operand_meets_each_bit_of_the_factor(run):
    rng = random.Random(1)
    for byte in range(16):
        program = Program(byte)
        program.put("move_in", (1 << 8 * byte + rng.randrange(8)).to_bytes(16, "little"), s=7)
        for bit in range(128):
            program.put("move_in", (1 << bit).to_bytes(16, "little"), s=bit % 7)
            program.vgmul(bit % 7, 7)
            program.read(bit % 7)
        program.check(run)


@pytest.mark.parametrize("idle", [0, 0.5])
@pytest.mark.parametrize("factor", range(8))
def test_all_registers(run, factor, idle):
    """The result of a product can go to any register, even to the register of the operand or the factor."""
    program = Program(factor)
    for target, s in itertools.product(range(8), range(8)):
        program.vghsh(target, s, factor)
        program.read(target)
    for s in range(8):
        program.vgmul(s, factor)
        program.vgmul(s, factor)
    program.check(run, idle=idle)


@pytest.mark.parametrize("slow", [0, 0.6])
def test_back_to_back(run, slow):
    rng = random.Random(f"back to back {slow}")
    for seed in range(12):
        program = Program(seed)
        registers = rng.sample(range(8), rng.choice([1, 2, 3, 8]))
        for _ in range(40):
            if rng.random() < 0.7:
                program.vghsh(rng.choice(registers), rng.choice(registers), rng.choice(registers))
            else:
                program.vgmul(rng.choice(registers), rng.choice(registers))
            if rng.random() < 0.2:
                program("vload", ORIGIN + 16 * rng.randrange(48), s=rng.choice(registers))
        program.check(run, slow=slow)


def use(program, name, s, n):
    """Add instruction `name`, which uses state register `s`; `n` selects the role of `s` and the other operands."""
    fields = {"move_out_xor": {"c": n % 4}, "round_enc": {"k": 1}, "last_enc": {"l": 0}, "move_in": {"h": n % 2}}
    fields["move_in_xor"] = {"h": n % 2}
    if name == "vghsh":
        target, other, factor = [(s, 5, 6), (4, s, 6), (4, 5, s)][n % 3]
        program.vghsh(target, other, factor)
    elif name == "vgmul":
        program.vgmul(*[(s, 6), (4, s)][n % 2])
    elif name in ("vload", "vload_xor", "vstore"):
        program(name, ORIGIN + 16 * n, s=s)
    elif name == "vxor_group":
        program(name, ORIGIN, 256)
    elif name == "context":
        program(name, 1)
        program("move_in", n, n, h=0, s=s)
        program(name, 0)
    else:
        program(name, n, 0, s=s, **fields.get(name, {}))


USES = ["move_out_xor", "move_in", "move_in_xor", "round_enc", "last_enc", "counter", "vload", "vload_xor", "vstore"]
USES += ["vxor_group", "vghsh", "vgmul", "context"]
GAPS = (*range(13), 27, 28, 29, 30, 31)  # commands in between; with a new factor, a product takes about 27 to 31 cycles


@pytest.mark.parametrize("fill", ["nothing", "counter"])
@pytest.mark.parametrize("name", USES)
def test_a_use_after_every_gap(run, name, fill):
    """In both orders and at many distances, a product and a second instruction use the same register."""
    for gap, known in itertools.product(GAPS, (False, True)):
        program = Program(gap)
        for n, s in enumerate((1, 2, 3) * 4):  # registers of the product: target v1, operand v2, factor v3
            if known:
                program.vghsh(7, 7, 3)  # this product fills the multiplier's tables for factor v3
            if n >= 6:
                use(program, name, s, n)
            program.vghsh(1, 2, 3)
            for other in range(gap):
                if fill == "nothing":
                    program.idle(1)
                else:
                    program("counter", other, s=7)
            if n < 6:
                use(program, name, s, n)
        program.check(run)


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 100])
def test_tags_of_gcm(run, length):
    """Compute GCM tags: hash blocks with `vghsh`, then XOR the mask. `cryptography` computes the expected tags."""
    rng = random.Random(length)
    key, nonce, text, aad = (rng.randbytes(n) for n in (16, 12, length, length // 2))
    sealed = AESGCM(key).encrypt(nonce, text, aad)
    commands = put_state(7, encrypted(key, bytes(16))) + put_state(6, bytes(16))
    blocks = hashed(aad, sealed[:-16])
    for n in range(0, len(blocks), 16):
        commands += [*put_state(n // 16 % 6, blocks[n : n + 16]), encode("vghsh", 0x67, s=n // 16 % 6)]
    commands += put_key(0, encrypted(key, nonce + (1).to_bytes(4, "big")))
    commands += [encode("round_xor", k=0, s=6), *get_state(6)]
    responses, _ = run(commands)
    assert block_of(responses[-4:]) == sealed[-16:]


def test_products_cost_their_instruction_alone(run):
    """Other instructions run during a product, one per cycle. So a product delays the program by only one cycle."""
    program = Program(1)
    program.vghsh(6, 0, 7)
    for n in range(40):
        program.vghsh(6, n % 3, 7)
        for other in range(PERIOD - 2):
            program("counter", n, s=3 + other % 3)
        program.idle(1)  # writes no register, so the unit can write the product's result
    program.read(6)
    commands = len(program.commands)
    assert program.check(run) <= commands + TABLE_CYCLES + 2 * PERIOD


def test_a_chain_takes_a_product_every_period(run):
    def cycles(count, data=0):
        program = Program(data)
        for _ in range(count):
            program.vghsh(6, 0, 7)
        return program.check(run)

    assert cycles(30) - cycles(20) == 10 * PERIOD
    assert {cycles(20, data) for data in range(10)} == {cycles(20)}, "time depends on data"


def test_a_result_waits_as_long_as_other_instructions_write(run):
    program = Program(2)
    program.vghsh(6, 0, 7)
    for n in range(100):
        program("counter", n, s=n % 4)
    program.read(6)
    commands = len(program.commands)
    assert program.check(run) <= commands + 8


# Zeroization -------------------------------------------------------------------------------------------------------


def secrets_of(unit):
    """Return signals for all registers and table rows of the multiplier that depend on data."""
    products, ghash = unit.products, unit.products.ghash
    signals = [products.control["operand"], *(ghash.control[name] for name in ("z", "x_0", "x_1", "x_2", "x_3"))]
    signals.append(ghash.control["multiple"])
    for table in [special for special in ghash.tables._fragment.specials if isinstance(special, Memory)]:
        for row in range(table.depth):
            port = table.get_port(async_read=True)
            signals.append(Signal(table.width, name=f"{table.name_override}_row{row}"))
            ghash.tables.specials += port
            unit.comb += [port.adr.eq(row), signals[-1].eq(port.dat_r)]
    return signals


@pytest.fixture(scope="module")
def open_bench():
    """Return a bench in which tests can read the multiplier's internal registers and tables."""
    shown = []
    bench = Bench(shown=lambda unit: shown.extend(secrets_of(unit)) or shown)
    bench.shown = shown
    yield bench
    bench.sim.close()


USED = [command for s in range(8) for command in put_state(s, random.Random(s).randbytes(16))]
USED += [encode("vghsh", 0x67, s=1), encode("vgmul", 5, s=2)]
# Within this number of cycles after the last zeroizing instruction, all secrets must be gone.
BOUND = 2 * TABLE_CYCLES + PERIOD + 4


def wait_for(cycles):
    for _ in range(cycles):
        yield


def test_zeroizing_the_registers_zeroizes_the_multiplier(open_bench):
    """At every cycle of two products, write zeros to all state registers. This must also zeroize the multiplier."""
    bench = open_bench
    clear = [command for s in (7, 5, 1, 2, 0, 3, 4, 6) for command in put_state(s, bytes(16))]
    readback = [command for s in range(8) for command in get_state(s)]
    for instant in range(70):
        responses, _ = bench.run([*USED, *[NOP] * instant, *clear, *readback])
        assert not any(responses), f"cycle {instant}: a product is written after its register was zeroized"
        bench.run([*USED, *[NOP] * instant, *clear])
        bench.sim.run(wait_for(BOUND), max_cycles=BOUND + 1)
        assert not any(bench.sim.peek(signal) for signal in bench.shown), f"cycle {instant}"


def test_a_product_does_leave_multiples_until_its_factor_is_written(open_bench):
    """Without zeroization, secrets remain in the multiplier. This shows that the zeroization tests can fail."""
    bench = open_bench
    bench.run(USED)
    bench.sim.run(wait_for(BOUND), max_cycles=BOUND + 1)
    assert any(bench.sim.peek(signal) for signal in bench.shown)


def test_a_reset_zeroizes_the_multiplier(open_bench):
    bench = open_bench
    for cycles in range(1, 90):
        bench.sim.power_on()
        processes = [bench.drive([*USED, *[NOP] * 100]), bench.collect(200, [])]
        bench.sim.run(wait_for(cycles), background=processes, max_cycles=cycles + 1)
        before = any(bench.sim.peek(signal) for signal in bench.shown)
        bench.sim.reset()
        bench.sim.run(wait_for(TABLE_CYCLES + 1), max_cycles=TABLE_CYCLES + 2)
        assert not any(bench.sim.peek(signal) for signal in bench.shown), f"reset after cycle {cycles}"
    assert before


def test_the_factor_is_latched(run):
    """A product uses its factor's value at the time of issue, even if the next instruction overwrites the factor."""
    rng = random.Random(5)
    operand, factor, other = (rng.randbytes(16) for _ in range(3))
    for gap in range(TABLE_CYCLES + PERIOD):
        commands = put_state(1, operand) + put_state(2, factor) + [encode("vgmul", 2, s=1), *[NOP] * gap]
        commands += put_state(2, other) + [encode("vghsh", 0x32, s=1), *get_state(1), *get_state(3)]
        responses, _ = run(commands)
        first = product(operand, factor)
        assert block_of(responses[-8:-4]) == first
        assert block_of(responses[-4:]) == product(xor(first, bytes(16)), other)
