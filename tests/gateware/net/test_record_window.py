# SPDX-License-Identifier: BSD-2-Clause
"""Compares the hardware's record window with the model `window_model`. The inputs are random records of several
sessions; meanwhile, the CPU reads and writes windows.
"""

import itertools
import random
from collections import Counter

import pytest

from gateware.net.records.window import DECIDE_CYCLES, INDEX_BITS, LOOKUP_CYCLES, RecordWindow
from tests.firmware.records import record_sum
from tests.gateware.net.window_model import RECORDS, Window
from tests.gateware.support import Simulation

ROWS = 4
ACCESS_CYCLES = 9


class Bench:
    def __init__(self):
        self.dut = dut = RecordWindow(rows=ROWS)
        record = [dut.begin, dut.found_row, dut.record_blocks, dut.index, dut.length, dut.outside, dut.word, dut.add]
        record += [dut.last, dut.deciding, dut.other_data, dut.mark]
        self.sim = Simulation(
            dut, *record, dut.row, dut.place, dut.read, dut.write, dut.busy, dut.given, dut.values, dut.taken
        )

    def record(self, row: int, blocks: int, index: int, data: bytes, rng, results: list, damaged: bool = False):
        """Send a record to the window as the receiver does; append the window's decision to `results`."""
        dut = self.dut
        yield [dut.found_row.eq(row), dut.record_blocks.eq(blocks), dut.index.eq(index), dut.length.eq(len(data))]
        yield dut.begin.eq(1)
        yield
        yield [dut.begin.eq(0), dut.found_row.eq(rng.randrange(ROWS)), dut.record_blocks.eq(rng.getrandbits(7))]
        for _ in range(LOOKUP_CYCLES):
            yield
        if (yield dut.outside):
            results.append("window")
            return
        for n in range(0, len(data), 4):
            word = data[n : n + 4]
            word += rng.randbytes(4 - len(word))
            while rng.random() < 0.1:
                yield dut.word.eq(rng.getrandbits(32))
                yield
            yield [dut.word.eq(int.from_bytes(word, "little")), dut.last.eq(n + 4 >= len(data)), dut.add.eq(1)]
            yield
            yield dut.add.eq(0)
        yield dut.deciding.eq(1)
        for _ in range(DECIDE_CYCLES - 1):
            yield
        yield dut.mark.eq(not damaged)
        yield
        other_data = yield dut.other_data
        results.append("damaged" if damaged else "other_data" if other_data else "answered")
        yield [dut.deciding.eq(0), dut.mark.eq(0)]
        yield

    def access(self, command, row: int, place: int, given: tuple[int, int, int] = (0, 0, 0)):
        """Read or write one entry of a window, as the CPU does. A read returns three values: whether the record has
        arrived, the sum of its data, and the first block of the window. An access without read values, such as a write,
        returns None.
        """
        dut = self.dut
        yield [dut.row.eq(row), dut.place.eq(place), command.eq(1)]
        yield [field.eq(value) for field, value in zip(dut.given.flatten(), given, strict=True)]
        yield
        yield command.eq(0)
        for _ in range(ACCESS_CYCLES):
            yield
            if (yield dut.taken):
                values = []
                for field in dut.values.flatten():
                    values.append((yield field))
                yield
                assert not (yield dut.busy)
                return tuple(values)
            if not (yield dut.busy):
                return None
        raise AssertionError("an access does not end")

    def put(self, row: int, window: Window):
        """Write all entries of a window as the CPU does."""
        for place in range(RECORDS):
            kept = window.sums.get(window.first + place)
            given = (kept is not None, kept or 0, window.first * window.record_blocks)
            yield from self.access(self.dut.write, row, place, given)

    def get(self, row: int, record_blocks: int):
        """Read all entries of a window as the CPU does; return the window."""
        sums, first = {}, 0
        for place in range(RECORDS):
            came, kept, base = yield from self.access(self.dut.read, row, place)
            first = base // record_blocks
            if came:
                sums[first + place] = kept
        return Window(record_blocks, first, sums)


