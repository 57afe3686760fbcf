# SPDX-License-Identifier: BSD-2-Clause
"""Turns loads and stores of the vector unit into requests for its memory port, one request for each block.

A request leaves one cycle after its instruction, with the state register's value at issue. A group reads its registers
from v0 on, one a cycle, through the unit's read port. Meanwhile no other instruction can use that port. The unit's
instructions wait for `pending` registers: registers that a load has yet to write or a group has yet to read.

Throughput: a request a cycle. A group starts only when no request is under way (the unit waits for this), so the port's
queue has room for the whole group.
"""

from litex.soc.interconnect import stream
from migen import Cat, Constant, If, Module, Mux, Signal

from ..aes.transforms import masked
from .decoder import Decoder
from .instructions import STATE_REGISTERS
from .memory_port import REQUEST_LAYOUT


class MemoryRequests(Module):
    """Makes memory requests for the loads and stores that the vector unit accepts.

    Parameters
    ----------
    decoder : Decoder
        The decoded instruction.

    Attributes
    ----------
    accept : Signal()
        In: the instruction is accepted.
    operands : list of 2 Signal(32)
        In: values of rs1 and rs2.
    read_data : Signal(128)
        In: the value of the state register that the read port reads.
    reads_next, next_register : Signal(), Signal(3)
        Out: in the next cycle, the read port must read this register for a group.
    written, written_register : Signal(), Signal(3)
        In: a load's value is written.
    dropped, dropped_register : Signal(), Signal(3)
        In: a load is refused.
    request : stream.Endpoint
        Out: to the port; the unit ensures that there is room.
    taking, member : Signal(), Signal(3)
        Out: a group reads its register `member`; 0 while no group does.
    pending : Signal(8)
        Out: state registers of the context that a load has yet to write or a group has yet to read.
    """

    def __init__(self, decoder: Decoder):
        self.accept = Signal()
        self.operands = [Signal(32), Signal(32)]
        self.read_data = Signal(128)
        self.reads_next = Signal()
        self.next_register = Signal(3)
        self.written = Signal()
        self.written_register = Signal(3)
        self.dropped = Signal()
        self.dropped_register = Signal(3)
        self.request = request = stream.Endpoint(REQUEST_LAYOUT)
        self.taking = taking = Signal()
        self.member = Signal(3)
        self.pending = Signal(STATE_REGISTERS)

        # # #

        # A group instruction accesses v0 to v7. It reads v0 immediately, as a store of one register does. In the next
        # cycles, `member` counts through v1 to v7.
        group = decoder.loads & decoder.stores
        member = self.member
        self.comb += [
            self.reads_next.eq(self.accept & group | (taking & (member != STATE_REGISTERS - 1))),
            self.next_register.eq(member + 1),
        ]
        self.sync += [
            If(self.accept & group | taking, member.eq(member + 1)),
            taking.eq(self.reads_next),
            request.valid.eq(self.accept & (decoder.loads | decoder.stores) | taking),
            request.address.eq(
                Mux(taking, request.address, self.operands[0]) + (Mux(taking, 1, decoder.state_register) << 4)
            ),
            request.destination.eq(
                Mux(taking, request.destination, self.operands[0]) + Mux(taking, 16, self.operands[1])
            ),
            request.data.eq(self.read_data),
            request.register.eq(Mux(taking, member, decoder.state_register)),
            If(
                ~taking,
                request.load.eq(decoder.loads),
                request.store.eq(decoder.stores),
                request.exclusive_or.eq(decoder.reads_state),
            ),
        ]

        loads = masked(self.accept & decoder.loads & ~decoder.stores, one_hot(decoder.state_register))
        others = masked(self.accept & group, Constant(0xFE, STATE_REGISTERS))
        done = (
            masked(self.written, one_hot(self.written_register))
            | masked(self.dropped, one_hot(self.dropped_register))
            | masked(taking, one_hot(member))
        )
        self.sync += self.pending.eq((self.pending & ~done) | loads | others)


def one_hot(register):
    """Return eight bits, one for each state register. Only the given register's bit is 1."""
    return Cat(*[register == s for s in range(STATE_REGISTERS)])
