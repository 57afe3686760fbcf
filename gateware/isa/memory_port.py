# SPDX-License-Identifier: BSD-2-Clause
"""The vector unit's own memory port. It loads and stores whole blocks while other instructions execute.

::

    request ──► queue (addresses, data, kind) ──► read ──► result register ──► write, or back to the unit
                                                   └── Wishbone, 128 bits, classic ──┘

A request carries the value of its state register at issue. A load takes the block from memory. An exclusive-or load
takes the XOR of block and register. A store takes the register's value. The result of a store, or of a member of a
group, goes to memory. The result of a load waits in `result` until the unit has a free write cycle. Requests are
carried out in order.

An address is refused if it is not a multiple of 16 or not wholly inside the memory. Then nothing is accessed, and a
load leaves its register unchanged. The first fault stays in `fault_address` and `fault_code` until it is cleared. A bus
error is reported in the same way. A group ends at its first fault, and its later members are dropped. Nothing waits for
ever, because the memory at the port always answers.

Byte order: byte ``i`` of a block is at address + i. Throughput: a store takes one cycle of the port, a load two, a
block of a group three. Latency of a load: 4 cycles from issue to the register, on an idle port.
"""

from litex.soc.interconnect import stream, wishbone
from migen import Cat, Constant, If, Module, Mux, Signal

from ..aes.transforms import masked
from .instructions import STATE_REGISTERS

FAULT_NONE = 0
FAULT_UNALIGNED = 1
FAULT_ADDRESS = 2
FAULT_BUS = 3

QUEUE_DEPTH = STATE_REGISTERS  # a group
KIND_LAYOUT = [("load", 1), ("store", 1), ("exclusive_or", 1), ("register", 3)]
REQUEST_LAYOUT = [("address", 32), ("destination", 32), ("data", 128), *KIND_LAYOUT]


class VectorMemoryPort(Module):
    """Executes the vector unit's loads and stores of 128-bit blocks.

    Parameters
    ----------
    origin, size : int
        The memory that may be accessed, in bytes; the size a power of two, the origin a multiple of it.

    Attributes
    ----------
    bus : wishbone.Interface
        128-bit master, word addressing.
    request : stream.Endpoint
        In: ``load`` and ``store``, both for a member of a group; ``address`` (32, bytes); ``destination`` (32, bytes)
        for a member of a group; ``data`` (128), added to the block that is loaded if ``exclusive_or``, which a store
        sets; ``register`` (3).
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
        In: clears the fault.

    Raises
    ------
    ValueError
        The size is not a power of two of at least 32, or the origin not a multiple of it.
    """

    def __init__(self, *, origin: int, size: int):
        if size < 32 or size & (size - 1) or origin % size:
            raise ValueError(f"memory of {size} bytes at {origin:#x}: the size must be a power of two that divides it")
        self.bus = bus = wishbone.Interface(data_width=128, address_width=32, addressing="word")
        self.request = request = stream.Endpoint(REQUEST_LAYOUT)
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

        # Addresses are checked before they enter the queue. The field `block` is the address to read, or the address
        # that a fault reports. `written` is the offset of the block to write from the start of the memory. If only the
        # write address of a group is invalid, `block` contains the write address, so that the fault reports it.
        size_bits = size.bit_length() - 1
        checked = [("block", 28), ("unaligned", 1), ("outside", 1), ("written", size_bits - 4), ("data", 128)]
        self.submodules.queue = queue = stream.SyncFIFO([*checked, *KIND_LAYOUT], QUEUE_DEPTH)
        head = queue.source

        def unaligned(address):
            return address[:4] != 0

        def outside(address):
            return address[size_bits:] != origin >> size_bits

        reported = Signal(32)
        group = request.load & request.store
        bad_destination = Signal()
        self.comb += [
            bad_destination.eq(group & (unaligned(request.destination) | outside(request.destination))),
            If(
                bad_destination & ~unaligned(request.address) & ~outside(request.address),
                reported.eq(request.destination),
            ).Else(reported.eq(request.address)),
            request.connect(queue.sink, omit={"address", "destination"}),
            queue.sink.block.eq(reported[4:]),
            queue.sink.unaligned.eq(unaligned(reported)),
            queue.sink.outside.eq(outside(reported)),
            queue.sink.written.eq(Mux(group, request.destination[4:size_bits], request.address[4:size_bits])),
        ]

        # A load reads a block from memory into the result register. A store copies the block of a state register into
        # the result register. Then the port writes this block to memory before it reads another block.
        result_store = Signal()  # 1 if the block in the result register is to be written to memory
        result_group = Signal()
        result_written = Signal(size_bits - 4)
        result_block = Cat(result_written, Constant(origin >> size_bits, 32 - size_bits))
        holds = Signal()
        storing = Signal()
        result_free = Signal()
        refused = Signal()
        broken = Signal()  # 1 if a request of the current group has failed
        reading = Signal()
        head_group = head.load & head.store
        self.comb += [
            self.result_valid.eq(holds & ~result_store),
            storing.eq(holds & result_store),
            result_free.eq(~holds | Mux(result_store, bus.ack | bus.err, self.result_ready)),
            refused.eq(head.unaligned | head.outside | (broken & head_group)),
            reading.eq(head.valid & head.load & ~refused & ~storing & (~holds | self.result_ready)),
            bus.cyc.eq(storing | reading),
            bus.stb.eq(bus.cyc),
            bus.we.eq(storing),
            bus.adr.eq(Mux(storing, result_block, head.block)),
            bus.sel.eq(0xFFFF),
            bus.dat_w.eq(self.result_data),
            If(refused, head.ready.eq(~storing))
            .Elif(head.load, head.ready.eq(reading & (bus.ack | bus.err)))
            .Else(head.ready.eq(result_free)),
            self.idle.eq(~head.valid & ~holds),
            self.full.eq(queue.level >= QUEUE_DEPTH - 1),
        ]

        # Result.
        head_failed = Signal()
        self.comb += [
            head_failed.eq(head.valid & ~storing & (refused | (reading & bus.err))),
            self.dropped.eq(head_failed & ~head.store),
            self.dropped_register.eq(head.register),
        ]
        self.sync += [
            If(result_free, holds.eq(head.valid & head.ready & ~head_failed)),
            # The result register is loaded whenever it is free; its value is valid only while `holds` is 1.
            If(
                result_free,
                result_store.eq(head.store),
                result_group.eq(head_group),
                result_written.eq(head.written),
                self.result_register.eq(head.register),
                self.result_data.eq(masked(head.load, bus.dat_r) ^ masked(head.exclusive_or, head.data)),
            ),
        ]

        # Only the first fault is recorded. After a fault in a group, `broken` stays 1 until the port is idle, and the
        # port refuses the group's further requests. A group begins only while the port is idle.
        store_failed = storing & bus.err
        failed = head_failed | store_failed
        self.sync += [
            If(self.clear_fault, self.fault_code.eq(FAULT_NONE), self.fault_address.eq(0)),
            If(
                failed & (self.fault_code == FAULT_NONE),
                self.fault_code.eq(
                    Mux(
                        storing | ~(head.unaligned | head.outside),
                        FAULT_BUS,
                        Mux(head.unaligned, FAULT_UNALIGNED, FAULT_ADDRESS),
                    )
                ),
                self.fault_address.eq(bus.adr),
            ),
            broken.eq(~self.idle & (broken | (store_failed & result_group) | (head_failed & head_group))),
        ]

    @property
    def status(self):
        """The first fault: the upper 28 bits of its address in bits 31:4, and its code in bits 3:0."""
        return Cat(self.fault_code, self.fault_address)
