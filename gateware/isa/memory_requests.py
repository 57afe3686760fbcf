"""Loads and stores on their way from the vector unit to its memory port: a request each, a group's eight in turn.

A request leaves a cycle after its instruction, with the state register's value at issue. A group takes its registers
along from v0 on, one a cycle, by the unit's read port; meanwhile no other instruction has that port. The unit's
instructions wait for `pending` registers: those that a load has yet to write, or a group to read.

Throughput: a request a cycle. A group begins when no request is under way (the unit waits for it), so that the port's
queue has room for all of it.
"""

from litex.soc.interconnect import stream
from migen import Cat, Constant, If, Module, Mux, Signal

from gateware.aes.transforms import masked
from gateware.isa.decoder import Decoder
from gateware.isa.instructions import STATE_REGISTERS
from gateware.isa.memory_port import REQUEST_LAYOUT


class MemoryRequests(Module):
    """Gives requests for the instructions that are accepted.

    Parameters
    ----------
    decoder : Decoder
        What the instruction is.

    Attributes
    ----------
    accept : Signal()
        In: the instruction is accepted.
    operands : list of 2 Signal(32)
        In: values of rs1 and rs2.
    read_register, read_data : Signal(3), Signal(128)
        Out: the state register to read, of the instruction or, while a group is `taking`, of that. In: its value.
    written, written_register : Signal(), Signal(3)
        In: a load's value is written.
    dropped, dropped_register : Signal(), Signal(3)
        In: a load is refused.
    request : stream.Endpoint
        Out: to the port; the unit sees to it that there is room.
    taking, member : Signal(), Signal(3)
        Out: a group takes its register `member` along; 0 while none does.
    pending : Signal(8)
        Out: state registers of the context that a load has yet to write, or a group to take along.
    """

    def __init__(self, decoder: Decoder):
        self.accept = Signal()
        self.operands = [Signal(32), Signal(32)]
        self.read_register = Signal(3)
        self.read_data = Signal(128)
        self.written = Signal()
        self.written_register = Signal(3)
        self.dropped = Signal()
        self.dropped_register = Signal(3)
        self.request = request = stream.Endpoint(REQUEST_LAYOUT)
        self.taking = taking = Signal()
        self.member = Signal(3)
        self.pending = Signal(STATE_REGISTERS)

        # # #

        # A group's v0 is read at its issue, as the register of a store is, and `member` counts through the others.
        group = decoder.loads & decoder.stores
        member = self.member
        self.comb += self.read_register.eq(Mux(taking, member, decoder.state_register))
        self.sync += [
            If(self.accept & group | taking, member.eq(member + 1)),
            taking.eq(self.accept & group | (taking & (member != STATE_REGISTERS - 1))),
            request.valid.eq(self.accept & (decoder.loads | decoder.stores) | taking),
            request.address.eq(
                Mux(taking, request.address, self.operands[0]) + (Mux(taking, 1, decoder.state_register) << 4)
            ),
            request.destination.eq(
                Mux(taking, request.destination, self.operands[0]) + Mux(taking, 16, self.operands[1])
            ),
            request.data.eq(self.read_data),
            request.register.eq(self.read_register),
            If(
                ~taking,
                request.load.eq(decoder.loads),
                request.store.eq(decoder.stores),
                request.exclusive_or.eq(decoder.reads_state),
            ),
        ]

        loads = masked(self.accept & decoder.loads & ~decoder.stores, _one_hot(decoder.state_register))
        others = masked(self.accept & group, Constant(0xFE, STATE_REGISTERS))
        done = (
            masked(self.written, _one_hot(self.written_register))
            | masked(self.dropped, _one_hot(self.dropped_register))
            | masked(taking, _one_hot(member))
        )
        self.sync += self.pending.eq((self.pending & ~done) | loads | others)


def _one_hot(register):
    """Eight bits with the one of a state register set."""
    return Cat(*[register == s for s in range(STATE_REGISTERS)])
