# SPDX-License-Identifier: BSD-2-Clause
"""Run instructions on a unit with a CFU port, in a simulation of only this unit."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gateware.isa.cfu import CFUUnit
from tests.gateware.support import Simulation


@contextmanager
def executing(unit: CFUUnit) -> Iterator[Callable]:
    """Yield a function that runs instructions, given as (function id, rs1, rs2), and returns the values of rd.

    Its second argument is the probability that the test does not accept a response in a cycle. Its attribute `cycles`
    is the number of cycles that the last list of instructions took.
    """
    ports = [unit.cmd_valid, unit.cmd_ready, unit.cmd_function_id, *unit.cmd_inputs]
    with Simulation(unit, *ports, unit.rsp_valid, unit.rsp_ready, unit.rsp_output) as simulation:

        def run(instructions: list[tuple[int, int, int]], stall: float = 0.0) -> list[int]:
            results = []
            rng = random.Random(1)

            def drive():
                for function_id, rs1, rs2 in instructions:
                    yield unit.cmd_function_id.eq(function_id)
                    yield unit.cmd_inputs[0].eq(rs1)
                    yield unit.cmd_inputs[1].eq(rs2)
                    yield unit.cmd_valid.eq(1)
                    yield
                    while not (yield unit.cmd_ready):
                        yield
                    yield unit.cmd_valid.eq(0)

            def collect():
                while len(results) < len(instructions):
                    yield unit.rsp_ready.eq(int(rng.random() >= stall))
                    yield
                    if (yield unit.rsp_valid) and (yield unit.rsp_ready):
                        results.append((yield unit.rsp_output))

            start = simulation.cycle
            simulation.run(drive(), collect(), max_cycles=100 + 20 * len(instructions))
            run.cycles = simulation.cycle - start
            return results

        yield run


def column_words(block: bytes) -> list[int]:
    """Return the columns of one or more blocks as 32-bit words. Bits 7:0 of a word are row 0 of the column."""
    return [int.from_bytes(block[i : i + 4], "little") for i in range(0, len(block), 4)]


def block_bytes(words: list[int]) -> bytes:
    """Return the bytes of a block, given its four columns as words."""
    return b"".join(word.to_bytes(4, "little") for word in words)