@pytest.fixture(scope="module")
def simulated():
    bench = Bench()
    yield bench
    bench.sim.close()


@pytest.fixture
def bench(simulated):
    simulated.sim.reset()
    return simulated


def next_record(rng: random.Random, window: Window, sent: dict) -> tuple[int, bytes]:
    """Choose a record at random; return its first block and its data. The record can be the next one, an early or late
    one, a repetition with the same or with changed data, too long, or not aligned to a record boundary.
    """
    number = max(window.sums, default=window.first - 1)
    kind = rng.choice(("next", "next", "next", "repeat", "other", "near", "far", "before", "odd", "long"))
    if kind == "next":
        number += 1
    elif kind in ("repeat", "other") and window.sums:
        number = rng.choice(list(window.sums))
    elif kind == "far":
        number = window.first + rng.choice((63, 64, 65, 126, 127, 128, 129, rng.randrange(128)))
    elif kind == "before":
        number = max(window.first - rng.choice((1, 2, 64, 128)), 0)
    else:
        number = window.first + rng.randrange(70)
    data = rng.randbytes(rng.choice((0, 1, 3, 4, 15, 16, rng.randrange(16 * window.record_blocks + 1))))
    if kind == "long":
        data = rng.randbytes(16 * window.record_blocks + rng.randrange(1, 40))
    if kind != "other":
        data = sent.get(number, data)
    return number * window.record_blocks + (rng.randrange(1, 130) if kind == "odd" else 0), data


def random_window(rng: random.Random) -> Window:
    first = rng.choice((0, 1, 2**20 + rng.getrandbits(20)))
    came = rng.sample(range(RECORDS), rng.choice((0, 0, 10, RECORDS)))
    return Window(rng.choice((1, 1, 2, 5, 90, 127)), first, {first + n: rng.getrandbits(64) for n in came})


