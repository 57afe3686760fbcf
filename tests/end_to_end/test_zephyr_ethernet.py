# SPDX-License-Identifier: BSD-2-Clause
"""Test the host tool over Ethernet with a simulated board whose firmware runs on Zephyr and uses its network stack."""

import contextlib
import io
import random
import secrets
import socket
import subprocess
import sys

import pytest
from cipherlane.link.device import Device
from cipherlane_base.wire.layout import UDP_PORT, Engine

from tests.end_to_end.bad_wire import BadWire
from tests.end_to_end.ethernet import Host, reference, running_board, transfer, transfer_over_damage
from tests.end_to_end.test_ethernet import (
    test_a_stream_keeps_the_window_full_and_loses_nothing,
    test_every_engine,
    test_two_hosts_at_once,
)
from tests.end_to_end.test_fast_path import (
    test_sessions_of_both_paths_at_once,
    test_statistics_of_a_session,
    test_stream,
    test_what_is_not_the_session_s_is_dropped_and_counted,
)
from tests.firmware import records
from tests.waiting import until

pytestmark = pytest.mark.simboard

__all__ = [
    "test_a_stream_keeps_the_window_full_and_loses_nothing",
    "test_every_engine",
    "test_sessions_of_both_paths_at_once",
    "test_statistics_of_a_session",
    "test_stream",
    "test_two_hosts_at_once",
    "test_what_is_not_the_session_s_is_dropped_and_counted",
]


@pytest.fixture(scope="module")
def board(zephyr_ethernet_board):
    with running_board(zephyr_ethernet_board) as running:
        yield running


def test_says_that_it_is_zephyr(board):
    with Device(Host(board)) as device:
        assert device.info().firmware == "zephyr"
        assert device.selftest().failed == 0


def test_bad_wire(board):
    plan = {"lose": 0.05, "reorder": 0.2, "corrupt": 0.1}
    with BadWire(board, seed=1, **plan) as wire, Device(Host(board)) as device:
        transfer_over_damage(device, random.Random(2).randbytes(20_000))
    assert all(wire.frames[fault] > 0 for fault in plan)


def test_datagrams_that_are_no_records(board):
    rng = random.Random(3)
    with board.udp_socket() as stranger, Device(Host(board)) as device:
        before, counted = device.network(), device.counters()
        for size in (0, 1, 23, 24, 100, 1472, 1473, 4000):
            stranger.sendto(rng.randbytes(size), (board.ip_address, UDP_PORT))
        transfer(device, rng.randbytes(5_000))
        after, counters = device.network(), device.counters()
    assert counters["framing_errors"] > counted["framing_errors"]
    assert after["frames"] > before["frames"], "the board was not reset"


STAGES = ("driver_cycles", "copy_cycles", "stack_cycles", "record_cycles", "engine_cycles")
# Limits for the CPU cycles of a record. EARLY_CYCLES is the maximum for a record of 1440 bytes that bypasses Zephyr's
# network stack. STACK_CYCLES is the minimum for a record that passes through the network stack.
EARLY_CYCLES, STACK_CYCLES = 16_000, 30_000
NO_OPERATIONS = bytes((1, 1, 1, 1))

ECHO = """
import os, socket, struct, sys

def checksum(packet):
    total = sum(struct.unpack(f">{len(packet) // 2}H", packet))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF

with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as raw:
    raw.settimeout(1)
    print("up", flush=True)
    for number in range(int(sys.argv[2])):
        data = os.urandom(400)
        request = struct.pack(">BBHHH", 8, 0, 0, 7, number)
        request = struct.pack(">BBHHH", 8, 0, checksum(request + data), 7, number) + data
        raw.sendto(request, (sys.argv[1], 0))
        while True:
            try:
                reply = raw.recv(2048)[20:]
            except TimeoutError:
                raw.sendto(request, (sys.argv[1], 0))
                continue
            if reply[:1] == b"\\0" and reply[4:] == request[4:]:
                break
        print(number, flush=True)
"""


@contextlib.contextmanager
def open_stream(device, data):
    """Context manager: open a session, and yield a function that transfers `data` and returns the cycles per record."""
    key, iv = secrets.token_bytes(16), secrets.token_bytes(16)
    with device.open_session(key, iv, Engine.ACCELERATOR, length=len(data)) as session:

        def send():
            out, before = io.BytesIO(), session.network()
            records = session.transfer(io.BytesIO(data), out, length=len(data)).records
            after = session.network()
            assert out.getvalue() == reference(key, iv, data)
            return sum(after[name] - before[name] for name in STAGES) / records

        yield send


def test_a_record_does_not_pass_through_the_stack(board):
    data = random.Random(4).randbytes(1440 * 8)
    with Device(Host(board)) as device, open_stream(device, data) as send:
        assert send() < EARLY_CYCLES


def test_records_that_the_stack_brings(board):
    """Records in datagrams with IPv4 options must pass through Zephyr's network stack, even if the session was opened
    by a datagram that bypassed the stack.
    """
    data = random.Random(5).randbytes(1400 * 4)
    host = Host(board)
    with Device(host) as device, open_stream(device, data) as send:
        host.socket.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, NO_OPERATIONS)
        assert send() > STACK_CYCLES


def test_echo_between_records(board):
    """Zephyr's network stack must get time to answer echo requests between records. While a session is open, the board
    limits the CPU time for echo requests, so the host repeats an unanswered echo request.
    """
    count = 10
    inside = ["nsenter", "--target", str(board.pid), "--net", "--", sys.executable, "-I", "-c", ECHO]
    with (
        subprocess.Popen([*inside, board.ip_address, str(count)], stdout=subprocess.PIPE, text=True) as echo,
        Device(Host(board)) as device,
    ):
        assert echo.stdout.readline() == "up\n"
        transfers = 0
        while echo.poll() is None and transfers < 1000:
            transfer(device, random.Random(transfers).randbytes(10_000))
            transfers += 1
        assert echo.wait(60) == 0
        assert echo.stdout.read().split() == [str(number) for number in range(count)]
    assert transfers > 0


def test_datagrams_to_other_ports(board):
    """Datagrams to other UDP ports must go to Zephyr's network stack, even if they contain records. The record service
    must not answer them.
    """
    with board.udp_socket() as stranger, Device(Host(board)) as device:
        before = device.network()
        stranger.sendto(records.record(records.INFO), (board.ip_address, UDP_PORT + 1))
        after = until(lambda: (now := device.network())["ignored"] > before["ignored"] and now)
        stranger.setblocking(False)
        with pytest.raises((BlockingIOError, ConnectionRefusedError)):
            stranger.recv(2048)
    assert after["records"] > before["records"]
