# SPDX-License-Identifier: BSD-2-Clause
"""The bus master of the DMA: reads and writes 128-bit words in bursts, on one Wishbone port.

::

    read job ──► address, beats ─► reads ─► capture ─► FIFO ─► source
    sink ─► FIFO ─► writes                                                 one port, a burst at a time
    write job ─► address ─┘      └─► done, with the result

The port is Wishbone with incrementing bursts (CTI 0b010, the last access 0b111), 128 bits, addressed in words of 16
bytes. A slave that ignores CTI sees classic accesses back to back. Reads and writes take turns when there is room and
data, and a burst never waits for either. A burst has at most `burst_beats` accesses. Then `cyc` falls for at least one
cycle, so another master gets its turn after `burst_beats` + 1 cycles. This assumes a memory that answers a read after
two cycles and then every cycle.

Throughput on such a memory, with n beats a burst: 2 * n + 3 cycles for n reads and n writes.

If the bus answers a read with an error, or not within `timeout_cycles`, the job makes no more accesses. This beat and
the job's remaining beats leave `source` with `failed`. After such a write, the job's remaining beats are dropped. In
both cases the job ends in its turn, with its error, and the next jobs continue. `abort` drops every job after the
access under way.

With `parts`, a job may consist of several parts, each with an address of its own; `final` marks the last part. An error
in one part also ends the parts after it. Such a job may have parts to write without any part to read (`reads`).
"""

from litex.soc.interconnect import stream, wishbone
from migen import FSM, If, Module, Mux, NextState, ResetInserter, Signal

from ..aes.standard import BLOCK_BITS, BLOCK_BYTES
from ..memory import BlockRAMFIFO
from .errors import ERROR_BITS, Error

ADDRESS_BITS = 28  # of a block
BEATS_BITS = 29
JOBS = 4
READ_JOB_LAYOUT = [("address", ADDRESS_BITS), ("beats", BEATS_BITS)]
WRITE_JOB_LAYOUT = [("address", ADDRESS_BITS), ("moves", 1), ("error", ERROR_BITS), ("interrupt", 1)]
PARTS_READ_JOB_LAYOUT = [*READ_JOB_LAYOUT, ("final", 1)]
PARTS_WRITE_JOB_LAYOUT = [*WRITE_JOB_LAYOUT, ("final", 1), ("reads", 1)]


