# SPDX-License-Identifier: BSD-2-Clause
import random
import tracemalloc

from cipherlane.protocol.framing import FrameParser, frame, frame_size

from .model import from_frame, to_frame


def test_frames_agree_with_the_model():
    rng = random.Random(1)
    for length in (1, 24, 253, 254, 255, 1000, 4096):
        record = rng.randbytes(length)
        assert from_frame(frame(record)[:-1]) == record
        assert len(frame(record)) <= frame_size(length)
        assert FrameParser(4096).feed(to_frame(record)) == [record]


def test_any_split_of_the_stream_gives_the_same_records():
    rng = random.Random(2)
    records = [rng.randbytes(rng.randrange(1, 300)) for _ in range(40)]
    stream = b"".join(frame(record) + b"\0" * rng.randrange(3) for record in records)
    parser, got, at = FrameParser(300), [], 0
    while at < len(stream):
        step = rng.randrange(1, 50)
        got += parser.feed(stream[at : at + step])
        at += step
    assert got == records
    assert (parser.counters.framing_errors, parser.counters.crc_errors) == (0, 0)
    assert parser.pending == 0


def test_corruption_is_counted_and_never_delivered():
    rng = random.Random(3)
    parser = FrameParser(300)
    good = dropped = 0
    for _ in range(2000):
        record = rng.randbytes(rng.randrange(1, 300))
        raw = bytearray(frame(record))
        damage = rng.random() < 0.5
        if damage:
            at = rng.randrange(len(raw) - 1)
            raw[at] = rng.choice([value for value in range(1, 256) if value != raw[at]])
        got = parser.feed(bytes(raw))
        assert got == ([] if damage else [record])
        dropped, good = dropped + damage, good + (not damage)
    assert parser.counters.frames == good
    assert parser.counters.framing_errors + parser.counters.crc_errors == dropped
    assert parser.counters.framing_errors and parser.counters.crc_errors


def test_truncated_frame_costs_itself_and_its_neighbour_at_most():
    parser = FrameParser(300)
    first, second, third = (frame(bytes([value]) * 100) for value in (1, 2, 3))
    assert parser.feed(first[:50] + second) == []
    assert parser.feed(third) == [b"\3" * 100]


def test_random_bytes_are_survived_in_bounded_memory():
    rng = random.Random(4)
    parser = FrameParser(1000)
    tracemalloc.start()
    for _ in range(500):
        parser.feed(rng.randbytes(4096))
        parser.feed(bytes([rng.randrange(1, 256)]) * 4096)
        assert parser.pending <= frame_size(1000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 20
    assert parser.counters.frames == 0
    assert parser.counters.framing_errors > 1000
    assert parser.counters.dropped_bytes > 3_000_000
    assert parser.feed(b"\0" + frame(b"still alive")) == [b"still alive"]


def test_overlong_frame_is_dropped_whole():
    parser = FrameParser(100)
    assert parser.feed(frame(b"x" * 200) + frame(b"y" * 100)) == [b"y" * 100]
    assert parser.counters.framing_errors == 1
