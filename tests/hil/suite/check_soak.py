"""Hours of transfers: `make hil SOAK=3600`."""

import random
import time

import pytest


@pytest.mark.soak
def test_soak(device, pytestconfig, identity, transport, streams, expected):
    """Streams of random length on engines by turns; every byte right, nothing damaged, no restart in between."""
    rng = random.Random(1)
    engines = [engine for engine in identity.engines if transport == "udp" or not engine.traits.serves]
    end, count, total = time.monotonic() + pytestconfig.getoption("soak"), 0, 0
    before = device.counters()
    while not count or time.monotonic() < end:
        size = rng.randrange(1, 2 * expected("data_bytes"))
        streams.draw(size, rng.choice((128, 192, 256))).transfer(device, engines[count % len(engines)])
        count, total = count + 1, total + size
    after = device.counters()
    assert after["sessions_opened"] - before["sessions_opened"] == count, "one board served all"
    assert not any(after[name] - before[name] for name in ("framing_errors", "crc_errors", "length_errors")), after
    print(f"{count} streams, {total} bytes over {transport}")
