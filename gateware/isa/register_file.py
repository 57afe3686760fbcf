# SPDX-License-Identifier: BSD-2-Clause
"""Register files of the vector AES unit, one copy of every register for each hardware context.

State registers are in distributed RAM, read in the cycle of the request. Round-key registers are in block RAM, or in
another memory with a synchronous read that synthesis chooses, and are read one cycle later. Both are split by lane, so
an instruction can write some columns only. After configuration all registers are zero. A reset does not clear them.
"""

from migen import READ_FIRST, Memory, Module, Signal, log2_int

from ..memory import without_collisions
from .instructions import CONTEXTS, KEY_REGISTERS, LANES, STATE_REGISTERS


class LaneRegisters(Module):
    """A register file with ``depth`` registers; each holds one word per lane, four words in all.

    Parameters
    ----------
    depth : int
        Registers, all contexts together; a power of two.
    registered : bool
        The read takes a clock edge; otherwise it is combinational.

    Attributes
    ----------
    read_address, read_data : Signal(log2(depth)), list of 4 Signal(32)
        The read port. A read in the cycle of a write to the same register returns the old value or an undefined one.
        The unit's interlock prevents such reads.
    write_address, write_data, write_lanes : Signal, list of 4 Signal(32), Signal(4)
        The write port; bit ``c`` of `write_lanes` writes lane ``c``.
    """

    def __init__(self, depth: int, *, registered: bool):
        self.read_address = Signal(log2_int(depth))
        self.read_data = [Signal(32, name=f"read_data{c}") for c in range(LANES)]
        self.write_address = Signal(log2_int(depth))
        self.write_data = [Signal(32, name=f"write_data{c}") for c in range(LANES)]
        self.write_lanes = Signal(LANES)

        # # #

        for c in range(LANES):
            memory = without_collisions(Memory(32, depth, init=[0] * depth, name="lane_registers"))
            read_port = memory.get_port(async_read=not registered, mode=READ_FIRST)
            write_port = memory.get_port(write_capable=True)
            self.specials += memory, read_port, write_port
            self.comb += [
                read_port.adr.eq(self.read_address),
                self.read_data[c].eq(read_port.dat_r),
                write_port.adr.eq(self.write_address),
                write_port.dat_w.eq(self.write_data[c]),
                write_port.we.eq(self.write_lanes[c]),
            ]


class StateRegisters(LaneRegisters):
    """The state registers ``v0`` to ``v7`` of every context; the address is ``context << 3 | register``."""

    def __init__(self):
        super().__init__(CONTEXTS * STATE_REGISTERS, registered=False)


class KeyRegisters(LaneRegisters):
    """The round-key registers ``k0`` to ``k15`` of every context; the address is ``context << 4 | register``."""

    def __init__(self):
        super().__init__(CONTEXTS * KEY_REGISTERS, registered=True)


class CounterBases(LaneRegisters):
    """A copy of ``k15``, the counter base, of every context. It can be read in the cycle of the request."""

    def __init__(self):
        super().__init__(CONTEXTS, registered=False)
