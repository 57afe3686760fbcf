# SPDX-License-Identifier: BSD-2-Clause
"""Executes products in GF(2^128) while later instructions run: RISC-V's `vghsh` and `vgmul`, for GHASH.

::

    v[s] ─► operand ─(+)─────────────► GHASH ─► result ─► write, in a cycle without other writes
                      │                  │
    read port: target ┘     factor ─► tables of its multiples

`vghsh` computes ``target = (target + v[s]) * factor`` and `vgmul` computes ``v[s] = v[s] * factor``. The operands are
latched: `v[s]` in the cycle of acceptance, the target in the next one, and the factor in the one after that, if its
tables do not exist yet. Until then other instructions cannot write these registers, so they have the values of the
cycle of acceptance.

`gateware.gcm.ghash` multiplies by tables of the factor's multiples. The tables stay for further products with the same
register of the same context. **They are no state of their own:** when this register is written, they are zeroized,
after the product under way has used them. After a reset they are zeroized as well. `operand` and the multiplier are
zero after each product.

One product is under way at a time. With `cycles` of the multiplier, the result is written `cycles` + 3 cycles after
acceptance, or later if other instructions write registers in each of these cycles. The next product is accepted from
that cycle on. A product with another factor takes 17 cycles more. Zeroizing tables takes 17 cycles; a product waits
for it. No time depends on data.
"""

from migen import Cat, If, Module, Mux, Signal

from ..aes.transforms import masked
from ..gcm.ghash import GHASH
from .decoder import Decoder
from .instructions import STATE_REGISTERS
from .memory_port import VectorMemoryPort
from .memory_requests import one_hot

CYCLES = 8  # cycles that the multiplier takes for a product, on boards with a multiplier
EXTRA_CYCLES = 3  # cycles of a product before the multiplier starts and after it ends, in total
TABLE_CYCLES = 17


