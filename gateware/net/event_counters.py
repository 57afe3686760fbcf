# SPDX-License-Identifier: BSD-2-Clause
"""Counts how often each event happened.

The counters are in a block RAM with one adder. The sources take turns of three cycles each: read, hold, write. With
three sources each may have an event every ninth cycle; the shortest frame takes longer. The counters are modulo 2^32.
They count from power-on and are never cleared. A read in the cycle of a write would return an undefined value, so no
read happens then.
"""

from litex.soc.interconnect import stream
from migen import READ_FIRST, Array, If, Memory, Module, Signal

from ..memory import block_ram
from .events import EVENT_BITS

COUNTER_BITS = 32


class EventCounters(Module):
    """Counts events from several sources, with one counter per event code.

    Parameters
    ----------
    sources : int
        Number of inputs.

    Attributes
    ----------
    sinks : list of stream.Endpoint, code(5), in
        Events. One that is offered while `ready` is 0 is lost, unless its source waits.
    select : Signal(5), in
        Counter to read.
    value : Signal(32), out
        Its value, one or two cycles old.
    """

    def __init__(self, *, sources: int):
        self.sinks = [stream.Endpoint([("code", EVENT_BITS)]) for _ in range(sources)]
        self.select = Signal(EVENT_BITS)
        self.value = Signal(COUNTER_BITS)

        # # #

        counters = block_ram(Memory(COUNTER_BITS, 2**EVENT_BITS, init=[0] * 2**EVENT_BITS, name="event_counters"))
        count_port = counters.get_port(write_capable=True, mode=READ_FIRST)
        read_port = counters.get_port(has_re=True, mode=READ_FIRST)
        self.specials += counters, count_port, read_port
        turn, step = Signal(max=max(sources, 2)), Signal(max=3)
        pending = Array([Signal(name=f"pending{n}") for n in range(sources)])
        codes = Array([Signal(EVENT_BITS, name=f"code{n}") for n in range(sources)])
        active, code, count = Signal(), Signal(EVENT_BITS), Signal(COUNTER_BITS)  # the event being counted
        last = Signal()
        self.comb += [
            last.eq(step == 2),
            count_port.adr.eq(code),
            count_port.we.eq(active & last),
            count_port.dat_w.eq(count + 1),
            read_port.adr.eq(self.select),
            read_port.re.eq(~count_port.we),
            self.value.eq(read_port.dat_r),
            *[sink.ready.eq(~pending[n] | (last & (turn == n))) for n, sink in enumerate(self.sinks)],
        ]
        self.sync += [
            step.eq(step + 1),
            count.eq(count_port.dat_r),
            If(last, step.eq(0), active.eq(pending[turn]), code.eq(codes[turn]), pending[turn].eq(0)),
            If(last, turn.eq(turn + 1), If(turn == sources - 1, turn.eq(0))),
            *[
                If(sink.valid & sink.ready, pending[n].eq(1), codes[n].eq(sink.code))
                for n, sink in enumerate(self.sinks)
            ],
        ]
