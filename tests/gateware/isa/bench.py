# SPDX-License-Identifier: BSD-2-Clause
"""Simulates the vector AES unit with a memory for its loads and stores. Also contains functions that make commands."""

import random

from gateware.isa.instructions import ALL, BY_NAME, FIELDS, PRODUCTS
from gateware.isa.products import CYCLES
from gateware.isa.vector_unit import VectorAESUnit
from tests.gateware.support import Simulation

ORIGIN, SIZE = 0x4000_0000, 1024
QUIET_CYCLES = 10  # after the last response, no further response may come in this number of cycles


class Bench:
    """The simulated vector AES unit. Tests send commands to its CFU port.

    `shown` returns more signals of the unit to observe; `options` are options of `Simulation`.
    """

    def __init__(self, sbox: str = "table", product_cycles: int = CYCLES, shown=lambda unit: [], **options):
        self.unit = unit = VectorAESUnit(memory=(ORIGIN, SIZE), sbox=sbox, product_cycles=product_cycles)
        self.products = bool(product_cycles)
        ports = [unit.cmd_valid, unit.cmd_ready, unit.cmd_function_id, *unit.cmd_inputs]
        ports += [unit.rsp_valid, unit.rsp_ready, unit.rsp_output, unit.bus, *shown(unit)]
        self.sim = Simulation(unit, *ports, **options)
        self.memory = bytearray(SIZE)

    def drive(self, commands, rng=None, idle: float = 0.0):
        """Return a test bench that sends commands in order, each given as (function id, rs1, rs2)."""
        unit = self.unit
        for function_id, rs1, rs2 in commands:
            while rng and rng.random() < idle:
                yield
            yield unit.cmd_valid.eq(1)
            yield unit.cmd_function_id.eq(function_id)
            yield unit.cmd_inputs[0].eq(rs1)
            yield unit.cmd_inputs[1].eq(rs2)
            yield
            while not (yield unit.cmd_ready):
                yield
            yield unit.cmd_valid.eq(0)

    def collect(self, count: int, responses: list, rng=None, busy: float = 0.0):
        """Return a test bench that accepts `count` responses, and checks that no further response comes."""
        unit = self.unit
        while len(responses) < count:
            yield unit.rsp_ready.eq(int(not rng or rng.random() >= busy))
            yield
            if (yield unit.rsp_valid) and (yield unit.rsp_ready):
                responses.append((yield unit.rsp_output))
        yield unit.rsp_ready.eq(1)
        for _ in range(QUIET_CYCLES):
            yield
            assert not (yield unit.rsp_valid)

    def serve(self, rng=None, slow: float = 0.0):
        """Return a test bench that answers the unit's memory accesses."""
        bus = self.unit.bus
        while True:
            yield
            acknowledged = yield bus.ack
            if acknowledged and (yield bus.we):
                first = 16 * (yield bus.adr) - ORIGIN
                self.memory[first : first + 16] = (yield bus.dat_w).to_bytes(16, "little")
            request = (yield bus.cyc) and (yield bus.stb) and not acknowledged
            if request and (not rng or rng.random() >= slow):
                first = 16 * (yield bus.adr) - ORIGIN
                assert 0 <= first < SIZE, "the unit accesses memory that is not its own"
                if not (yield bus.we):
                    yield bus.dat_r.eq(int.from_bytes(self.memory[first : first + 16], "little"))
                yield bus.ack.eq(1)
            else:
                yield bus.ack.eq(0)

    def run(self, commands, *, idle=0.0, busy=0.0, slow=0.0, seed=0, memory=None):
        """Power the unit on, and send commands to it. Return the responses, and the number of cycles until the last
        response.

        ``idle``, ``busy`` and ``slow`` are the shares of cycles in which no command is offered, no response taken,
        and the memory does not answer. ``memory`` is a bytearray that loads and stores access.
        """
        self.sim.power_on()
        self.memory = bytearray(SIZE) if memory is None else memory
        drive, collect, serve = (random.Random(seed + n) for n in range(3))
        responses = []
        self.sim.cycle = 0
        self.sim.run(
            self.drive(commands, drive, idle),
            self.collect(len(commands), responses, collect, busy),
            background=[self.serve(serve, slow)],
            max_cycles=200 + 60 * len(commands),
        )
        return responses, self.sim.cycle - QUIET_CYCLES - 1


# Functions that return commands, as (function id, rs1, rs2) ----------------------------------------------


def encode(name, rs1=0, rs2=0, **fields):
    return (BY_NAME[name].function_id(**fields), rs1, rs2)


def words(block: bytes) -> list[int]:
    return [int.from_bytes(block[i : i + 4], "little") for i in range(0, 16, 4)]


def put_state(s, block):
    w = words(block)
    return [encode("move_in", w[2 * h], w[2 * h + 1], h=h, s=s) for h in range(2)]


def get_state(s):
    return [encode("move_out_xor", c=c, s=s) for c in range(4)]


def put_key(k, block, name="key_write"):
    w = words(block)
    return [encode(name, w[2 * h], w[2 * h + 1], hw=h, kw=k) for h in range(2)]


def block_of(values) -> bytes:
    return b"".join(value.to_bytes(4, "little") for value in values)


def random_address(rng):
    """Return a random address. Most addresses are valid; some are unaligned or outside the memory."""
    return ORIGIN + 16 * rng.randrange(SIZE // 16) + rng.choice([0] * 12 + [4, -8192])


def random_command(rng, names=None):
    instruction = BY_NAME[rng.choice(names)] if names else rng.choice(ALL)
    fields = {field: rng.randrange(1 << FIELDS[field][0]) for field in instruction.fields}
    if instruction.name == "context":
        return instruction.name, {"rs1": rng.randrange(8), "rs2": 0}, fields
    if instruction.name.startswith("v") and instruction not in PRODUCTS:
        source, destination = (random_address(rng) for _ in range(2))
        return instruction.name, {"rs1": source, "rs2": (destination - source) % 2**32}, fields
    return instruction.name, {"rs1": rng.getrandbits(32), "rs2": rng.getrandbits(32)}, fields
