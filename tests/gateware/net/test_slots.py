# SPDX-License-Identifier: BSD-2-Clause
"""Tests the memory slots (buffers) for the CPU's Ethernet frames: frames in both directions, their checksums, and
accesses of the CPU to the same memory.
"""

import contextlib
import random
import struct

import pytest
from migen import Module

from gateware.net.link.slots import (
    DATA,
    FRAME_BYTES,
    SLOT_BYTES,
    STRANGERS_SLOTS,
    SUMS,
    UDP,
    UDP_CHECKSUM,
    FrameSlots,
)
from gateware.net.macsec.as_from_wire import AsFromWire
from gateware.soc.buffer import BufferMemory
from tests.gateware.soc.test_buffer import read, write
from tests.gateware.support import Simulation

RX_SLOTS, TX_SLOTS = 4, 2
TX = RX_SLOTS * SLOT_BYTES
GAP = 3  # cycles between received frames
# Time-out, in cycles, of the bus that connects the CPU to the Ethernet MAC's registers.
BUS_TIMEOUT = 63
# Number of 75 MHz clock cycles that a 32-bit word takes on a wire of 1 Gb/s.
WIRE = 2.4


class Board(Module):
    """Frame slots and their memory. If `behind_secy` is true, frames come from the SecY (MACsec), and first pass the
    unit that slows them down to the rate of a wire.
    """

    def __init__(self, *, behind_secy: bool = False):
        self.submodules.slots = slots = FrameSlots(rx_slots=RX_SLOTS, tx_slots=TX_SLOTS)
        self.submodules.memory = memory = BufferMemory(size=(RX_SLOTS + TX_SLOTS) * SLOT_BYTES, urgent=True)
        self.comb += [
            *[getattr(memory.urgent, name).eq(getattr(slots.port, name)) for name, _ in slots.port.layout],
            slots.word.eq(memory.urgent.word),
        ]
        self.writer, self.reader = slots.sram_writer, slots.sram_reader
        self.sink, self.source, self.narrow, self.wide = slots.sink, slots.source, memory.narrow, memory.wide
        if behind_secy:
            self.submodules.shaper = shaper = AsFromWire()
            self.comb += shaper.source.connect(slots.sink)
            self.sink = shaper.sink


@contextlib.contextmanager
def simulated(dut):
    """Simulate a board; yield the board and its simulation."""
    writer, reader = dut.writer, dut.reader
    ports = [dut.sink, dut.source, dut.narrow, dut.wide, dut.slots.with_checksum]
    ports += [register.status for register in (writer._slot, writer._length, writer._errors)]
    ports += [writer.ev.available.trigger, writer.ev.pending.re, writer.ev.pending.r]
    stations = dut.slots.stations
    ports += [stations._row.storage, stations._known.storage]
    ports += [port for csr in (stations._mac0, stations._mac1, stations._address) for port in (csr.r, csr.re)]
    ports += [
        reader._start.re,
        reader._ready.status,
        reader._level.status,
        reader._slot.storage,
        reader._length.storage,
    ]
    with Simulation(dut, *ports) as simulation:
        yield dut, simulation


@pytest.fixture(scope="module")
def board():
    with simulated(Board()) as found:
        yield found


@pytest.fixture(scope="module")
def board_behind_secy():
    with simulated(Board(behind_secy=True)) as found:
        yield found


def receive(sink, frames, *, spacing=1.0, gap=GAP, errors=()):
    """Offer frames to the slots, as the router or the SecY does. Words are at least `spacing` cycles apart. Each word
    stays valid until the slots are ready for the word.
    """
    due, cycle = 0.0, 0
    for n, frame in enumerate(frames):
        for at in range(0, len(frame), 4):
            while cycle < due:
                cycle += 1
                yield
            word, last = frame[at : at + 4], at + 4 >= len(frame)
            yield sink.valid.eq(1)
            yield sink.last.eq(last)
            yield sink.last_be.eq(1 << len(word) - 1 if last else 0)
            yield sink.error.eq(0xF if last and n in errors else 0)
            # In the last word of a frame, the bytes after the frame's end can have any value.
            yield sink.data.eq(int.from_bytes(word.ljust(4, b"\xa5"), "little"))
            yield
            cycle, due = cycle + 1, due + spacing
            while not (yield sink.ready):
                cycle += 1
                yield
            yield sink.valid.eq(0)
        due = max(due, cycle) + gap


