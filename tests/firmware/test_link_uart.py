# SPDX-License-Identifier: BSD-2-Clause
"""Test the UART link with the record service, over a line that loses, repeats, swaps and damages frames."""

import random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.firmware import records as r

KEY, IV, TOKEN, MAX_DATA = bytes(range(16)), bytes(range(16, 32)), 42, 256
COUNTER_NAMES = ["received", "framing_errors", "crc_errors", "length_errors", "rejected", "sessions_opened"]


def oracle(data):
    return Cipher(algorithms.AES(KEY), modes.CTR(IV)).encryptor().update(data)


def ask(core, record, **how) -> r.Reply:
    (reply,) = r.unframe(core.uart(r.frame(record), **how))
    return r.parse(reply)


def counters(core) -> dict:
    return dict(zip(COUNTER_NAMES, r.COUNTERS_REPLY.unpack(ask(core, r.record(r.COUNTERS)).data), strict=True))


@pytest.fixture
def board(core):
    assert core.start(max_data=MAX_DATA) == 0
    return core


def open_session(core) -> int:
    reply = ask(core, r.record(r.OPEN_TYPE, r.open_data(KEY, IV), token=TOKEN))
    assert reply.type == r.OPEN_TYPE | r.REPLY
    return reply.session


def data_frames(session, data):
    return [
        r.frame(r.record(r.DATA, data[i : i + MAX_DATA], session=session, offset=i, token=TOKEN))
        for i in range(0, len(data), MAX_DATA)
    ]


def collect(replies, into):
    """Copy the data of each reply to its offset in the buffer `into`; return the set of offsets."""
    answered = set()
    for reply in map(r.parse, replies):
        assert reply.type == r.DATA | r.REPLY
        into[reply.offset : reply.offset + len(reply.data)] = reply.data
        answered.add(reply.offset)
    return answered


@pytest.mark.parametrize("chunk", [1, 7, 16, 300, 1 << 20])
def test_window_of_records_however_the_bytes_arrive(board, chunk):
    data = random.Random(chunk).randbytes(5000)
    session = open_session(board)
    result = bytearray(len(data))
    replies = r.unframe(board.uart(b"".join(data_frames(session, data)), chunk=chunk))
    assert len(collect(replies, result)) == 20
    assert bytes(result) == oracle(data)


def test_damaged_line_loses_records_and_never_gives_wrong_data(board):
    """The line loses, repeats, swaps, cuts and damages frames. The host must still get all data, and no wrong data.

    Records without an answer are sent again, within the window.
    """
    rng = random.Random(8)
    data = rng.randbytes(40 * MAX_DATA + 9)
    session = open_session(board)
    frames = data_frames(session, data)
    result, missing, rounds = bytearray(len(data)), set(range(len(frames))), 0
    while missing:
        rounds += 1
        assert rounds < 30
        stream = []
        window = [i for i in sorted(missing) if i < min(missing) + r.WINDOW]
        for i in rng.sample(window, len(window)):
            frame = bytearray(frames[i])
            fate = rng.choice(["good", "good", "lost", "twice", "cut", "wrong", "noise", "joined"])
            if fate == "cut":
                del frame[rng.randrange(len(frame) - 1) : -1]
            elif fate == "wrong":
                frame[rng.randrange(len(frame))] ^= 1 << rng.randrange(8)
            elif fate == "noise":
                frame = rng.randbytes(20) + b"\0" + frame
            elif fate == "joined":
                del frame[-1]
            stream += [frame] * {"lost": 0, "twice": 2}.get(fate, 1)
        replies = r.unframe(board.uart(b"".join(stream) + b"\0"))
        missing -= {offset // MAX_DATA for offset in collect(replies, result)}
    assert bytes(result) == oracle(data)
    seen = counters(board)
    assert seen["crc_errors"] > 0
    assert seen["framing_errors"] > 0
    assert seen["rejected"] == 0


def test_bad_frames_are_counted_by_cause_and_not_answered(board):
    good = r.record(r.INFO)
    wrong_crc = r.cobs(good + b"\x01\x02\x03\x04") + b"\0"
    short = r.frame(good[:23])
    empty_crc = r.frame(b"")
    truncated = r.cobs(good)[:-1] + b"\0"
    oversized = r.frame(r.record(r.DATA, b"\x55" * (MAX_DATA + 1)))
    wrong_length = r.frame(r.record(r.INFO, length=1))
    for frame in (wrong_crc, short, empty_crc, truncated, oversized, wrong_length):
        assert board.uart(frame) == b""
    seen = counters(board)
    assert seen["crc_errors"] == 1
    assert seen["framing_errors"] == 4
    assert seen["length_errors"] == 1
    assert seen["received"] == 1  # the record `counters` itself


def test_record_after_noise_without_a_delimiter_needs_one(board):
    assert board.uart(b"\x30noise" + r.frame(r.record(r.INFO))) == b""
    assert ask(board, r.record(r.INFO)).type == r.INFO | r.REPLY
    assert board.uart(b"\0" * 5) == b""
    assert counters(board)["framing_errors"] == 1


def test_100k_random_bytes(board):
    rng = random.Random(12)
    session = open_session(board)
    noise = rng.randbytes(100_000)
    assert r.unframe(board.uart(noise, chunk=64)) == []
    board.uart(b"\0")
    seen = counters(board)
    assert seen["framing_errors"] + seen["crc_errors"] > 300
    assert seen["rejected"] == 0
    data = rng.randbytes(100)
    record = r.record(r.DATA, data, session=session, token=TOKEN)
    assert ask(board, record).data == oracle(data)
    assert ask(board, record).data == oracle(data)


def test_random_records_in_good_frames(board):
    """Send frames with random contents and a right CRC. The replies must be well formed, and the open session must stay
    usable.
    """
    rng = random.Random(13)
    session = open_session(board)
    for _ in range(3000):
        record = bytearray(rng.randbytes(rng.choice([24, 24, 36, 60, 80, rng.randrange(280)])))
        if len(record) >= 24 and rng.random() < 0.9:
            record[0] = r.VERSION
            record[1] = rng.choice([1, 2, 3, 4, 5, 7, 9, rng.randrange(256)])
            record[2:4] = (len(record) - 24).to_bytes(2, "little")
            # Skip benchmarks, which take long, and resets, which end the session.
            if record[1] in (r.BENCH_TYPE, r.RESET):
                continue
        for reply in r.unframe(board.uart(r.frame(bytes(record)))):
            r.parse(reply)
    data = rng.randbytes(77)
    assert ask(board, r.record(r.DATA, data, session=session, token=TOKEN)).data == oracle(data)
