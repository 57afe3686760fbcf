# SPDX-License-Identifier: BSD-2-Clause
"""Test the SecY's frame buffer by itself: its memory after frames were stored, sent and dropped."""

import random

import pytest
from migen import Module, Record, run_simulation

from gateware.net.macsec.frame_sender import FrameSender
from gateware.net.macsec.frame_writer import FrameWriter
from gateware.net.macsec.row_ring import RowRing, write_layout
from tests.gateware.gcm.memories import contents, memory_of
from tests.gateware.net.macsec.bench import words

ROWS = 128


class Buffer(Module):
    """The parts that buffer received frames: writer, ring memory and sender. The test decides which frames the sender
    sends, and which it erases.
    """

    def __init__(self):
        self.submodules.writer = writer = FrameWriter(rows=ROWS, longest=1550, received=True)
        self.submodules.sender = sender = FrameSender(rows=ROWS, received=True)
        self.other = Record(write_layout(ROWS))
        self.submodules.ring = ring = RowRing(
            rows=ROWS, writes=[writer.write, self.other, sender.write], reads=[sender.reader.read]
        )
        self.memory = memory_of(ring)
        self.comb += [sender.reader.data.eq(ring.data), writer.freed.eq(sender.freed)]


def put(dut, frame: bytes, bad: bool = False):
    """Store a frame. A good frame waits at the writer until the function `job` accepts it."""
    sink = dut.writer.sink
    yield dut.writer.event.ready.eq(int(bad or len(frame) < 17))
    for data, last, last_be, error in words(frame, bad):
        yield [sink.data.eq(data), sink.last.eq(last), sink.last_be.eq(last_be), sink.error.eq(error)]
        yield sink.valid.eq(1)
        yield
        while not (yield sink.ready):
            yield
    yield sink.valid.eq(0)
    yield


def job(dut, *, erase: int, length: int | None = None):
    """Order the sender to send the stored frame. If `erase` is 1, order the sender to erase the frame instead. Return
    the numbers of the ring memory's rows that contain the frame.
    """
    frame, job = dut.writer.frame, dut.sender.job
    for _ in range(20):
        if (yield frame.valid):
            break
        yield
    else:
        raise AssertionError("no frame was stored")
    row, rows = (yield frame.row), (yield frame.rows)
    yield [job.row.eq(row), job.rows.eq(rows), job.length.eq((length or (yield frame.length)) - 12)]
    yield [job.erase.eq(erase), job.valid.eq(1), frame.ready.eq(1)]
    yield
    yield frame.ready.eq(0)
    while not (yield job.ready):
        yield
    yield job.valid.eq(0)
    yield
    return range(row, row + rows)


def take(dut):
    """Receive and return the next frame that the sender sends."""
    source, found = dut.sender.source, b""
    yield source.ready.eq(1)
    for _ in range(1000):
        yield
        if (yield source.valid):
            data = (yield source.data).to_bytes(4, "little")
            if (yield source.last):
                return found + data[: {1: 1, 2: 2, 4: 3, 8: 4}[(yield source.last_be)]]
            found += data
    raise AssertionError("no frame leaves")


def wait(cycles: int):
    for _ in range(cycles):
        yield


@pytest.mark.parametrize("busy", [False, True])
def test_a_dropped_frame_is_zeroized(busy):
    """When the buffer drops a frame, it zeroizes all rows of this frame, even while another client writes to the ring
    memory. The frame stored before the dropped frame stays intact.
    """
    rng, dut = random.Random(busy), Buffer()

    def bench():
        kept, dropped = rng.randbytes(100), rng.randbytes(777)
        yield from put(dut, kept)
        first = yield from job(dut, erase=0)
        assert (yield from take(dut)) == kept
        before = yield from contents(dut.memory)
        yield from put(dut, dropped)
        held = yield from contents(dut.memory)
        if busy:
            yield [dut.other.valid.eq(1), dut.other.row.eq(ROWS - 1)]
            yield from wait(3)
        second = yield from job(dut, erase=1)
        assert any(held[row] for row in second)
        yield from wait(5)
        yield dut.other.valid.eq(0)
        yield from wait(len(second) + 5)
        after = yield from contents(dut.memory)
        assert all(after[row] == 0 for row in second) and len(second) == 1 + 48
        assert all(after[row] == before[row] != 0 for row in first)
        assert (yield dut.sender.freed) == len(first) + len(second)

    run_simulation(dut, bench())


def test_rows_are_used_again_after_errors():
    """The buffer reuses rows after a frame with an error. A frame can wrap around from the ring's end to its start."""
    rng, dut = random.Random(2), Buffer()

    def bench():
        for n in range(20):
            yield from put(dut, rng.randbytes(rng.randrange(17, 1550)), bad=True)
            yield from wait(3)
            yield from put(dut, rng.randbytes(rng.choice([1, 5, 16])))
            yield from wait(3)
            frame = rng.randbytes(rng.randrange(17, 900))
            yield from put(dut, frame)
            yield from job(dut, erase=n % 3 == 0)
            if n % 3:
                assert (yield from take(dut)) == frame
            yield from wait(80)

    run_simulation(dut, bench())


def test_zeroization_of_all_rows():
    rng, dut = random.Random(3), Buffer()

    def bench():
        for _ in range(2):
            yield from put(dut, rng.randbytes(900))
            yield from job(dut, erase=0)
            yield from take(dut)
        assert sum(map(bool, (yield from contents(dut.memory)))) > 100
        yield [dut.writer.blocked.eq(1), dut.sender.blocked.eq(1), dut.ring.clear.eq(1)]
        yield
        yield dut.ring.clear.eq(0)
        yield from wait(ROWS + 4)
        assert not (yield dut.ring.busy)
        yield [dut.writer.blocked.eq(0), dut.sender.blocked.eq(0)]
        assert not any((yield from contents(dut.memory)))
        frame = rng.randbytes(61)
        yield from put(dut, frame)
        assert (yield from job(dut, erase=0)) == range(5)
        assert (yield from take(dut)) == frame

    run_simulation(dut, bench())