def read_slot(bus, number, begin, size):
    """Read bytes of a slot as the CPU does. Return the bytes, and the longest wait for a word, in cycles."""
    words, longest = [], 0
    first, end = begin // 4, -(-(begin + size) // 4)
    for word in range(first, end):
        value, cycles = yield from read(bus, number * SLOT_BYTES // 4 + word)
        words.append(value)
        longest = max(longest, cycles)
    data = struct.pack(f"<{len(words)}I", *words)
    return data[begin - 4 * first :][:size], longest


def acknowledge(pending):
    yield pending.r.eq(1)
    yield pending.re.eq(1)
    yield
    yield pending.re.eq(0)
    yield


def take(dut):
    """Take the next received frame and release its slot; return the slot, length, contents and checksums."""
    while not (yield dut.writer.ev.available.trigger):
        yield
    slot = yield dut.writer._slot.status
    length = yield dut.writer._length.status
    data, _ = yield from read_slot(dut.narrow, slot, 0, min(length, FRAME_BYTES))
    sums, _ = yield from read_slot(dut.narrow, slot, SUMS, 12)
    yield from acknowledge(dut.writer.ev.pending)
    return slot, length, data, struct.unpack("<3I", sums)


def ones_complement(data):
    """Return the ones' complement sum (RFC 1071) of the data, read as little-endian 16-bit numbers. A sum of 0 is
    returned as 0xFFFF.
    """
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"<{len(data) // 2}H", data))
    return (total - 1) % 0xFFFF + 1 if total else 0xFFFF


