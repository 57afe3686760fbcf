# SPDX-License-Identifier: BSD-2-Clause
"""Tests that the board can be made ready, matches the environment file, and computes the standards' test vectors."""

import pytest
from cipherlane_base.wire.layout import Mode, RecordType

REQUESTS = 16
NAME_BYTES = 16  # maximum bytes of the board's name in a record; a longer name is cut


def test_comes_into_service(serving):
    """The board must be powered, contain the right FPGA, load the bitstream, and answer. A simulated board must start
    and answer.
    """
    assert serving.status.name == "serving"


def test_identity(board, identity, expected):
    assert (identity.kind, identity.board) == (expected("kind"), expected("target")[:NAME_BYTES])
    assert identity.clock_hz == expected("clock_hz")
    assert {engine.name.lower() for engine in identity.engines_of("aes")} == set(expected("engines"))
    assert sorted(board.transports) == sorted(expected("transports"))
    assert (identity.kind == "sim") == board.simulated, "a figure's kind is what the board is"


def test_build(serving, identity):
    """The board must report the build id of the build that was loaded or started. If this id is unknown, any build id
    is accepted.
    """
    assert identity.build_id, "no build flow has made it"
    assert serving.build_id in (None, identity.build_id)


@pytest.mark.from_memory
def test_known_answers(device, engine):
    """Run the self-test with the vectors of FIPS-197 and SP 800-38A on the board itself."""
    reply = device.request(RecordType.SELFTEST, timeout=device.link.pace.first, engine=engine, mode=Mode.CTR)
    assert reply.tests > 0
    assert reply.failed == 0


def test_link_is_clean(device):
    """The link must neither lose nor damage records."""
    before = device.counters(attempts=1)
    for _ in range(REQUESTS):
        after = device.counters(attempts=1)
    assert after["received"] - before["received"] == REQUESTS
    assert not any(after[name] - before[name] for name in ("framing_errors", "crc_errors", "length_errors")), after
