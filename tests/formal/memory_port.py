# SPDX-License-Identifier: BSD-2-Clause
"""Makes the internal queue of the vector unit's memory port visible for proofs.

Only invariants use the queue's words, which are shown by their place in the memory. An induction from an arbitrary
state needs them.
"""

from migen import Cat, Memory, Module, Signal

from gateware.isa.memory_port import QUEUE_DEPTH, VectorMemoryPort
from tests.formal.prover import to_verilog
from tests.formal.vector_unit import MEMORY

REQUEST = ("valid", "address", "destination", "data", "load", "store", "exclusive_or", "register")
BUS_INPUTS = ("dat_r", "ack", "err")
BUS_OUTPUTS = ("cyc", "stb", "we", "adr", "sel", "dat_w")
INPUTS = ("result_ready", "clear_fault")
OUTPUTS = ("result_valid", "result_register", "result_data", "dropped", "dropped_register", "idle", "full")
OUTPUTS += ("fault_code", "fault_address")


class _Shown(Module):
    """The memory port, with each word of its internal queue as a separate signal that proofs can read."""

    def __init__(self):
        self.submodules.port = port = VectorMemoryPort(origin=MEMORY[0], size=MEMORY[1])
        fifo = port.queue.fifo
        (storage,) = (special for special in fifo._fragment.specials if isinstance(special, Memory))
        self.level, self.consume, self.produce = fifo.level, fifo_address(storage, 1), fifo_address(storage, 0)
        self.words = [Signal(storage.width, name=f"word{place}") for place in range(QUEUE_DEPTH)]
        for place, word in enumerate(self.words):
            peek = storage.get_port(async_read=True)
            self.specials += peek
            self.comb += [peek.adr.eq(place), word.eq(peek.dat_r)]
        self.produced = Signal(len(self.produce))
        self.consumed = Signal(len(self.consume))
        self.comb += Cat(self.produced, self.consumed).eq(Cat(self.produce, self.consume))


def fifo_address(storage: Memory, port: int) -> Signal:
    """Return the address signal of one port of the queue's memory: 0 is the write port, 1 is the read port."""
    return storage.ports[port].adr


def port_verilog() -> str:
    """Return Verilog: the complete module `port`, and the beginning of a module `proof` that instantiates `port`."""
    shown = _Shown()
    port = shown.port
    ports = {f"request_{name}": getattr(port.request, name) for name in REQUEST}
    ports |= {name: getattr(port.bus, name) for name in (*BUS_INPUTS, *BUS_OUTPUTS)}
    ports |= {name: getattr(port, name) for name in (*INPUTS, *OUTPUTS)}
    ports |= {"level": shown.level, "produced": shown.produced, "consumed": shown.consumed}
    ports |= {f"word{place}": word for place, word in enumerate(shown.words)}
    text = to_verilog(shown, "port", ports, clocked=True)
    inputs = {*(f"request_{name}" for name in REQUEST), *BUS_INPUTS, *INPUTS}
    pins = ", ".join(f"input [{len(ports[name]) - 1}:0] {name}" for name in sorted(inputs))
    wires = " ".join(f"wire [{len(ports[name]) - 1}:0] {name};" for name in ports if name not in inputs)
    connections = ", ".join(f".{name}({name})" for name in ports)
    instance = f"port it(.sys_clk(sys_clk), .sys_rst(1'b0), {connections});"
    return f"{text}\nmodule proof(input sys_clk, {pins});\n{wires}\n{instance}\n"