def window_sums(frame):
    data = frame[DATA:]
    a = b = 0
    for (word,) in struct.iter_unpack("<I", data[: len(data) // 4 * 4]):
        a = (a + word) & 0xFFFF_FFFF
        b = (b + a) & 0xFFFF_FFFF
    return a, b


SIZES = [60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 90, 1506, 1511, 1512, 1513, 1514, FRAME_BYTES]


@pytest.mark.parametrize("spacing", [1.0, WIRE])
def test_received_frames_and_their_sums(board, spacing):
    dut, simulation = board
    rng = random.Random(spacing)
    frames = [rng.randbytes(size) for size in rng.sample(SIZES, len(SIZES))] + [bytes(80), b"\xff" * 1514]
    taken = []

    def sender():
        for at in range(0, len(frames), RX_SLOTS):
            yield from receive(dut.sink, frames[at : at + RX_SLOTS], spacing=spacing)
            while len(taken) < min(at + RX_SLOTS, len(frames)):
                yield

    def cpu():
        while len(taken) < len(frames):
            taken.append((yield from take(dut)))

    simulation.power_on()
    simulation.run(sender(), cpu(), max_cycles=200_000)
    for n, (frame, (slot, length, data, sums)) in enumerate(zip(frames, taken, strict=True)):
        assert (slot, length, data) == (n % RX_SLOTS, len(frame), frame)
        assert sums == (*window_sums(frame), ones_complement(frame))


def test_frames_that_do_not_stay(board):
    """Damaged frames and frames without a free slot are dropped. Only the beginning of an overlong frame is stored.
    None of these frames changes another slot, and the next frame arrives correctly.
    """
    dut, simulation = board
    rng = random.Random(3)
    damaged, long = rng.randbytes(300), rng.randbytes(FRAME_BYTES + 1)
    frames = [rng.randbytes(100 + n) for n in range(RX_SLOTS + 3)]
    seen = []

    def process():
        yield from receive(dut.sink, [damaged, frames[0], damaged, long, *frames[1:]], errors=(0, 2))
        for _ in range(RX_SLOTS):
            seen.append((yield from take(dut)))
        seen.append((yield dut.writer._errors.status))
        yield from receive(dut.sink, [frames[0]])
        seen.append((yield from take(dut)))

    simulation.power_on()
    simulation.run(process(), max_cycles=50_000)
    assert [entry[0] for entry in seen[:RX_SLOTS]] == list(range(RX_SLOTS))
    assert seen[0][1:3] == (100, frames[0])
    assert seen[1][1] > FRAME_BYTES and seen[1][2] == long[:FRAME_BYTES]
    assert [entry[2] for entry in seen[2:RX_SLOTS]] == frames[1 : RX_SLOTS - 1]
    assert seen[RX_SLOTS] == len(frames) - (RX_SLOTS - 1)
    assert seen[-1] == (0, 100, frames[0], (*window_sums(frames[0]), ones_complement(frames[0])))


PEER, ROW = bytes(range(2, 8)), 5


def learn(dut):
    """Enter the MAC address of the station `PEER` into the table of the stations that have a session."""
    stations = dut.slots.stations
    yield stations._row.storage.eq(ROW)
    for csr, part in ((stations._mac0, PEER[:2]), (stations._mac1, PEER[2:])):
        yield csr.r.eq(int.from_bytes(part, "little"))
        yield csr.re.eq(1)
        yield
        yield csr.re.eq(0)
    yield stations._known.storage.eq(1 << ROW)
    yield


def sent_by(mac, size, rng):
    return bytes(6) + mac + b"\x88\xb5" + rng.randbytes(size - 14)


@pytest.mark.parametrize("spacing", [1.0, WIRE])
@pytest.mark.parametrize("size", [20, 60, 61, 300, 1514])
def test_strangers_take_two_slots_and_a_peer_the_others(board, size, spacing):
    """Strangers are stations without a session. After their frames have filled the slots that strangers are allowed to
    use, frames of a station with a session are still received, with correct checksums.
    """
    dut, simulation = board
    rng, seen = random.Random(size), []
    flood = [sent_by(rng.randbytes(6), size, rng) for _ in range(12)]
    own = [sent_by(PEER, 100 + n, rng) for n in range(RX_SLOTS - STRANGERS_SLOTS)]

    def process():
        yield from learn(dut)
        for first in (0, 6):
            yield from receive(dut.sink, [*flood[first : first + 5], *own, flood[first + 5]], spacing=spacing)
            for _ in range(RX_SLOTS):
                seen.append((yield from take(dut)))
        yield
        seen.append((yield dut.writer._errors.status))
        seen.append((yield dut.writer.ev.available.trigger))

    simulation.power_on()
    simulation.run(process(), max_cycles=100_000)
    stayed = [*flood[:STRANGERS_SLOTS], *own, *flood[6 : 6 + STRANGERS_SLOTS], *own]
    for frame, (_, length, data, sums) in zip(stayed, seen[:-2], strict=True):
        assert (length, data, sums) == (len(frame), frame, (*window_sums(frame), ones_complement(frame)))
    assert seen[-2:] == [len(flood) - 2 * STRANGERS_SLOTS, 0]


def test_a_stranger_s_slot_is_free_again_as_soon_as_its_frame_was_taken(board):
    dut, simulation = board
    rng, seen = random.Random(1), []
    flood = [sent_by(rng.randbytes(6), 60, rng) for _ in range(6)]

    def process():
        yield from learn(dut)
        yield from receive(dut.sink, flood[:3])
        for n in range(3, 6):
            seen.append((yield from take(dut))[2])
            yield from receive(dut.sink, [flood[n]])
        for _ in range(STRANGERS_SLOTS):
            seen.append((yield from take(dut))[2])

    simulation.power_on()
    simulation.run(process(), max_cycles=100_000)
    assert seen == [flood[n] for n in (0, 1, 3, 4, 5)]


def test_while_nobody_has_a_session_strangers_take_all_slots(board):
    """Strangers are stations without a session. Before the first session opens, their frames can fill all slots. After
    that, further frames of strangers are refused until fewer than two slots contain such frames.
    """
    dut, simulation = board
    rng, seen = random.Random(2), []
    flood = [sent_by(rng.randbytes(6), 60, rng) for _ in range(RX_SLOTS + 3)]

    def process():
        yield from receive(dut.sink, flood[:RX_SLOTS])
        yield from learn(dut)
        seen.append((yield from take(dut))[2])
        yield from receive(dut.sink, [flood[RX_SLOTS]])
        for _ in range(RX_SLOTS - STRANGERS_SLOTS):
            seen.append((yield from take(dut))[2])
        yield from receive(dut.sink, flood[RX_SLOTS + 1 :])
        for _ in range(STRANGERS_SLOTS):
            seen.append((yield from take(dut))[2])
        yield
        seen.append((yield dut.writer.ev.available.trigger))

    simulation.power_on()
    simulation.run(process(), max_cycles=100_000)
    assert seen == [*flood[:RX_SLOTS], flood[RX_SLOTS + 1], 0]


def test_nothing_of_a_refused_frame_is_stored_once_its_source_is_known(board):
    """At 1 Gb/s, the hardware has read a frame's source address before the record's data arrive. If the hardware
    refuses the frame, the slot memory must contain none of these data, because they can include a key.
    """
    dut, simulation = board
    rng, seen = random.Random(4), []
    flood = [sent_by(rng.randbytes(6), 1514, rng) for _ in range(STRANGERS_SLOTS + 1)]

    def process():
        yield from learn(dut)
        yield from receive(dut.sink, flood, spacing=WIRE)
        seen.append((yield from read_slot(dut.narrow, STRANGERS_SLOTS, 0, SLOT_BYTES))[0])

    simulation.power_on()
    simulation.run(process(), max_cycles=100_000)
    assert seen[0][:32] == flood[-1][:32] and seen[0][DATA // 4 * 4 :] == bytes(SLOT_BYTES - DATA // 4 * 4)


def fill(dut, number, frame):
    """Write a frame to a transmit slot as the DMA does, in whole blocks of 16 bytes."""
    padded = frame.ljust(-(-len(frame) // 16) * 16, b"\x5a")
    for at in range(0, len(padded), 16):
        block = int.from_bytes(padded[at : at + 16], "little")
        yield from write(dut.wide, (TX + number * SLOT_BYTES + at) // 16, block, 0xFFFF)


def start(dut, number, size, checksum):
    while not (yield dut.reader._ready.status):
        yield
    yield dut.reader._slot.storage.eq(number)
    yield dut.reader._length.storage.eq(size)
    yield dut.slots.with_checksum.eq(checksum)
    yield dut.reader._start.re.eq(1)
    yield
    yield dut.reader._start.re.eq(0)
    yield dut.slots.with_checksum.eq(not checksum)
    yield


def send(source, sent, pauses, *, fill_words=0, spacing=None):
    """Receive the frames that the board transmits, with random pauses or at the wire's rate. At the wire's rate, check
    that the wire never waits for a word within a frame.
    """
    frame, level, due, begun, dry = bytearray(), 0.0, 0.0, False, 0
    while True:
        ready = pauses is None or pauses.random() < 0.6
        if spacing:
            if begun:
                due += 1
                if due >= spacing:
                    due -= spacing
                    level -= 1
                    dry += level < 0
                    level = max(level, 0)
            ready = level < 32
        yield source.ready.eq(ready)
        yield
        if (yield source.valid) and (yield source.ready):
            begun, level = True, level + 1
            frame += (yield source.data).to_bytes(4, "little")
            if (yield source.last):
                missing = 3 - ((yield source.last_be).bit_length() - 1)
                sent.append(bytes(frame[: len(frame) - missing]))
                assert dry == 0, "the wire waited within a frame"
                frame, level, due, begun = bytearray(), 0.0, 0.0, False


def with_checksum(frame):
    """Return the frame with its UDP checksum, as the hardware must send it."""
    checksum = ones_complement(frame[UDP:]) ^ 0xFFFF or 0xFFFF
    return frame[:UDP_CHECKSUM] + struct.pack("<H", checksum) + frame[UDP_CHECKSUM + 2 :]


def test_sent_frames(board):
    dut, simulation = board
    rng = random.Random(4)
    sizes = [42, 43, 60, 61, 62, 63, 64, 1506, 1511, 1512, 1513, 1514]
    frames = [(rng.randbytes(size), rng.random() < 0.7) for size in sizes * 2]
    # The checksum of the first frame below computes to 0. RFC 768 demands that it is sent as 0xFFFF.
    zero = bytes(UDP_CHECKSUM) + b"\xff\xff" + bytes(30)
    frames += [(zero, True), (bytes(70), True), (zero, False)]
    sent = []

    def cpu():
        for n, (frame, checksum) in enumerate(frames):
            while (yield dut.reader._level.status) == TX_SLOTS:
                yield
            yield from fill(dut, n % TX_SLOTS, frame)
            yield from start(dut, n % TX_SLOTS, len(frame), checksum)
        while (yield dut.reader._level.status):
            yield

    simulation.power_on()
    simulation.run(cpu(), background=[send(dut.source, sent, rng)], max_cycles=200_000)
    assert sent == [with_checksum(frame) if checksum else frame for frame, checksum in frames]
    assert sent[-3][UDP_CHECKSUM:][:2] == b"\xff\xff"


@pytest.mark.parametrize("checksum", [False, True])
@pytest.mark.parametrize(("where", "spacing"), [("board", WIRE), ("board_behind_secy", 1.0)])
def test_both_directions_at_the_wire_and_the_cpu(request, where, spacing, checksum):
    """At 75 MHz and 1 Gb/s, no word is lost, the wire never waits within a frame, and the CPU waits less than half of
    the bus time-out. Frames come from the wire or from the SecY (MACsec). The SecY is faster than the wire, because
    the SecY delivers the words of a frame without pauses.
    """
    dut, simulation = request.getfixturevalue(where)
    rng = random.Random(5)
    incoming = [rng.randbytes(1514) for _ in range(24)]
    outgoing = [rng.randbytes(1514) for _ in range(8)]
    sent, taken, waits = [], [], []

    def keep_up():
        while len(taken) < len(incoming):
            while not (yield dut.writer.ev.available.trigger):
                yield
            taken.append((yield dut.writer._length.status))
            yield from acknowledge(dut.writer.ev.pending)

    def transmit():
        for n, frame in enumerate(outgoing):
            while (yield dut.reader._level.status) == TX_SLOTS:
                yield
            yield from fill(dut, n % TX_SLOTS, frame)
            yield from start(dut, n % TX_SLOTS, len(frame), checksum)
        while (yield dut.reader._level.status):
            yield

    def cpu():
        """While frames arrive, act as the CPU. Read a word of a received frame, write the word to an unused address of
        the same slot, and read it back.
        """
        while len(taken) < len(incoming):
            number = max(len(taken) - 1, 0) % RX_SLOTS
            value, cycles = yield from read(dut.narrow, (number * SLOT_BYTES + 4 * rng.randrange(370)) // 4)
            waits.append(cycles)
            address = (SLOT_BYTES * number + 1600) // 4
            waits.append((yield from write(dut.narrow, address, value, 0xF)))
            assert (yield from read(dut.narrow, address))[0] == value

    simulation.power_on()
    simulation.run(
        receive(dut.sink, incoming, spacing=spacing, gap=12),
        keep_up(),
        transmit(),
        cpu(),
        background=[send(dut.source, sent, None, spacing=WIRE)],
        max_cycles=100_000,
    )
    assert taken == [1514] * len(incoming)
    assert sent == [with_checksum(frame) if checksum else frame for frame in outgoing]
    assert max(waits) < BUS_TIMEOUT // 2
