# SPDX-License-Identifier: BSD-2-Clause
"""Tests faults that happen in a lab: in the middle of a transfer, a cable is pulled or the power is cut."""

import pytest
from cipherlane.link.device import Device

from tests.hil.suite.transfers import Broken

TIMEOUT_S = {"sim": 10.0, "board": 2.0}  # time-out in seconds for a reply of a board that may be switched off


@pytest.fixture
def fastest(identity):
    """Return the fastest engine that works over every transport."""
    engines = [each for each in identity.engines_of("aes") if not each.traits.serves]
    return min(engines, key=lambda each: each.traits.rank)


def test_port_closed_in_mid_transfer(board, identity, transport, fastest, streams, expected):
    """The transport is closed in the middle of a transfer. The transfer must end with an error. The board must answer
    the next host, and the stream must be resumable.
    """
    stream = streams.draw(expected("broken_bytes"))
    with Device(board.open(transport)) as device:
        broken = Broken(device, fastest, stream, device.link.transport.close)
    assert broken.happened, broken.error
    with Device(board.open(transport)) as device:
        assert broken.resume(device, fastest) == stream.expected()


def test_reset_in_mid_transfer(serving, board, identity, transport, fastest, streams, expected):
    """The board restarts in the middle of a transfer. The transfer must end with an error. After the restart, the board
    must report zero opened sessions and no used range of counter blocks. It must then process a stream correctly.
    """
    if not serving.restarts:
        pytest.skip("no power switch, reset line or cable in the environment file")
    stream = streams.draw(expected("broken_bytes"))
    with Device(board.open(transport), timeout=TIMEOUT_S[identity.kind]) as device:
        broken = Broken(device, fastest, stream, serving.restart)
    assert broken.happened, broken.error
    with Device(board.open(transport)) as device:
        assert device.counters()["sessions_opened"] == 0, "it was restarted"
        assert device.info().ranges_free == device.info().ranges
        stream.transfer(device, fastest)
