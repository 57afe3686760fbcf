# SPDX-License-Identifier: BSD-2-Clause
"""Runs Zephyr's sample echo server on the simulated board with Ethernet: TCP over IPv4, echo requests over IPv6.

For these, the driver does not offer checksums, so the net stack makes and checks them. The host's kernel checks the
answers.
"""

import re
import sys

import pytest

from gateware.flow import twister, zephyr
from tests.end_to_end.zephyr_network import TIMEOUT_S, inside, running_application
from tests.gateware.support import ROOT

# These tests run only in the thorough suite, because they need a firmware image of their own. In this image, Zephyr's
# network stack computes all checksums, because our Ethernet driver supports no checksums for IPv6 or TCP.
pytestmark = [pytest.mark.simboard, pytest.mark.thorough]

PORT = 4242  # the server's port
ADDRESS = "2001:db8::1"
SETTINGS = (
    "CONFIG_MINIMAL_LIBC=y",  # use Zephyr's own C library, because Debian's compiler includes no newlib
    "CONFIG_MAIN_STACK_SIZE=2048",
    'CONFIG_NET_CONFIG_MY_IPV4_ADDR="192.168.1.50"',
    "CONFIG_NET_IPV6=y",
    "CONFIG_NET_CONFIG_NEED_IPV6=y",
    f'CONFIG_NET_CONFIG_MY_IPV6_ADDR="{ADDRESS}"',
    "CONFIG_NET_TCP_ISN_RFC6528=n",  # do not draw random initial sequence numbers, because this needs mbed TLS
)

TCP = """
import random, socket, sys, threading
address, port, timeout, seed = sys.argv[1], *map(int, sys.argv[2:5])
rng = random.Random(seed)
for size in map(int, sys.argv[5:]):
    data = rng.randbytes(size)
    with socket.create_connection((address, port), timeout) as connection:
        sender = threading.Thread(target=connection.sendall, args=[data], daemon=True)
        sender.start()
        echo = b""
        while len(echo) < size and (part := connection.recv(4096)):
            echo += part
    assert echo == data, (size, len(echo))
    print(size, flush=True)
"""

# PING: a program that sends and receives on a raw socket. For raw sockets, the host's kernel computes and checks the
# checksums of ICMPv6 (RFC 3542, 3.1).
PING = """
import os, socket, struct, sys
address, timeout = sys.argv[1], int(sys.argv[2])
with socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6) as raw:
    raw.settimeout(timeout)
    for number, size in enumerate((0, 1, 57, 400, 1232)):
        rest = struct.pack(">HH", 7, number) + os.urandom(size)
        raw.sendto(struct.pack(">BBH", 128, 0, 0) + rest, (address, 0))
        while (reply := raw.recv(2048))[:1] != b"\\x81" or reply[4:8] != rest[:4]:
            pass
        assert reply[4:] == rest, size
        print(size, flush=True)
"""


@pytest.fixture(scope="module")
def echo(zephyr_ethernet_board, tmp_path_factory):
    """Yield a running simulated board with Zephyr's sample echo server."""
    base = zephyr.require_base()
    source = base / "samples" / "net" / "sockets" / "echo"
    output = ROOT / "build" / "tests" / "zephyr" / "sockets_echo"
    settings = (*SETTINGS, *twister.clock_variables(base, [source]))
    image = zephyr.compile_application(source, output, zephyr_ethernet_board.name, settings)
    folder = tmp_path_factory.mktemp("echo")
    addresses = [(ADDRESS, "2001:db8::2")]
    with running_application(folder, zephyr_ethernet_board, image, "waits for a connection", addresses) as board:
        yield board


def test_tcp(echo):
    """Send streams of different lengths (even, odd, short, long) over TCP. The server must return the same bytes. The
    server sends the bytes in pieces of 128 bytes.
    """
    sizes = ["1", "127", "1460", "1461", "3001", "100000"]
    assert inside(echo, [sys.executable, "-I", "-c", TCP], echo.ip_address, PORT, TIMEOUT_S, 1, *sizes).split() == sizes
    assert len(re.findall(r"Connection #\d+ from 192\.168\.1\.", echo.output())) == len(sizes)


def test_ping_over_ipv6(echo):
    shown = inside(echo, [sys.executable, "-I", "-c", PING], ADDRESS, TIMEOUT_S)
    assert shown.split() == ["0", "1", "57", "400", "1232"]
