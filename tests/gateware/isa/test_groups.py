# SPDX-License-Identifier: BSD-2-Clause
"""Test `vxor_group`, which stores all state registers: hazards at every distance, overlaps, faults, and cycles."""

import random

import pytest
from migen import Memory, Signal

from tests.gateware.isa.bench import ORIGIN, SIZE, Bench, encode, put_state
from tests.gateware.isa.model import UnitModel

DISTANCES = range(10)


class Program:
    """A list of commands for the unit, with the responses that the model expects."""

    def __init__(self, seed):
        self.memory = bytearray(random.Random(seed).randbytes(SIZE))
        self.model = UnitModel(ORIGIN, SIZE)
        self.model.memory[:] = self.memory
        self.commands, self.expected = [], []
        for s in range(8):
            self("counter", seed + s, s=s)

    def __call__(self, name, rs1=0, rs2=0, **fields):
        self.commands.append(encode(name, rs1, rs2, **fields))
        self.expected.append(self.model.execute(name, rs1, rs2, **fields))

    def check(self, run, **options):
        """Run the program; compare responses and memory with the model; return the number of cycles."""
        for s in range(8):
            for c in range(4):
                self("move_out_xor", c=c, s=s)
        self("memory_status", 1)
        responses, cycles = run(self.commands, memory=self.memory, **options)
        assert responses == self.expected
        assert self.memory == self.model.memory
        return cycles


@pytest.mark.parametrize("slow", [0, 0.7])
@pytest.mark.parametrize(
    "other", ["counter", "move_in", "round_enc", "move_out_xor", "vload", "vload_xor", "vstore", "vxor_group"]
)
def test_hazards_at_every_distance(run, other, slow):
    """`vxor_group` and a second instruction use the same register. The second instruction comes before or after
    `vxor_group`, with up to nine commands between the two.

    No other instruction writes the memory blocks that the group writes.
    """
    rng = random.Random(other)

    def disturb(program, s):
        fields = {"counter": {}, "move_in": {"h": rng.randrange(2)}, "round_enc": {"k": 0}, "move_out_xor": {"c": 1}}
        operands = (rng.getrandbits(32), rng.getrandbits(32))
        if other == "vxor_group":
            program(other, ORIGIN + 128 * rng.randrange(4), 0)
        elif other.startswith("v"):
            program(other, ORIGIN + 16 * rng.randrange(24), s=s)
        else:
            program(other, *operands, s=s, **fields.get(other, {}))

    for distance in DISTANCES:
        for first in (0, 4):
            program = Program(distance)
            for s in range(first, first + 4):
                disturb(program, s)
                for _ in range(distance // 3):
                    program("sub_word", rng.getrandbits(32))
                program("vxor_group", ORIGIN + 16 * s, 512 - 16 * s + 128 * (s - first))
                for _ in range(distance):
                    # The unit must not confuse `kw`, the number of a key register, with the number of a state register.
                    program("key_write", 0, 0, hw=0, kw=8 + (s ^ 1))
                disturb(program, s)
            program.check(run, slow=slow)


@pytest.mark.parametrize("distance", [0, 16, -16, 64, 512])
def test_overlaps_are_carried_out_in_order(run, distance):
    program = Program(6)
    for source in (64, 80, 160):
        program("vxor_group", ORIGIN + source, distance % 2**32)
        program("counter", source, s=0)
    program.check(run)


@pytest.mark.parametrize(
    ("source", "destination"),
    [(8, 0), (0, 8), (SIZE - 64, 0), (0, SIZE - 64), (SIZE - 32, SIZE - 96), (-16, 0), (0, -16), (0, 2**30), (8, -8)],
)
def test_a_group_ends_at_its_first_fault(run, source, destination):
    """After a `vxor_group` has caused a fault, this instruction writes nothing more. Software can still read the
    address of the fault. The unit executes the next `vxor_group` as usual.
    """
    program = Program(7)
    program("vxor_group", ORIGIN + source, (destination - source) % 2**32)
    program("vstore", ORIGIN + 256, s=3)
    program("vxor_group", ORIGIN + 384, 128)
    before = bytes(program.model.memory)
    program("vxor_group", ORIGIN + SIZE, 0)
    assert program.model.fault
    assert before == program.model.memory
    program("memory_status", 1)
    program("memory_status")
    program.check(run)


def test_a_group_costs_its_rounds_and_an_instruction(run):
    """Encrypt in CTR mode from memory to memory, with `vxor_group`. No instruction waits for memory."""
    program = Program(8)
    for group in range(4):
        for s in range(8):
            program("counter_xor", 8 * group, s=s)
        for k in range(1, 10):
            for s in range(8):
                program("round_enc", k=k, s=s)
        for s in range(8):
            program("last_enc", l=1, s=s)
        program("vxor_group", ORIGIN + 128 * group, 0)
    program("counter", s=0)
    commands = len(program.commands)
    assert program.check(run) <= len(program.commands) + 40, f"{commands} commands without the last reads"


def test_state_registers_stay(run):
    program = Program(9)
    for s in range(8):
        program.commands += put_state(s, bytes([s] * 16))
        program.expected += [0, 0]
        program.model.v[0][s] = bytes([s] * 16)
    program("vxor_group", ORIGIN, 256)
    program.check(run)


def queue_words(unit):
    """Return a list of signals. Each signal shows one word of the unit's queue of loads and stores."""
    fragment = unit.memory.queue.fifo._fragment
    (storage,) = (special for special in fragment.specials if isinstance(special, Memory))
    words = []
    for place in range(storage.depth):
        port = storage.get_port(async_read=True)
        words.append(Signal(storage.width, name=f"queue_word{place}"))
        unit.specials += port
        unit.comb += [port.adr.eq(place), words[-1].eq(port.dat_r)]
    return words


def test_a_refused_group_of_zeros_clears_what_the_queue_keeps():
    """To remove a key, firmware zeroizes v0 to v7, and then runs a `vxor_group` that the unit refuses. After these two
    steps, the queue is zeroized, too.
    """
    shown = []
    bench = Bench(shown=lambda unit: shown.extend(queue_words(unit)) or shown)
    secret = [random.Random(s).randbytes(16) for s in range(8)]
    use = [command for s in range(8) for command in put_state(s, secret[s])]
    use += [encode("vxor_group", ORIGIN, 128), encode("memory_status")]
    clear = [command for s in range(8) for command in put_state(s, bytes(16))]
    clear += [encode("vxor_group", 1, 0), encode("memory_status", 1)]

    def left(commands):
        bench.run(commands)
        words = [bench.sim.peek(word) for word in shown]
        return [s for s in range(8) if any(int.from_bytes(secret[s], "little") in slices(word) for word in words)]

    assert left(use) == list(range(8))
    assert left(use + clear) == []
    bench.sim.close()


def slices(word):
    """Return a set of 64 numbers. For each n from 0 to 63, the set contains bits n + 127 to n of the word."""
    return {word >> first & (1 << 128) - 1 for first in range(64)}
