"""Bus-master DMA: reads a buffer in blocks, streams them through an engine, writes the results.

::

              ┌─ reads ──► FIFO ─► source ─► (engine) ─► sink ─► FIFO ─► writes ─┐
    Wishbone ─┤                                                                  ├─ Wishbone
              └──────────────────── one classic access at a time ◄───────────────┘

Wishbone classic, 128 bits, addressed in words of 16 bytes; every access is a whole block, except the
partial last one, whose `sel` has the bytes that count. Reads run ahead of writes by what the FIFOs and
the engine hold; writes go first. The bus is released between accesses.

Byte order: byte i of a block is on lane i (bits 8*i+7 : 8*i) of the bus.
Throughput: an access takes its own time and one cycle more; on a memory that acknowledges in the cycle
after `stb` a block costs 6 cycles of this port. Latency: 3 cycles from `start` to `accepted`.

Refused at the start, without an access: buffers that are not aligned to 16 bytes, not wholly inside
one of the regions, or where the destination begins inside the source (but in place is allowed).
Ended in the run: an access answered by `err` or not answered in `timeout_cycles`. In every case the
DMA comes back to idle, with `done` and its `error`.
"""

from litex.soc.interconnect import stream, wishbone
from migen import FSM, Cat, If, Module, Mux, NextState, NextValue, ResetInserter, Signal

from gateware.aes.iterative import BLOCK_BITS
from gateware.ctr.engine import BLOCK_BYTES
from gateware.ctr.errors import ERROR_BITS, Error

ADDRESS_BITS = 32
LANE_BITS = 4  # address bits within a block
COUNT_BITS = ADDRESS_BITS - LANE_BITS + 1


