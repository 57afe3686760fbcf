# SPDX-License-Identifier: BSD-2-Clause
"""Tests UDP ports without an answer, closed or silent: the error, the number of waits, and the advice."""

import json
import re
import socket

import pytest
from cipherlane.clock import Clock
from cipherlane.errors import PortError
from cipherlane.link.device import Device
from cipherlane.transport.udp import UdpTransport

from .commands import command, one_line_error, words_of


def closed_port():
    """Return the URL of a UDP port at which nothing listens."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return f"udp://127.0.0.1:{probe.getsockname()[1]}"


class Counted(Clock):
    """The machine's own clock. `waits` lists the time limit of each wait, in seconds."""

    def __init__(self):
        self.waits = []

    def readable(self, connection, seconds):
        self.waits.append(seconds)
        return super().readable(connection, seconds)


def test_a_closed_port_is_told_after_one_wait(monkeypatch):
    """The host must report a closed UDP port with the status of a port error, after a single wait of at most 0.5 s."""
    clock = Counted()
    transport = UdpTransport(closed_port(), clock=clock)
    with pytest.raises(PortError, match=r"nothing listens at UDP port \d+ of 127\.0\.0\.1, .*: check the address"):
        Device(transport).connect()
    assert len(clock.waits) == 1 and clock.waits[0] <= 0.5


@pytest.mark.parametrize("words", [("info",), ("doctor",), ("bench", "--link"), ("selftest",)])
def test_every_command_tells_a_closed_port(words):
    url = closed_port()
    status, stdout, stderr = command(*words, "--port", url)
    said = (stdout.decode() + stderr).replace("\n", " ")
    assert status == 3 and "nothing listens" in said and "--baud" not in said


def test_advice_on_a_silent_board_can_be_run():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        url = f"udp://127.0.0.1:{silent.getsockname()[1]}"
        status, _, stderr = command("info", "--port", url, "--timeout", "0.05")
        advised = words_of(re.search("`(.*?)`", one_line_error(stderr))[1])
        assert status == 4 and advised == ["cipherlane", "doctor", "--port", url] and "--baud" not in stderr
        status, stdout, _ = command(*advised[1:], "--timeout", "0.05", "--json")
        checks = {each["name"]: each["seen"] for each in json.loads(stdout)}
        assert status == 4 and checks["address"] == "127.0.0.1 is this machine"


def test_a_refusal_after_an_answer_ends_nothing(null_board):
    """Once the board has answered, an ICMP refusal must not end the connection, because anybody can send one."""
    transport = UdpTransport(null_board.url)
    with Device(transport) as device:
        device.info()
        assert transport._probe is None
