# SPDX-License-Identifier: BSD-2-Clause
"""Tests `cipherlane doctor`, which checks a board, with the simulated board: through `--port sim` and a serial port."""

import json

import pytest
from cipherlane.link import cables
from cipherlane.transport.simboard import find_board

from tests.host.commands import command
from tests.pseudo_terminal import SerialBoard

pytestmark = pytest.mark.simboard
PASSING = {"port": True, "cable": None, "board": True, "build": True, "link": True, "engines": True}


def checked(*words):
    status, stdout, stderr = command("doctor", "--json", *words)
    assert not stderr
    return status, {check["name"]: (check["passed"], check["seen"]) for check in json.loads(stdout)}


@pytest.fixture(autouse=True)
def no_cables(monkeypatch):
    monkeypatch.setattr(cables, "attached", list)  # hide this machine's cables


def test_the_board_and_its_build():
    status, checks = checked("--port", "sim", "--expect", find_board() / "gateware" / "sim.build_id")
    assert status == 0
    assert {name: passed for name, (passed, _) in checks.items() if name in PASSING} == PASSING
    assert checks["board"][1].startswith("sim, baremetal") and checks["build"][1].endswith(", as expected")
    assert checks["clock"] == (None, "a board of kind sim has no clock of its own")


def test_at_a_serial_port():
    """If the board's build id differs from the expected build id, `doctor` must still run all other checks."""
    with SerialBoard() as board:
        status, checks = checked("--port", board.port, "--expect", "0123456789abcdef-0123456789abcdef")
    assert status == 1
    assert {name: passed for name, (passed, _) in checks.items() if name in PASSING} == PASSING | {"build": False}
    assert checks["port"][1] == f"{board.port} is open"
    assert "of other gateware and firmware than 01234567" in checks["build"][1]
    assert ": flash the matching firmware, or check which board it is" in checks["build"][1]