class BlockDMA(Module):
    """Moves a buffer through an engine.

    Parameters
    ----------
    regions : list of (origin, size)
        Where buffers may lie, in bytes; multiples of 16.
    timeout_cycles : int
        Longest time that an access may take, waiting for the bus included.
    fifo_depth : int
        Blocks that each FIFO holds; what other masters' use of the bus can be evened out with.

    Attributes
    ----------
    bus : wishbone.Interface
        The master.
    start : Signal(), in
        Begin a run; only while not `busy`. Samples the three signals that follow.
    source_address, destination_address, length : Signal(32), in
        Byte addresses, and length in bytes.
    abort : Signal(), in
        End the run after the access under way. No effect while idle.
    accepted : Signal(), out
        Pulse: the checks have passed; `blocks` is the number of blocks to come.
    blocks : Signal(29), out
        Blocks of the run, the partial one included.
    busy, done : Signal(), out
        A run is under way; pulse at its end.
    error : Signal(4), out
        How the run ended, with `done`.
    flush : Signal(), out
        Pulse at the end of each run: the engine shall drop what it holds.
    source, sink : stream.Endpoint, data(128), mask(16)
        To and from the engine.
    """

    def __init__(self, *, regions, timeout_cycles: int = 4096, fifo_depth: int = 4):
        _check_parameters(regions, timeout_cycles, fifo_depth)
        layout = [("data", BLOCK_BITS), ("mask", BLOCK_BYTES)]
        self.bus = wishbone.Interface(data_width=BLOCK_BITS, address_width=ADDRESS_BITS, addressing="word")
        self.start = Signal()
        self.source_address = Signal(ADDRESS_BITS)
        self.destination_address = Signal(ADDRESS_BITS)
        self.length = Signal(ADDRESS_BITS)
        self.abort = Signal()
        self.accepted = Signal()
        self.blocks = Signal(COUNT_BITS)
        self.busy = Signal()
        self.done = Signal()
        self.error = Signal(ERROR_BITS)
        self.flush = Signal()
        self.source = stream.Endpoint(layout)
        self.sink = stream.Endpoint(layout)

        # # #

        # FIFOs; their bit `last` marks the partial or last block.
        fifo_layout = [("data", BLOCK_BITS)]
        self.submodules.read_fifo = read_fifo = ResetInserter()(stream.SyncFIFO(fifo_layout, fifo_depth))
        self.submodules.write_fifo = write_fifo = ResetInserter()(stream.SyncFIFO(fifo_layout, fifo_depth))
        last_mask = Signal(BLOCK_BYTES)
        self.comb += [
            read_fifo.source.connect(self.source, omit={"mask"}),
            self.source.mask.eq(Mux(read_fifo.source.last, last_mask, 2**BLOCK_BYTES - 1)),
            self.sink.connect(write_fifo.sink, omit={"mask"}),
            read_fifo.sink.data.eq(self.bus.dat_r),
            read_fifo.reset.eq(self.flush),
            write_fifo.reset.eq(self.flush),
        ]

        # Addresses and counts of blocks.
        source = Signal(ADDRESS_BITS)
        destination = Signal(ADDRESS_BITS)
        length = Signal(ADDRESS_BITS)
        reads = Signal(COUNT_BITS)
        writes = Signal(COUNT_BITS)
        reading = Signal()  # reads != 0; each of the three is right from the second cycle after a change
        final_read = Signal()  # reads == 1
        writing = Signal()  # writes != 0
        self.sync += [reading.eq(reads != 0), final_read.eq(reads == 1), writing.eq(writes != 0)]
        tail = length[:LANE_BITS]
        self.comb += self.blocks.eq(length[LANE_BITS:] + (tail != 0))
        self.sync += last_mask.eq(Cat(*[(tail == 0) | (tail > i) for i in range(BLOCK_BYTES)]))

        # Checks, in two steps.
        source_end = Signal(ADDRESS_BITS + 1)
        destination_end = Signal(ADDRESS_BITS + 1)
        verdict = Signal(ERROR_BITS)
        unaligned = (source[:LANE_BITS] != 0) | (destination[:LANE_BITS] != 0)
        inside = _inside(regions, source, source_end) & _inside(regions, destination, destination_end)
        self.sync += [
            source_end.eq(source + length),
            destination_end.eq(destination + length),
            verdict.eq(Error.NONE),
            If((destination > source) & (destination < source_end), verdict.eq(Error.OVERLAP)),
            If(~inside, verdict.eq(Error.BAD_ADDRESS)),
            If(unaligned, verdict.eq(Error.UNALIGNED)),
        ]

        # Sequence.
        last_read = Signal()  # the access under way, if it is a read, is the last
        aborting = Signal()
        timer = Signal(max=timeout_cycles + 1)
        bus = self.bus
        self.submodules.fsm = fsm = FSM(reset_state="IDLE")
        self.comb += self.busy.eq(~fsm.ongoing("IDLE"))
        self.sync += [
            timer.eq(timeout_cycles),
            If(bus.stb, timer.eq(timer - 1)),
            If(self.abort, aborting.eq(1)),
            If(fsm.ongoing("IDLE"), aborting.eq(0)),
        ]

        fsm.act(  # waits for a start
            "IDLE",
            NextValue(source, self.source_address),
            NextValue(destination, self.destination_address),
            NextValue(length, self.length),
            If(self.start, NextState("ENDS")),
        )
        fsm.act(  # one cycle: the ends of the buffers and the mask of the last block
            "ENDS",
            NextState("VERDICT"),
        )
        fsm.act(  # one cycle: comparisons
            "VERDICT",
            NextValue(reads, self.blocks),
            NextValue(writes, self.blocks),
            NextState("DECIDE"),
        )
        fsm.act(  # one cycle: go on, or refuse
            "DECIDE",
            NextValue(self.error, verdict),
            If(verdict == Error.NONE, self.accepted.eq(1), NextState("CHOOSE")).Else(NextState("END")),
        )
        write = write_fifo.source
        last = Signal()
        fsm.act(  # waits for something to move: a result to write, or room for a block to read
            "CHOOSE",
            last.eq(Mux(write.valid, write.last, final_read)),
            NextValue(bus.adr, Mux(write.valid, destination[LANE_BITS:], source[LANE_BITS:])),
            NextValue(bus.dat_w, write.data),
            NextValue(bus.sel, Mux(last, last_mask, 2**BLOCK_BYTES - 1)),
            NextValue(bus.we, write.valid),
            NextValue(last_read, final_read),
            If(
                aborting,
                NextValue(self.error, Error.ABORTED),
                NextState("END"),
            )
            .Elif(
                write.valid,
                write.ready.eq(1),
                NextValue(destination[LANE_BITS:], destination[LANE_BITS:] + 1),
                NextValue(writes, writes - 1),
                NextValue(bus.cyc, 1),
                NextValue(bus.stb, 1),
                NextState("ACCESS"),
            )
            .Elif(
                reading & read_fifo.sink.ready,
                NextValue(source[LANE_BITS:], source[LANE_BITS:] + 1),
                NextValue(reads, reads - 1),
                NextValue(bus.cyc, 1),
                NextValue(bus.stb, 1),
                NextState("ACCESS"),
            )
            .Elif(~writing, NextState("END")),
        )
        fsm.act(  # waits for the answer of the bus, at most timeout_cycles
            "ACCESS",
            read_fifo.sink.valid.eq(bus.ack & ~bus.err & ~bus.we),
            read_fifo.sink.last.eq(last_read),
            If(
                bus.ack | bus.err | (timer == 0),
                NextValue(bus.cyc, 0),
                NextValue(bus.stb, 0),
                NextState("CHOOSE"),
            ),
            If(
                bus.err,
                NextValue(self.error, Error.BUS_ERROR),
                NextState("END"),
            ).Elif(
                ~bus.ack & (timer == 0),
                NextValue(self.error, Error.BUS_TIMEOUT),
                NextState("END"),
            ),
        )
        fsm.act(  # one cycle: the result
            "END",
            self.done.eq(1),
            self.flush.eq(1),
            NextState("IDLE"),
        )


def _inside(regions, begin, end):
    """Whether bytes begin to end - 1 are inside one region."""
    inside = 0
    for origin, size in regions:
        inside = inside | ((begin >= origin) & (end <= origin + size))
    return inside


def _check_parameters(regions, timeout_cycles: int, fifo_depth: int):
    if not regions:
        raise ValueError("regions is empty; give at least one (origin, size)")
    for origin, size in regions:
        if origin < 0 or size <= 0 or origin + size > 2**ADDRESS_BITS or origin % BLOCK_BYTES or size % BLOCK_BYTES:
            raise ValueError(f"region ({origin:#x}, {size:#x}) must be multiples of 16 within 32 bits")
    if timeout_cycles < 2:
        raise ValueError(f"timeout_cycles is {timeout_cycles}; give at least 2")
    if fifo_depth < 2:
        raise ValueError(f"fifo_depth is {fifo_depth}; give at least 2")