class BurstMaster(Module):
    """Executes jobs that read or write consecutive words of memory. Read jobs keep their order, and so do write jobs.

    Parameters
    ----------
    burst_beats : int
        Longest burst. Each FIFO holds two bursts.
    timeout_cycles : int
        Longest time that an access may take, waiting for the bus included.
    parts : bool
        Jobs may have several parts: `read_job` has `final` too, and `write_job` has `final` and `reads`.

    Attributes
    ----------
    bus : wishbone.Interface
        128-bit master.
    read_job : stream.Endpoint, address(28), beats(29), in
        Block address and number of beats, at least 1.
    source : stream.Endpoint, data(128), failed, out
        Beats read; `last` marks the last beat of a job.
    write_job : stream.Endpoint, address(28), moves, error(4), interrupt, in
        Block address; beats are taken from `sink` up to `last`. Without `moves` there is nothing to read or write: the
        job ends with `error` when its turn comes.
    sink : stream.Endpoint, data(128), sel(16), empty, in
        Beats to write; an `empty` beat has a `sel` of 0.
    done, done_error, done_interrupt : Signal(), Signal(4), Signal(), out
        Pulse: a write job has ended, and so has the read job of the same number; the first error of either;
        `interrupt` of the write job.
    done_moves : Signal(), out
        With `done`, only with `parts`: the job was one that moves.
    abort : Signal(), in
        Pulse: drop every job.
    aborting, flush : Signal(), out
        High from `abort` to the end of the access under way; pulse at that time, which drops everything.
    """

    def __init__(self, *, burst_beats: int, timeout_cycles: int, parts: bool = False):
        if burst_beats < 2 or timeout_cycles < 2:
            raise ValueError(f"burst_beats is {burst_beats} and timeout_cycles {timeout_cycles}; give at least 2")
        self.bus = bus = wishbone.Interface(data_width=BLOCK_BITS, address_width=32, addressing="word", bursting=True)
        self.read_job = stream.Endpoint(PARTS_READ_JOB_LAYOUT if parts else READ_JOB_LAYOUT)
        self.source = stream.Endpoint([("data", BLOCK_BITS), ("failed", 1)])
        self.write_job = stream.Endpoint(PARTS_WRITE_JOB_LAYOUT if parts else WRITE_JOB_LAYOUT)
        self.sink = stream.Endpoint([("data", BLOCK_BITS), ("sel", BLOCK_BYTES), ("empty", 1)])
        self.done = Signal()
        self.done_error = Signal(ERROR_BITS)
        self.done_interrupt = Signal()
        self.abort = Signal()
        self.aborting = Signal()
        self.flush = Signal()

        # # #

        depth = 2 * burst_beats
        reset = ResetInserter()
        self.submodules.read_fifo = read_fifo = reset(BlockRAMFIFO(self.source.description, depth))
        self.submodules.write_fifo = write_fifo = reset(BlockRAMFIFO(self.sink.description, depth))
        self.submodules.read_results = read_results = reset(stream.SyncFIFO([("error", ERROR_BITS)], 2 * JOBS))
        self.comb += [
            self.sink.connect(write_fifo.sink),
            read_fifo.source.connect(self.source),
            *[fifo.reset.eq(self.flush) for fifo in (read_fifo, write_fifo, read_results)],
        ]

        # Bus accesses, which the FSM below starts. `ended`: the access ends in this cycle. `failure`: the error with
        # which the access ends.
        reading, writing = Signal(), Signal()
        ended, failure = Signal(), Signal(ERROR_BITS)
        timer = Signal(max=timeout_cycles + 1)
        # maximum number of accesses that can follow the present access in the same burst
        room = Signal(max=burst_beats)
        read_address, write_address = Signal(ADDRESS_BITS), Signal(ADDRESS_BITS)
        head = write_fifo.source
        last_access = Signal()
        self.comb += [
            bus.cyc.eq(reading | writing),
            bus.stb.eq(bus.cyc),
            bus.we.eq(writing),
            bus.adr.eq(Mux(writing, write_address, read_address)),
            bus.dat_w.eq(head.data),
            bus.sel.eq(Mux(writing, head.sel, 2**BLOCK_BYTES - 1)),
            bus.cti.eq(Mux(last_access, wishbone.CTI_BURST_END, wishbone.CTI_BURST_INCREMENTING)),
            ended.eq(bus.cyc & (bus.ack | bus.err | (timer == 0))),
            If(bus.err, failure.eq(Error.BUS_ERROR)).Elif(~bus.ack, failure.eq(Error.BUS_TIMEOUT)),
        ]
        self.sync += [
            timer.eq(timeout_cycles),
            If(bus.cyc & ~ended, timer.eq(timer - 1)),
        ]

        # The present read job.
        read_active, read_error = Signal(), Signal(ERROR_BITS)
        # number of beats after the present beat, minus one. A negative number marks the last beat.
        read_rest = Signal((BEATS_BITS + 1, True))
        # 1: a beat arrives from the bus. After an error, invalid beats replace the job's remaining beats.
        read_beat = Signal()
        read_ends = read_beat & read_rest[-1]  # 1: this beat ends the read job
        new_read = read_error.eq(Error.NONE)
        if parts:
            read_final = Signal(reset=1)
            read_ends = read_ends & read_final
            new_read = If(read_final, new_read)
            self.sync += [
                If(self.read_job.valid & self.read_job.ready, read_final.eq(self.read_job.final)),
                If(self.flush, read_final.eq(1)),
            ]
        self.comb += [
            self.read_job.ready.eq(~read_active),
            read_results.sink.valid.eq(read_ends),
            read_results.sink.error.eq(Mux(reading, failure, read_error)),
        ]
        capture = read_fifo.sink
        self.sync += [
            If(
                ~read_active,
                read_active.eq(self.read_job.valid & ~self.aborting),
                new_read,
                read_address.eq(self.read_job.address),
                read_rest.eq(self.read_job.beats - 2),
            ),
            If(
                read_beat,
                read_address.eq(read_address + 1),
                read_rest.eq(read_rest - 1),
                If(read_rest[-1], read_active.eq(0)),
                If(reading, read_error.eq(failure)),
            ),
            capture.valid.eq(read_beat),
            capture.last.eq(read_rest[-1]),
            capture.data.eq(bus.dat_r),
            capture.failed.eq(~reading | (failure != Error.NONE)),
        ]

        # The present write job. A write job always arrives before its first beat enters the FIFO.
        write_active, write_error, write_interrupt = Signal(), Signal(ERROR_BITS), Signal()
        write_beat = Signal()  # 1: a beat leaves the FIFO; it is written to the bus, or dropped
        whole = Signal(max=depth + 1)  # number of write jobs for which the last beat is in the FIFO
        take = Signal()
        write_ends = write_beat & head.last  # 1: this beat ends the write job
        reads_end = write_ends
        new_write = write_error.eq(Error.NONE)
        # 1: no write has failed, so the descriptor gets the result of the reads
        no_error = write_error == Error.NONE
        if parts:
            write_final, write_reads = Signal(reset=1), Signal()
            self.done_moves = Signal()
            write_ends = write_ends & write_final
            reads_end = write_ends & write_reads
            new_write = If(write_final, new_write)
            no_error = no_error & write_reads
            self.sync += [
                self.done_moves.eq(write_active),
                If(take, write_final.eq(self.write_job.final), write_reads.eq(self.write_job.reads)),
                If(self.flush, write_final.eq(1)),
            ]
        self.comb += [
            take.eq(~write_active & self.write_job.valid & ~self.aborting),
            self.write_job.ready.eq(take),
            head.ready.eq(write_beat),
            read_results.source.ready.eq(reads_end),
        ]
        self.sync += [
            self.done.eq((take & ~self.write_job.moves) | write_ends),
            self.done_error.eq(self.write_job.error),
            self.done_interrupt.eq(self.write_job.interrupt),
            If(
                take,
                write_active.eq(self.write_job.moves),
                new_write,
                write_address.eq(self.write_job.address),
                write_interrupt.eq(self.write_job.interrupt),
            ),
            If(
                write_beat,
                write_address.eq(write_address + 1),
                If(writing & (write_error == Error.NONE), write_error.eq(failure)),
                If(head.last, write_active.eq(0)),
            ),
            If(
                write_active,
                self.done_interrupt.eq(write_interrupt),
                self.done_error.eq(write_error),
                If(no_error, self.done_error.eq(read_results.source.error)),
                If(writing & (failure != Error.NONE), self.done_error.eq(failure)),
            ),
            whole.eq(
                whole
                + (write_fifo.sink.valid & write_fifo.sink.ready & write_fifo.sink.last)
                - (write_beat & head.last)
            ),
        ]

        # Sequence.
        can_read, can_write = Signal(), Signal()
        write_next = Signal()  # 1: the last burst was a read, so a write goes before another read
        dropped = Signal()
        self.submodules.fsm = fsm = FSM(reset_state="CHOOSE")
        self.comb += [
            # The beat in register `capture` is not in the FIFO yet. So the FIFO needs room for a burst and one more
            # beat.
            can_read.eq(read_active & (read_fifo.level < burst_beats)),
            can_write.eq(write_active & head.valid & ((write_fifo.level >= burst_beats) | (whole != 0))),
            dropped.eq(head.empty | (write_error != Error.NONE)),
            reading.eq(fsm.ongoing("READ")),
            writing.eq(fsm.ongoing("WRITE")),
        ]
        self.sync += [
            If(self.abort, self.aborting.eq(1)),
            If(bus.cyc & ended, room.eq(room - 1)),
            If(fsm.ongoing("CHOOSE"), room.eq(burst_beats - 1)),
            If(read_beat, write_next.eq(1)),
            If(write_beat, write_next.eq(0)),
            If(self.flush, *[s.eq(0) for s in (self.aborting, read_active, write_active, whole, capture.valid)]),
        ]
        fsm.act(  # the state CHOOSE waits until there are beats to write, or room in the FIFO for a burst of reads
            "CHOOSE",
            If(
                self.aborting,
                NextState("FLUSH"),
            )
            .Elif(
                can_write & (write_next | ~can_read),
                If(dropped, write_beat.eq(1)).Else(NextState("WRITE")),
            )
            .Elif(
                can_read,
                If(read_error != Error.NONE, read_beat.eq(1)).Else(NextState("READ")),
            ),
        )
        fsm.act(  # the state READ waits for the bus, at most `timeout_cycles` cycles for each access
            "READ",
            last_access.eq(read_rest[-1] | (room == 0)),
            read_beat.eq(ended),
            If(ended & (last_access | self.aborting | (failure != Error.NONE)), NextState("CHOOSE")),
        )
        fsm.act(  # the state WRITE waits for the bus, at most `timeout_cycles` cycles for each access
            "WRITE",
            last_access.eq(head.last | (room == 0) | ~write_fifo.follows),
            write_beat.eq(ended),
            If(ended & (last_access | self.aborting | (failure != Error.NONE)), NextState("CHOOSE")),
        )
        fsm.act(  # the state FLUSH takes one cycle: it drops all jobs and beats
            "FLUSH",
            self.flush.eq(1),
            NextState("CHOOSE"),
        )
