# SPDX-License-Identifier: BSD-2-Clause
"""Checks descriptors in the order of their submission, and sends the jobs of each descriptor to the DMA's units.

::

    descriptor ─► queue ─► checks ─┬─► message          (counter blocks)
                                   ├─► read_job, gather_job
                                   └─► scatter_job, write_job

A descriptor is refused, without an access, in these cases: its counter width or slot does not exist; its slot holds no
key; a buffer is not wholly inside one region; the destination starts inside the source, after the source's first byte.
A refused descriptor takes its turn as a write job that moves nothing and ends with its error.

A descriptor waits here while the key of its slot is being written. With `ordered` it waits until all earlier
descriptors have ended. Latency: 7 cycles. Handshake: valid and ready everywhere. `flush` drops everything.
"""

from litex.soc.interconnect import stream
from migen import FSM, Cat, If, Module, Mux, NextState, NextValue, ResetInserter, Signal, bits_for

from ..aes.standard import BLOCK_BITS, BLOCK_BYTES
from ..ctr.counter import INDEX_BITS, WIDTH_BITS, WIDTHS, message_layout
from ..memory import BlockRAMFIFO
from .align import OFFSET_BITS
from .bursts import JOBS, READ_JOB_LAYOUT, WRITE_JOB_LAYOUT
from .errors import ERROR_BITS, Error

ADDRESS_BITS = 32
COUNT_BITS = ADDRESS_BITS - OFFSET_BITS + 1


SLOT_FIELD_BITS = 4
# Fields of a descriptor. Addresses are in bytes. `length` is in bits if `in_bits` is 1, otherwise in bytes.
# `CounterBlocks` gets the fields `initial`, `index`, `width` and `slot`. If `ordered` is 1, the descriptor starts only
# after all earlier descriptors have ended. If `interrupt` is 1, the descriptor requests an interrupt when it ends.
DESCRIPTOR_LAYOUT = [
    ("source", ADDRESS_BITS),
    ("destination", ADDRESS_BITS),
    ("length", ADDRESS_BITS),
    ("in_bits", 1),
    ("initial", BLOCK_BITS),
    ("index", INDEX_BITS),
    ("width", WIDTH_BITS),
    ("slot", SLOT_FIELD_BITS),
    ("interrupt", 1),
    ("ordered", 1),
]


class Dispatcher(Module):
    """Queues descriptors, checks them, and makes their jobs.

    Parameters
    ----------
    regions : list of (origin, size)
        Where buffers may lie, in bytes; multiples of 16.
    slots, queue_depth : int
        Key slots; descriptors that can wait.

    Attributes
    ----------
    descriptor : stream.Endpoint, see `DESCRIPTOR_LAYOUT`, in
    message, read_job, gather_job, scatter_job, write_job : stream.Endpoint, out
        See `CounterBlocks`, `BurstMaster`, `Gather` and `Scatter`. Each descriptor makes one write job. If it moves
        data, it also makes one of each of the others.
    key_valid, key_pending : Signal(slots), in
        Slots that hold a key; slots with a key command under way.
    done : Signal(), in
        A write job has ended.
    flush : Signal(), in
    """

    def __init__(self, *, regions, slots: int, queue_depth: int):
        check_parameters(regions, queue_depth)
        slot_bits = bits_for(slots - 1)
        self.descriptor = stream.Endpoint(DESCRIPTOR_LAYOUT)
        self.message = stream.Endpoint(message_layout(COUNT_BITS, slot_bits))
        self.read_job = stream.Endpoint(READ_JOB_LAYOUT)
        self.gather_job = stream.Endpoint([("offset", OFFSET_BITS), ("extra", 1), ("tail", OFFSET_BITS), ("bits", 3)])
        self.scatter_job = stream.Endpoint([("offset", OFFSET_BITS)])
        self.write_job = stream.Endpoint(WRITE_JOB_LAYOUT)
        self.key_valid = Signal(slots)
        self.key_pending = Signal(slots)
        self.done = Signal()
        self.flush = Signal()

        # # #

        self.submodules.queue = queue = ResetInserter()(BlockRAMFIFO(DESCRIPTOR_LAYOUT, queue_depth, paced=True))
        head = queue.source
        self.comb += [self.descriptor.connect(queue.sink), queue.reset.eq(self.flush)]

        # Lengths.
        source, destination = Signal(ADDRESS_BITS), Signal(ADDRESS_BITS)
        size = Signal(ADDRESS_BITS)  # bytes
        blocks = Signal(COUNT_BITS)
        last_place = Signal(OFFSET_BITS)
        extra = Signal()
        self.comb += last_place.eq(size[:OFFSET_BITS] - 1)
        self.sync += lengths(source, size, last_place, blocks, extra)

        # Checks, in two steps.
        source_end, destination_end = Signal(ADDRESS_BITS + 1), Signal(ADDRESS_BITS + 1)
        verdict = Signal(ERROR_BITS)
        inside = inside_of(regions, source, source_end) & inside_of(regions, destination, destination_end)
        in_flight = Signal(max=2 * JOBS + 1)
        wait, has_key = Signal(), Signal()
        here = [head.slot == n for n in range(slots)]
        self.sync += [
            source_end.eq(source + size),
            destination_end.eq(destination + size),
            verdict.eq(Error.NONE),
            If((destination > source) & (destination < source_end), verdict.eq(Error.OVERLAP)),
            If(~inside, verdict.eq(Error.BAD_ADDRESS)),
            If(head.width >= len(WIDTHS), verdict.eq(Error.WIDTH)),
        ]
        self.comb += [
            has_key.eq((Cat(*here) & self.key_valid) != 0),
            wait.eq(((Cat(*here) & self.key_pending) != 0) | (head.ordered & (in_flight != 0))),
        ]

        # All units of the DMA receive their jobs for a descriptor in the same cycle.
        outputs = [self.message, self.read_job, self.gather_job, self.scatter_job]
        moves = Signal()
        all_ready = Signal()
        give = Signal()
        error = Signal(ERROR_BITS)
        bits = Mux(head.in_bits, head.length[:3], 0)
        self.comb += [
            error.eq(Mux((verdict == Error.NONE) & ~has_key, Error.NO_KEY, verdict)),
            moves.eq((error == Error.NONE) & (blocks != 0)),
            all_ready.eq(self.write_job.ready),
            *[If(moves & ~output.ready, all_ready.eq(0)) for output in outputs],
            *[output.valid.eq(give & moves) for output in outputs],
            self.message.initial.eq(head.initial),
            self.message.index.eq(head.index),
            self.message.width.eq(head.width),
            self.message.slot.eq(head.slot),
            self.message.count.eq(blocks),
            *job_fields(self, source, destination, size, blocks, extra, bits=bits, give=give),
            self.write_job.moves.eq(moves),
            self.write_job.error.eq(error),
            self.write_job.interrupt.eq(head.interrupt),
        ]
        self.sync += [
            in_flight.eq(in_flight + (give & ~self.done) - (self.done & ~give)),
            If(self.flush, in_flight.eq(0)),
        ]

        # Sequence.
        self.submodules.fsm = fsm = ResetInserter()(FSM(reset_state="WAIT"))
        self.comb += fsm.reset.eq(self.flush)
        fsm.act(  # the state WAIT waits for a descriptor
            "WAIT",
            NextValue(source, head.source),
            NextValue(destination, head.destination),
            NextValue(size, head.length),
            If(head.in_bits, NextValue(size, head.length[3:] + (head.length[:3] != 0))),
            If(head.valid, NextState("ENDS")),
        )
        fsm.act(  # the state ENDS takes one cycle: it computes the end addresses of the buffers
            "ENDS",
            NextState("VERDICT"),
        )
        fsm.act(  # the state VERDICT takes one cycle: it checks the addresses and the counter's width
            "VERDICT",
            NextState("GIVE"),
        )
        # The state GIVE waits until all units are ready, and until no pending command changes the key of the
        # descriptor's slot. If the descriptor is `ordered`, the state also waits until all earlier descriptors have
        # ended.
        fsm.act(
            "GIVE",
            If(~wait & all_ready, give.eq(1), head.ready.eq(1), NextState("WAIT")),
        )


