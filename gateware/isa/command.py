# SPDX-License-Identifier: BSD-2-Clause
"""Accepts a CFU command even if the unit cannot execute it yet, and holds such a command until the unit is ready.

::

    CFU ──► sink ─┬──────────────► source ──► unit
                  └─► held command ──┘

Latency: none; a command that the unit can execute passes through in the same cycle. Throughput: a command a cycle.
Handshake: valid and ready on both sides. A held command is offered until the unit takes it; until then no further
command is taken.

`sink.ready` is 0 only while a command is held and the CPU offers the next one. It does not depend on the unit, so the
CPU's pipeline never waits for the unit's interlocks in the same cycle. **It must be 1 while the CPU offers nothing.**
VexRiscv notes a command that has to wait. It does so in each cycle in which `ready` is 0 and an instruction is in the
execute stage, even if the instruction's command was already taken. Then it offers a command for whatever is next in
that stage, which need not be an instruction of the unit at all.
"""

from litex.soc.interconnect import stream
from migen import If, Module, Signal

COMMAND_LAYOUT = [("function_id", 10), ("input0", 32), ("input1", 32)]


class CommandRegister(Module):
    """A skid register: holds a CFU command that the unit cannot execute yet.

    Attributes
    ----------
    sink, source : stream.Endpoint
        `function_id` (10), `input0`, `input1` (32): the values of rs1 and rs2.
    """

    def __init__(self):
        self.sink = stream.Endpoint(COMMAND_LAYOUT)
        self.source = stream.Endpoint(COMMAND_LAYOUT)

        # # #

        holds = Signal()
        held = stream.Endpoint(COMMAND_LAYOUT)
        self.comb += [
            self.sink.ready.eq(~(holds & self.sink.valid)),
            self.source.valid.eq(holds | self.sink.valid),
            self.source.payload.eq(self.sink.payload),
            If(holds, self.source.payload.eq(held.payload)),
        ]
        self.sync += [
            holds.eq(self.source.valid & ~self.source.ready),
            If(~holds, held.payload.eq(self.sink.payload)),
        ]
