# SPDX-License-Identifier: BSD-2-Clause
"""Tests transfers for a long time: `make hil SOAK=3600` runs them for 3600 seconds."""

import random
import time

import pytest
from cipherlane.link.device import KEY_BITS

# Maximum number of ranges of counter blocks that the board stores for the test's streams. The board stores one range
# for each of the 16 ended streams that can be resumed. Under each key, the ranges of all other streams adjoin, so the
# board merges them into one.
MOST_RANGES = 16 + len(KEY_BITS)


@pytest.mark.soak
def test_soak(device, pytestconfig, identity, transport, streams, expected):
    """Transfer streams of random length with each engine in turn.

    Every byte must be right, nothing damaged, and no restart happen.
    """
    rng = random.Random(1)
    engines = [engine for engine in identity.engines_of("aes") if transport == "udp" or not engine.traits.serves]
    end, count, total = time.monotonic() + pytestconfig.getoption("soak"), 0, 0
    free, before = device.connect().ranges_free, device.counters()
    while not count or time.monotonic() < end:
        size = rng.randrange(1, 2 * expected("data_bytes"))
        streams.draw(size, rng.choice(KEY_BITS)).transfer(device, engines[count % len(engines)])
        count, total = count + 1, total + size
    after = device.counters()
    assert after["sessions_opened"] - before["sessions_opened"] == count, "one board served all"
    assert not any(after[name] - before[name] for name in ("framing_errors", "crc_errors", "length_errors")), after
    taken = free - device.connect().ranges_free
    assert taken <= MOST_RANGES, f"{count} streams that follow each other take {taken} ranges: the board's room ends"
    print(f"{count} streams, {total} bytes over {transport}")
