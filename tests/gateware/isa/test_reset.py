# SPDX-License-Identifier: BSD-2-Clause
"""Test a reset of the vector AES unit during operation, at every cycle of a program.

The memory's answer may be outstanding, or a response held. Later results are right, and nothing of the interrupted
operation comes out.
"""

import random

import pytest

from gateware.isa.instructions import CONTEXTS
from gateware.isa.products import CYCLES
from gateware.isa.vector_unit import STATUS_PRODUCTS, UNIT_VERSION, VectorAESUnit
from tests.gateware.isa.model import UnitModel
from tests.gateware.isa.test_vector_unit import ORIGIN, SIZE, encode, get_state, put_key, put_state, random_command
from tests.gateware.support import Simulation, SimulationTimeout

INSTANTS = 48


class Bench:
    """The simulated unit with its test benches. One test bench sends commands, as the CPU does. Another test bench
    answers the unit's memory accesses, or leaves them unanswered.
    """

    def __init__(self):
        self.unit = unit = VectorAESUnit(memory=(ORIGIN, SIZE), product_cycles=CYCLES)
        ports = [unit.cmd_valid, unit.cmd_ready, unit.cmd_function_id, *unit.cmd_inputs]
        self.sim = Simulation(unit, *ports, unit.rsp_valid, unit.rsp_ready, unit.rsp_output, unit.bus)
        self.memory = bytearray(SIZE)

    def drive(self, commands):
        unit = self.unit
        for function_id, rs1, rs2 in commands:
            yield [unit.cmd_valid.eq(1), unit.cmd_function_id.eq(function_id)]
            yield [unit.cmd_inputs[0].eq(rs1), unit.cmd_inputs[1].eq(rs2)]
            yield
            while not (yield unit.cmd_ready):
                yield
            yield unit.cmd_valid.eq(0)

    def collect(self, count, responses, taken=1.0, rng=None):
        unit = self.unit
        while len(responses) < count:
            yield unit.rsp_ready.eq(rng is None or rng.random() < taken)
            yield
            if (yield unit.rsp_valid) and (yield unit.rsp_ready):
                responses.append((yield unit.rsp_output))

    def serve(self, answered=1.0, rng=None):
        bus = self.unit.bus
        while True:
            yield
            acknowledged = yield bus.ack
            first = 16 * (yield bus.adr) - ORIGIN
            if acknowledged and (yield bus.we):
                self.memory[first : first + 16] = (yield bus.dat_w).to_bytes(16, "little")
            request = (yield bus.cyc) and (yield bus.stb) and not acknowledged and (not rng or rng.random() < answered)
            if request and not (yield bus.we):
                yield bus.dat_r.eq(int.from_bytes(self.memory[first : first + 16], "little"))
            yield bus.ack.eq(int(bool(request)))

    def expect_silence(self):
        for _ in range(12):
            assert not (yield self.unit.rsp_valid)
            yield

    def until_reset(self, commands, cycles, *, taken, answered, seed):
        """Send a program's commands. Reset the unit after `cycles` cycles, even in the middle of a command."""
        rng = random.Random(seed)
        processes = [self.drive(commands), self.collect(len(commands) + 1, [], taken, rng)]
        with pytest.raises(SimulationTimeout):
            self.sim.run(*processes, background=[self.serve(answered, rng)], max_cycles=cycles)
        self.sim.reset()
        assert not self.sim.peek(self.unit.rsp_valid) and not self.sim.peek(self.unit.bus.cyc)

    def run(self, commands):
        """Run a whole program; return its responses. Check that no further response comes."""
        responses = []
        self.sim.run(
            self.drive(commands),
            self.collect(len(commands), responses),
            background=[self.serve()],
            max_cycles=200 + 60 * len(commands),
        )
        self.sim.run(self.expect_silence(), max_cycles=20)
        return responses


@pytest.fixture(scope="module")
def bench():
    bench = Bench()
    yield bench
    bench.sim.close()


def program(rng, model, count):
    """Return the commands of a random program, and the responses that the unit must send. The program writes all
    registers of two contexts, runs random instructions, then reads the state registers.
    """
    steps = []
    for context in (0, CONTEXTS - 1):
        steps.append(("context", {"rs1": context, "rs2": 0}, {}))
        for register in range(16):
            for half in range(2):
                operands = {"rs1": rng.getrandbits(32), "rs2": rng.getrandbits(32)}
                steps.append(("key_write", operands, {"hw": half, "kw": register}))
                if register < 8:
                    steps.append(("move_in", operands, {"h": half, "s": register}))
    for _ in range(count):
        name, operands, fields = random_command(rng)
        operands = {**operands, "rs1": rng.choice((0, CONTEXTS - 1))} if name == "context" else operands
        steps.append((name, operands, fields))
    steps += [("move_out_xor", {"rs1": 0}, {"s": s, "c": c}) for s in range(8) for c in range(4)]
    steps.append(("memory_status", {"rs1": 0, "rs2": 0}, {}))
    commands = [encode(name, **operands, **fields) for name, operands, fields in steps]
    return commands, [model.execute(name, **operands, **fields) for name, operands, fields in steps]


# A program with every kind of instruction. In this program, pipeline stages wait for registers, for loads, for the
# memory, and for the CPU to accept a response.
INTERRUPTED = [
    *put_state(1, bytes(range(16))),
    *put_key(1, bytes(range(16, 32))),
    encode("round_enc", k=1, s=1),
    encode("round_dec", k=1, s=1),
    encode("vload", ORIGIN, s=2),
    encode("vload_xor", ORIGIN + 16, s=3),
    encode("counter", 1, 2, s=1),
    encode("vstore", ORIGIN + 32, s=1),
    encode("vghsh", 0x12, s=3),
    encode("vxor_group", ORIGIN + 64, 256),
    encode("vgmul", 4, s=4),
    encode("key_read", 4),
    encode("sub_word", 5, 6),
    encode("context", 3),
    encode("vload", ORIGIN + 8, s=4),
    encode("memory_status", 0),
    encode("key_write_inv_mix", 7, 8, hw=1, kw=2),
    *get_state(1),
]


@pytest.mark.parametrize(("taken", "answered"), [(1.0, 1.0), (0.4, 0.3), (1.0, 0.0), (0.0, 1.0)])
def test_right_after_a_reset_at_any_cycle(bench, taken, answered):
    for instant in range(1, INSTANTS):
        rng = random.Random(instant)
        commands = INTERRUPTED * 4
        bench.until_reset(commands, instant, taken=taken, answered=answered, seed=instant)
        responses = bench.run([encode("status"), encode("memory_status", 0)])
        assert responses == [UNIT_VERSION << 16 | STATUS_PRODUCTS, 0], "context 0, no fault"
        bench.memory[:] = rng.randbytes(SIZE)
        model = UnitModel(ORIGIN, SIZE)
        model.memory[:] = bench.memory
        commands, expected = program(rng, model, 24)
        assert bench.run(commands) == expected, f"reset after cycle {instant}"
        assert bench.memory == model.memory
