# SPDX-License-Identifier: BSD-2-Clause
import random

import pytest
from cipherlane.protocol import cobs

from .model import stuff, unstuff

# Examples from Wikipedia's article on COBS, which follows the paper by Cheshire and Baker.
EXAMPLES = [
    ("00", "0101"),
    ("0000", "010101"),
    ("001100", "01021101"),
    ("11220033", "0311220233"),
    ("11223344", "0511223344"),
    ("11000000", "0211010101"),
]


@pytest.mark.parametrize(("plain", "encoded"), EXAMPLES)
def test_published_examples(plain, encoded):
    assert cobs.encode(bytes.fromhex(plain)).hex() == encoded
    assert cobs.decode(bytes.fromhex(encoded)).hex() == plain


@pytest.mark.parametrize("zeros", [0.0, 0.01, 0.5, 1.0])
def test_round_trip_at_every_length(zeros):
    rng = random.Random(int(zeros * 100))
    for length in range(601):
        data = bytes(0 if rng.random() < zeros else rng.randrange(1, 256) for _ in range(length))
        encoded = cobs.encode(data)
        assert b"\0" not in encoded
        assert len(encoded) <= cobs.max_encoded_size(length)
        assert cobs.decode(encoded) == data
        assert unstuff(encoded) == data, "the model decodes ours"
        assert cobs.decode(stuff(data)) == data, "we decode the model's"


@pytest.mark.parametrize("length", [253, 254, 255, 256, 507, 508, 509, 762])
@pytest.mark.parametrize("tail", [b"", b"\0", b"\0\0", b"\1", b"\0\1"])
def test_group_boundaries(length, tail):
    data = b"\xaa" * length + tail
    assert cobs.decode(cobs.encode(data)) == data
    assert unstuff(cobs.encode(data)) == data
    assert cobs.decode(stuff(data)) == data


def test_malformed_is_refused():
    for bad in (b"\x05abc", b"\x02a\x00", b"\x00", b"\xffabc"):
        with pytest.raises(ValueError, match="frame"):
            cobs.decode(bad)