class Products(Module):
    """Multiplies state registers of the vector unit, as elements of GF(2^128).

    Parameters
    ----------
    decoder : Decoder
        The decoded instruction.
    memory_port : VectorMemoryPort
        The port whose loaded blocks the unit also has to write.
    cycles : int
        Cycles of a product in the multiplier (`gateware.gcm.ghash.CYCLES`).
    portable : bool
        See `GHASH`.

    Attributes
    ----------
    accept : Signal()
        In: a product is accepted. Only while `ready`, and while no load is under way.
    ready : Signal()
        Out: a product may be accepted.
    registers : Signal(7)
        In: value of rs1: the factor in bits 2:0, and the target of `vghsh` in bits 6:4.
    context : Signal(3)
        In: the selected context. It must not change while a product is under way.
    reads_next, next_register : Signal(), Signal(3)
        Out: in the next cycle, the read port must read this state register for a product.
    read_data : Signal(128)
        In: the value that the port reads.
    written, written_register : Signal(), Signal(6)
        In: a state register is written, with its context.
    active : Signal()
        Out: a product is under way.
    pending : Signal(8)
        Out: state registers of the context that a product has yet to write or to read.
    result_valid, result_ready : Signal()
        Out, in: a product or a loaded block is there, the product first; the unit writes it.
    result_register, result_data : Signal(3), Signal(128)
        Out: register and value to write.
    """

    def __init__(self, decoder: Decoder, memory_port: VectorMemoryPort, *, cycles: int, portable: bool = True):
        self.accept = accept = Signal()
        self.ready = Signal()
        self.registers = Signal(7)
        self.context = Signal(3)
        self.reads_next = Signal()
        self.next_register = Signal(3)
        self.read_data = Signal(128)
        self.written = Signal()
        self.written_register = Signal(6)
        self.active = active = Signal()
        self.pending = Signal(STATE_REGISTERS)
        self.result_valid = Signal()
        self.result_ready = Signal()
        self.result_register = Signal(3)
        self.result_data = Signal(128)

        # # #

        self.submodules.ghash = ghash = GHASH(cycles=cycles, portable=portable)
        operand = Signal(128)
        target, factor = Signal(3), Signal(3)
        sums = Signal()  # the target is added
        fetching = Signal()  # 1 in the cycle after a product is accepted; the target register is read in this cycle
        loading = Signal()  # 1 while the factor is read; GHASH then fills its tables with multiples of the factor
        loads_next = Signal()  # 1: `loading` will be 1 in the next cycle
        starting = Signal()  # 1 while the operand is offered to the multiplier
        taken = Signal()
        finished = Signal()

        # `owned`: 1 if GHASH's tables contain multiples of a state register. `owner`: number and context of this
        # register. `stale`: 1 if the tables must be zeroized.
        owner = Signal(6)
        owned = Signal()
        stale = Signal(reset=1)
        overwritten = Signal()
        self.comb += [
            self.ready.eq(~(stale | ghash.busy) & (~active | finished)),
            overwritten.eq(self.written & owned & (self.written_register == owner)),
            ghash.clear.eq(stale & ~active),
        ]
        self.sync += [
            If(overwritten, owned.eq(0), stale.eq(1)),
            If(ghash.clear, stale.eq(0)),
            If(loading, owner.eq(Cat(factor, self.context)), owned.eq(1), stale.eq(0)),
        ]

        # For each product, GHASH processes a message of one block. GHASH gets this block (the operand), and then an
        # item of zeros with `final` set, which ends the message.
        chosen_factor, chosen_target = self.registers[:3], Signal(3)
        self.comb += [
            chosen_target.eq(self.registers[4:7]),
            If(decoder.is_vgmul, chosen_target.eq(decoder.state_register)),
            loads_next.eq(fetching & ~(owned & (owner == Cat(factor, self.context)))),
            self.reads_next.eq(accept | loads_next),
            self.next_register.eq(Mux(fetching, factor, chosen_target)),
            ghash.subkey.valid.eq(loading),
            ghash.subkey.data.eq(self.read_data),
            ghash.sink.valid.eq(starting),
            ghash.sink.data.eq(operand),
            ghash.sink.final.eq(taken),
            ghash.source.ready.eq(self.result_ready),
            finished.eq(ghash.source.valid & ghash.source.ready),
            self.result_valid.eq(ghash.source.valid | memory_port.result_valid),
            self.result_register.eq(Mux(ghash.source.valid, target, memory_port.result_register)),
            self.result_data.eq(Mux(ghash.source.valid, ghash.source.data, memory_port.result_data)),
            memory_port.result_ready.eq(self.result_ready & ~ghash.source.valid),
        ]
        self.sync += [
            fetching.eq(accept),
            loading.eq(loads_next),
            If(fetching, operand.eq(operand ^ masked(sums, self.read_data)), starting.eq(1)),
            If(
                ghash.sink.valid & ghash.sink.ready,
                operand.eq(0),
                taken.eq(~taken),
                If(taken, starting.eq(0)),
            ),
            If(fetching, self.pending.eq(one_hot(target))),
            If(finished, active.eq(0), self.pending.eq(0)),
            If(
                accept,
                active.eq(1),
                operand.eq(self.read_data),
                sums.eq(decoder.is_vghsh),
                factor.eq(chosen_factor),
                target.eq(chosen_target),
                self.pending.eq(one_hot(chosen_target) | one_hot(chosen_factor)),
            ),
        ]

        # Signals that tests and formal proofs observe.
        self.control = {"operand": operand, "owner": owner, "owned": owned, "stale": stale, "fetching": fetching}
        self.control |= {"loading": loading, "starting": starting, "taken": taken, "finished": finished}
        self.control |= {"active": active, "pending": self.pending, "factor": factor, "target": target}
        self.control |= {"clear": ghash.clear, "begun": ghash.control["begun"], "valid": ghash.source.valid}
        self.control |= {"subkey_ready": ghash.subkey.ready, "result": ghash.source.data}
