# SPDX-License-Identifier: BSD-2-Clause
import random
import zlib

import pytest

from tests.firmware import records


def shapes(seed):
    """Yield test data for COBS, which splits data into blocks of up to 254 bytes. Some data contain one or two runs of
    nonzero bytes, with lengths from 1 to 600 bytes. Other data are random.
    """
    rng = random.Random(seed)
    yield from (b"", b"\0", b"\0\0", b"\x01", b"\x00\x01", b"\x01\x00")
    for run in (1, 2, 253, 254, 255, 507, 508, 509, 600):
        nonzero = bytes(rng.randrange(1, 256) for _ in range(run))
        yield from (nonzero, nonzero + b"\0", b"\0" + nonzero, nonzero + b"\0" + nonzero)
    for _ in range(200):
        yield rng.randbytes(rng.randrange(700))
    for _ in range(100):
        yield bytes(rng.choice([0, 0, 1, 255]) for _ in range(rng.randrange(400)))


@pytest.mark.parametrize("piece", [1, 3, 254, 1 << 20])
def test_cobs_encodes_as_the_reference(core, piece):
    for data in shapes(piece):
        encoded = core.cobs_encode(data, piece)
        assert encoded == records.cobs(data) + b"\0"
        assert len(encoded) <= len(data) + len(data) // 254 + 2


@pytest.mark.parametrize("chunk", [1, 2, 255, 1 << 20])
def test_cobs_decodes_what_the_reference_encodes(core, chunk):
    frames = [data for data in shapes(chunk) if data]
    stream = b"\0\0" + b"".join(records.cobs(data) + b"\0" for data in frames)
    assert core.cobs_decode(stream, 1300, chunk) == frames


def test_cobs_decodes_the_longer_form_of_a_full_block(core):
    data = bytes(range(1, 255))
    assert core.cobs_decode(b"\xff" + data + b"\x01\0", 300) == [data]


def test_cobs_frame_may_fill_the_buffer_and_no_more(core):
    rng = random.Random(2)
    for capacity in (1, 16, 254, 255, 300):
        fits, beyond = rng.randbytes(capacity), rng.randbytes(capacity + 1)
        stream = b"".join(records.cobs(data) + b"\0" for data in (fits, beyond, fits))
        assert core.cobs_decode(stream, capacity) == [fits, None, fits]


def test_cobs_frame_of_any_length_stays_inside_the_buffer(core):
    stream = records.cobs(b"\x07" * 5000) + b"\0" + records.cobs(bytes(5000)) + b"\0" + records.cobs(b"ok") + b"\0"
    assert core.cobs_decode(stream, 64) == [None, None, b"ok"]


def test_cobs_truncated_frames_are_bad(core):
    encoded = records.cobs(bytes(range(1, 100)))
    for cut in range(1, len(encoded)):
        assert core.cobs_decode(encoded[:cut] + b"\0" + encoded + b"\0", 200) == [None, bytes(range(1, 100))]


def test_crc_equals_zlib(core):
    rng = random.Random(3)
    for data in (b"", b"123456789", *(bytes([i]) for i in range(256)), *(rng.randbytes(n) for n in range(1, 300))):
        assert core.crc(data) == zlib.crc32(data)
        cut = rng.randrange(len(data) + 1)
        assert core.crc(data[cut:], core.crc(data[:cut])) == zlib.crc32(data)