@pytest.mark.parametrize("seed", range(3))
def test_records_of_several_sessions(bench, seed):
    """Records of two sessions arrive in random order. At random times, the CPU reads the window of a session, and then
    writes back this window or a different one. The CPU also reads and writes windows of table rows without a session.
    """
    rng = random.Random(seed)
    wanted, results = [], []
    windows, sent = {}, {}
    paused, under_way = set(), set()
    handed_on = Counter()

    def records():
        for _ in range(1500):
            while not (rows := sorted(windows.keys() - paused)):
                yield
            row = rng.choice(rows)
            window = windows[row]
            block, data = next_record(rng, window, sent[row])
            damaged = rng.random() < 0.1
            wanted.append(window.decide(block, data, damaged))
            if wanted[-1] == "answered":
                sent[row][block // window.record_blocks] = data
            under_way.add(row)
            yield from bench.record(row, window.record_blocks, block, data, rng, results, damaged)
            under_way.clear()
            assert results == wanted
            for _ in range(rng.randrange(3)):
                yield

    def cpu():
        kept = {}
        while True:
            row = rng.randrange(ROWS)
            paused.add(row)
            while row in under_way:
                yield
            window = windows.get(row) or kept.get(row)
            if window:
                assert (yield from bench.get(row, window.record_blocks)) == window
                handed_on[row] += 1
            if not window or row >= 2 or rng.random() < 0.3:
                window, sent[row] = random_window(rng), {}
            (windows if row < 2 else kept)[row] = window
            yield from bench.put(row, window)  # the CPU writes back the window that it has read, or a random window
            paused.discard(row)
            for _ in range(rng.randrange(4000)):
                yield

    bench.sim.run(records(), background=[cpu()], max_cycles=400_000)
    counts = Counter(wanted)
    assert min(counts[each] for each in ("answered", "window", "other_data", "damaged")) > 50
    assert handed_on.keys() == set(range(ROWS))


@pytest.mark.parametrize("blocks", [1, 3, 90])
def test_the_end_of_the_index(bench, blocks):
    """The window accepts a record only if the record begins before block 2^32. The test also sends records that begin
    at later blocks, up to block 2^60 - 1, and the window must refuse these records.
    """
    rng = random.Random(blocks)
    end = -(-(2**INDEX_BITS) // blocks)
    window, results, wanted = Window(blocks, end - 64), [], []

    def run():
        yield from bench.put(1, window)
        numbers = [end - 1, end - 64, end - 65, end - 2, end]
        indices = [number * blocks for number in numbers]
        indices += [(end - 1) * blocks + 2**bit for bit in range(INDEX_BITS, 60)] + [2**60 - 1, 2**60 - blocks, 0]
        for index in indices:
            data = rng.randbytes(16)
            wanted.append(window.decide(index, data) if index < 2**INDEX_BITS else "window")
            yield from bench.record(1, blocks, index, data, rng, results)

    bench.sim.run(run(), max_cycles=10_000)
    assert results == wanted
    assert wanted.count("answered") == 3


def test_a_record_within_the_window_does_not_move_it(bench):
    """A record inside the window must not move the window. Each tested window starts at record 2^n + 10. Faulty
    hardware could make the new record the last record of the window. The window would then start below 2^n.
    """
    rng, results, bases = random.Random(6), [], []
    wanted = [2**bit + 10 for bit in range(7, INDEX_BITS)]

    def run():
        for row, base in itertools.product(range(ROWS), wanted):
            yield from bench.access(bench.dut.write, row, 0, (0, 0, base))
            yield from bench.record(row, 1, base + 5, b"data", rng, results)
            bases.append((yield from bench.access(bench.dut.read, row, 0))[2])

    bench.sim.run(run(), max_cycles=8000)
    assert results == ["answered"] * len(wanted) * ROWS
    assert bases == wanted * ROWS


def test_no_record_comes_while_record_blocks_is_0(bench):
    rng, results = random.Random(4), []

    def run():
        yield from bench.put(0, Window(1))
        for index in (0, 1, 64, 127, 2**32 - 1):
            yield from bench.record(0, 0, index, b"", rng, results)

    bench.sim.run(run(), max_cycles=5000)
    assert results == ["window"] * 5


def test_a_place_that_was_left_out_for_127_laps_is_refused(bench):
    """Record n uses entry n modulo 64 of the window. The entry stores the record's lap number, (n // 64) modulo 128. If
    an entry gets no record for 127 laps, the next lap has the stored number again. The hardware then takes the new
    record for a repetition, and refuses the record because its data differ. If an entry gets a record in each lap, the
    window accepts all these records.
    """
    rng, results = random.Random(5), []

    def run():
        yield from bench.put(0, Window(1))
        yield from bench.record(0, 1, 5, b"once", rng, results)
        for number in range(70, 64 * 128 + 5, 64):
            yield from bench.record(0, 1, number, bytes(number % 16), rng, results)
        yield from bench.record(0, 1, 64 * 128 + 5, b"other", rng, results)
        yield from bench.record(0, 1, 64 * 128 + 6, b"other", rng, results)

    bench.sim.run(run(), max_cycles=20_000)
    assert results == ["answered"] * 128 + ["other_data", "answered"]


def test_sum_of_a_record():
    """Compare `record_sum` with a sum computed by hand. The low half adds the length in bytes and the data words: 5 +
    0x04030201 + 0xff. The high half adds the values that the low half has after each data word. So the sum depends on
    the order of the words.
    """
    assert record_sum(b"\x01\x02\x03\x04\xff") == (0x0403_0206 + 0x0403_0305) << 32 | 0x0403_0305
    assert record_sum(b"") == 0
    assert len({record_sum(data) for data in (b"", b"\0", bytes(2), bytes(4), b"abcdefgh", b"efghabcd")}) == 6
