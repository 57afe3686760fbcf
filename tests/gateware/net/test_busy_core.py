# SPDX-License-Identifier: BSD-2-Clause
"""Test that the fast path keeps up with the full wire rate while another client also uses the AES core. The tests run
with MACsec and without it, and use 256-bit keys. The system clock is the slowest of the Ethernet boards, or of the
boards with MACsec.

Without MACsec, the MAC is the variant with a register after its padding.
"""

import pytest
from cipherlane_base.wire.layout import Suite

from tests.bench_eth.measure import Case, measure
from tests.gateware.boards import TARGETS
from tests.gateware.net import frames
from tests.gateware.net.gmii import CORE, PROTECTED_CORE, GMIIBoard
from tests.gateware.net.script import BOARD_IP, BOARD_MAC, on_wire

CLOCK_HZ = min(target.sys_clk_freq for target in TARGETS if target.configuration.ethernet)
PROTECTED_CLOCK_HZ = min(
    target.sys_clk_freq for target in TARGETS if (link := target.configuration.ethernet) and link.macsec
)


@pytest.fixture(scope="module")
def board():
    board = GMIIBoard(sys_hz=CLOCK_HZ, rival=True, padding_register=True, **CORE)
    yield board
    board.close()


@pytest.fixture(scope="module")
def protected():
    board = GMIIBoard(sys_hz=PROTECTED_CLOCK_HZ, rival=True, macsec=True, **PROTECTED_CORE)
    yield board
    board.close()


@pytest.mark.parametrize("payload", [40, 256, 1472])
def test_line_rate(board, payload):
    measured = measure(board, Case(payload=payload, sessions=2, key_bits=256, clock_hz=CLOCK_HZ), CORE)
    assert not measured["dropped"]
    assert measured["share"] > 0.995


@pytest.mark.parametrize("payload", [40, 256, 1440])
def test_line_rate_through_macsec(protected, payload):
    case = Case(payload=payload, sessions=2, key_bits=256, clock_hz=PROTECTED_CLOCK_HZ, suite=Suite.GCM_AES_256)
    measured = measure(protected, case, PROTECTED_CORE)
    assert not measured["dropped"]
    assert measured["share"] > 0.995


def test_a_frame_that_is_padded(board):
    """The answer to an ARP request is padded and has a correct check sequence. The parser checks the check sequence."""
    mac, ip = 0x02_00_00_00_02_00, 0xC0A8_0110
    question = frames.ethernet(frames.BROADCAST, mac, frames.ARP, frames.arp(1, mac, ip, 0, BOARD_IP))
    answer = frames.ethernet(mac, BOARD_MAC, frames.ARP, frames.arp(2, BOARD_MAC, BOARD_IP, mac, ip))
    board.reset()
    assert [sent.frame for sent in board.exchange(on_wire(question), drain=4000)] == [answer]
