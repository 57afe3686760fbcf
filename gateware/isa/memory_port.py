"""The vector unit's own memory port: loads and stores of whole blocks that run behind other instructions.

::

    request ──► queue (address, data, kind) ──► Wishbone, 128 bits, classic ──► result register ──► write back

A request carries the value of its state register at issue: a store writes it, an exclusive-or load
adds the memory's block to it. Requests are carried out in order. A load's result waits in `result` until
the unit has a free write cycle.

An address that is not a multiple of 16 or not wholly inside the memory is refused: nothing is accessed, a
load leaves its register unchanged, and the first fault stays in `fault_address` and `fault_code` until
cleared. A bus error is reported the same way. Nothing waits for ever: the memory at the port always answers.

Byte order: byte ``i`` of a block is at address + i. Throughput: a store takes one cycle of the port, a load
two. Latency of a load: 4 cycles from issue to the register, on an idle port.
"""

from litex.soc.interconnect import stream, wishbone
from migen import Cat, If, Module, Mux, Signal

FAULT_NONE = 0
FAULT_UNALIGNED = 1
FAULT_ADDRESS = 2
FAULT_BUS = 3

QUEUE_DEPTH = 4


class VectorMemoryPort(Module):
    """Executes block loads and stores.

    Parameters
    ----------
    origin, size : int
        The memory that may be accessed, in bytes; the size a power of two, the origin a multiple of it.

    Attributes
    ----------
    bus : wishbone.Interface
        128-bit master, word addressing.
    request : stream.Endpoint
        In: ``address`` (32, bytes), ``data`` (128), ``store``, ``exclusive_or``, ``register`` (3).
    result_valid, result_ready : Signal()
        Out, in: a load's value is there; the unit takes it.
    result_register, result_data : Signal(3), Signal(128)
        Out: register and value to write; stable while `result_valid`.
    dropped : Signal()
        Out: with `dropped_register`, a load was refused and its register stays as it is.
    idle : Signal()
        Out: no request is under way.
    full : Signal()
        Out: after a request in the present cycle there may be no room for another.
    fault_code, fault_address : Signal(4), Signal(28)
        Out: the first fault, 0 if none, and its address in blocks.
    clear_fault : Signal()
        In: forgets the fault.

    Raises
    ------
    ValueError
        The size is not a power of two of at least 16, or the origin not a multiple of it.
    """

    def __init__(self, *, origin: int, size: int):
        if size < 16 or size & (size - 1) or origin % size:
            raise ValueError(f"memory of {size} bytes at {origin:#x}: the size must be a power of two that divides it")
        self.bus = bus = wishbone.Interface(data_width=128, address_width=32, addressing="word")
        kind = [("store", 1), ("exclusive_or", 1), ("register", 3)]
        self.request = stream.Endpoint([("address", 32), ("data", 128), *kind])
        self.result_valid = Signal()
        self.result_ready = Signal()
        self.result_register = Signal(3)
        self.result_data = Signal(128)
        self.dropped = Signal()
        self.dropped_register = Signal(3)
        self.idle = Signal()
        self.full = Signal()
        self.fault_code = Signal(4)
        self.fault_address = Signal(28)
        self.clear_fault = Signal()

        # # #

        # The address is checked on its way into the queue.
        checked = [("block", 28), ("unaligned", 1), ("outside", 1), ("data", 128), *kind]
        self.submodules.queue = queue = stream.SyncFIFO(checked, QUEUE_DEPTH)
        head = queue.source
        size_bits = size.bit_length() - 1
        self.comb += [
            self.request.connect(queue.sink, omit={"address"}),
            queue.sink.block.eq(self.request.address[4:]),
            queue.sink.unaligned.eq(self.request.address[:4] != 0),
            queue.sink.outside.eq(self.request.address[size_bits:] != origin >> size_bits),
        ]

        # Access.
        refused = Signal()
        result_free = Signal()
        self.comb += [
            refused.eq(head.unaligned | head.outside),
            result_free.eq(~self.result_valid | self.result_ready),
            bus.cyc.eq(head.valid & ~refused & (head.store | result_free)),
            bus.stb.eq(bus.cyc),
            bus.we.eq(head.store),
            bus.adr.eq(head.block),
            bus.sel.eq(0xFFFF),
            bus.dat_w.eq(head.data),
            head.ready.eq(head.valid & (refused | bus.ack | bus.err)),
            self.idle.eq(~head.valid & ~self.result_valid),
            self.full.eq(queue.level >= QUEUE_DEPTH - 1),
        ]

        # Result of a load.
        failed = bus.err | refused
        self.comb += [
            self.dropped.eq(head.valid & head.ready & failed & ~head.store),
            self.dropped_register.eq(head.register),
        ]
        self.sync += [
            If(self.result_ready, self.result_valid.eq(0)),
            If(head.valid & head.ready & ~failed & ~head.store, self.result_valid.eq(1)),
            # Loaded whenever there is room: only with `result_valid` does it mean anything.
            If(
                result_free,
                self.result_register.eq(head.register),
                self.result_data.eq(bus.dat_r ^ Mux(head.exclusive_or, head.data, 0)),
            ),
        ]

        # The first fault stays.
        self.sync += [
            If(self.clear_fault, self.fault_code.eq(FAULT_NONE), self.fault_address.eq(0)),
            If(
                head.valid & head.ready & failed & (self.fault_code == FAULT_NONE),
                self.fault_code.eq(Mux(head.unaligned, FAULT_UNALIGNED, Mux(head.outside, FAULT_ADDRESS, FAULT_BUS))),
                self.fault_address.eq(head.block),
            ),
        ]

    @property
    def status(self):
        """Fault address (31:4) and code (3:0)."""
        return Cat(self.fault_code, self.fault_address)
