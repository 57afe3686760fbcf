# SPDX-License-Identifier: BSD-2-Clause
"""Runs a simulated board with `executor.c` in its ROM: a program that executes single instructions on request."""

import struct
from pathlib import Path

from cipherlane.transport.simboard import SimulatedBoard

from gateware.flow.firmware import REPOSITORY
from tests import rom
from tests.waiting import HANG_S

BUILD = REPOSITORY / "build" / "tests" / "executor"
CUSTOM_0 = 0x0B
A0, A1 = 10, 11
BATCH = 100  # number of requests sent at once; the simulated UART can store no more


def build() -> Path:
    """Compile the executor and build a simulated board that starts it; return the board's folder."""
    return rom.build(BUILD, Path(__file__).with_suffix(".c"))


class Executor:
    """A context manager that runs the board. `execute` runs instructions of the vector AES unit on the board's CPU."""

    def __init__(self):
        self._board = SimulatedBoard(build())
        self._board.start()
        self._port = rom.open_uart(self._board, timeout=HANG_S)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._port.close()
        self._board.stop()

    def execute(self, instructions: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
        """Execute instructions, each given as (function id, rs1, rs2). Return (rd, cycles until the result) of each."""
        answers = []
        for first in range(0, len(instructions), BATCH):
            batch = instructions[first : first + BATCH]
            request = b""
            for function_id, rs1, rs2 in batch:
                funct7, funct3 = function_id >> 3, function_id & 7
                instruction = funct7 << 25 | A1 << 20 | A0 << 15 | funct3 << 12 | A0 << 7 | CUSTOM_0
                request += struct.pack("<3I", instruction, rs1, rs2)
            self._port.write(request)
            answer = self._port.read(8 * len(batch))
            assert len(answer) == 8 * len(batch), "the core did not answer"
            answers += struct.iter_unpack("<2I", answer)
        return answers
