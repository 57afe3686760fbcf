"""How often each event happened.

The counters are a small memory with one adder. Each source of events may have one every third cycle, which the
shortest frame takes many times over; the counters are modulo 2^32, count from power-on, and are never cleared.
"""

from litex.soc.interconnect import stream
from migen import Case, If, Memory, Module, Signal

from gateware.net.events import EVENT_BITS

COUNTER_BITS = 32


class EventCounters(Module):
    """Counts events.

    Parameters
    ----------
    sources : int
        Number of inputs.

    Attributes
    ----------
    sinks : list of stream.Endpoint, code(5), in
        Events, taken in the cycle of `valid`.
    select : Signal(5), in
        Counter to read.
    value : Signal(32), out
        Its value.
    """

    def __init__(self, *, sources: int):
        self.sinks = [stream.Endpoint([("code", EVENT_BITS)]) for _ in range(sources)]
        self.select = Signal(EVENT_BITS)
        self.value = Signal(COUNTER_BITS)

        # # #

        counters = Memory(COUNTER_BITS, 2**EVENT_BITS, init=[0] * 2**EVENT_BITS, name="event_counters")
        count_port = counters.get_port(write_capable=True, async_read=True)
        read_port = counters.get_port(async_read=True)
        self.specials += counters, count_port, read_port
        turn = Signal(max=max(sources, 2))
        pending = Signal(sources)
        codes = [Signal(EVENT_BITS, name=f"code{n}") for n in range(sources)]
        self.comb += [
            Case(turn, {n: [count_port.adr.eq(codes[n]), count_port.we.eq(pending[n])] for n in range(sources)}),
            count_port.dat_w.eq(count_port.dat_r + 1),
            read_port.adr.eq(self.select),
            self.value.eq(read_port.dat_r),
            *[sink.ready.eq(1) for sink in self.sinks],
        ]
        self.sync += [turn.eq(turn + 1), If(turn == sources - 1, turn.eq(0))]
        for n, sink in enumerate(self.sinks):
            self.sync += [
                If(turn == n, pending[n].eq(0)),
                If(sink.valid, pending[n].eq(1), codes[n].eq(sink.code)),
            ]
