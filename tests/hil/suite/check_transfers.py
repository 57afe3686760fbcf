# SPDX-License-Identifier: BSD-2-Clause
"""Tests transfers with each transport, engine, key length and direction. Each byte of the result must be right."""

import pytest


@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_every_byte(device, engine, key_bits, direction, streams, expected):
    size = expected("data_bytes")
    report = streams.draw(size, key_bits).transfer(device, engine, direction)
    assert report.bytes == size


@pytest.mark.parametrize("size", [1, 15, 16, 17])
def test_short_streams(device, engine, streams, size):
    streams.draw(size).transfer(device, engine)