def lengths(source, size, last_place, blocks, extra) -> list:
    """Return Migen statements that compute `blocks` and `extra`. `blocks` is the number of blocks in a buffer. `extra`
    is 1 if the buffer has one more bus beat than blocks, otherwise 0.

    A buffer of n bytes that begins s bytes into a beat has ceil(n/16) blocks. It has one more beat than blocks if s
    plus the position of the last byte in its block is at least 16.
    """
    return [
        blocks.eq(size[OFFSET_BITS:] + (size[:OFFSET_BITS] != 0)),
        extra.eq((source[:OFFSET_BITS] + last_place) >= BLOCK_BYTES),
    ]


def job_fields(dispatcher, source, destination, size, blocks, extra, *, bits, give) -> list:
    """Return Migen statements that set addresses and sizes in a dispatcher's jobs. `give` makes the write job valid."""
    return [
        dispatcher.read_job.address.eq(source[OFFSET_BITS:]),
        dispatcher.read_job.beats.eq(blocks + extra),
        dispatcher.gather_job.offset.eq(source[:OFFSET_BITS]),
        dispatcher.gather_job.extra.eq(extra),
        dispatcher.gather_job.tail.eq(size[:OFFSET_BITS]),
        dispatcher.gather_job.bits.eq(bits),
        dispatcher.scatter_job.offset.eq(destination[:OFFSET_BITS]),
        dispatcher.write_job.valid.eq(give),
        dispatcher.write_job.address.eq(destination[OFFSET_BITS:]),
    ]


def inside_of(regions, begin, end):
    """Return an expression that is true if all bytes from `begin` to `end` - 1 are inside one region."""
    inside = 0
    for origin, size in regions:
        inside = inside | ((begin >= origin) & (end <= origin + size))
    return inside


def check_parameters(regions, queue_depth: int):
    """Raise `ValueError` unless the regions and the queue depth are valid for a dispatcher."""
    if not regions:
        raise ValueError("regions is empty; give at least one (origin, size)")
    for origin, size in regions:
        if origin < 0 or size <= 0 or origin + size > 2**ADDRESS_BITS or origin % BLOCK_BYTES or size % BLOCK_BYTES:
            raise ValueError(f"region ({origin:#x}, {size:#x}) must be multiples of 16 within 32 bits")
    if queue_depth < 2:
        raise ValueError(f"queue_depth is {queue_depth}; give at least 2")
