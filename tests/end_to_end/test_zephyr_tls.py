# SPDX-License-Identifier: BSD-2-Clause
"""Runs the sample `tls_echo` on the simulated board with Ethernet, with OpenSSL's own programs at the other end."""

import random
import re
import shutil
import subprocess

import pytest

from gateware.flow import zephyr
from tests.end_to_end.zephyr_network import TIMEOUT_S, entered, inside, running_application
from tests.firmware.zephyr_board import SAMPLES
from tests.gateware.support import ROOT
from tests.waiting import until

# These tests run only in the thorough suite, because they need firmware images of their own.
pytestmark = [
    pytest.mark.simboard,
    pytest.mark.thorough,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="the program `openssl` is missing"),
    pytest.mark.skipif(
        zephyr.find_base() is None or not zephyr.has_module(zephyr.find_base(), "mbedtls"),
        reason="the Zephyr tree has no module mbedtls",
    ),
]

PORT = 4433
SUITE = "PSK-AES128-GCM-SHA256"
KEY = b"a sample's key.."
IDENTITY = "sample"
SECRET = ["-psk", KEY.hex(), "-psk_identity", IDENTITY, "-tls1_2", "-cipher", SUITE]
LOST_S = 3600.0  # maximum seconds to wait: the board takes minutes to repeat a lost frame
LINES = 3  # number of lines that the board sends when it is the client


def compiled(name, *settings):
    output = ROOT / "build" / "tests" / "zephyr" / name
    return zephyr.compile_application(SAMPLES / "tls_echo", output, "sim_eth_zephyr", settings)


@pytest.fixture(scope="module")
def server(zephyr_ethernet_board, tmp_path_factory):
    """Yield a running simulated board that is a TLS server."""
    folder = tmp_path_factory.mktemp("tls_server")
    with running_application(folder, zephyr_ethernet_board, compiled("tls_server"), "TLS server at") as board:
        yield board


def call(board, text):
    """Send `text` with `openssl s_client` to the server on the board; return the server's answer, which must equal
    `text`. End `s_client` after it has received as many bytes as `text` has.
    """
    command = ["openssl", "s_client", "-connect", f"{board.ip_address}:{PORT}", *SECRET, "-quiet"]
    with subprocess.Popen(
        entered(board, command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as client:
        try:
            client.stdin.write(text)
            client.stdin.flush()
            answer = client.stdout.read(len(text))
        finally:
            client.kill()
        assert answer == text, (len(answer), client.stderr.read().decode() + board.output())
    return answer


@pytest.mark.parametrize("size", [1, 2047, 2048, 5000, 20000])
def test_openssl_gets_its_bytes_back(server, size):
    text = random.Random(size).randbytes(size)
    assert call(server, text) == text


def test_the_command_of_the_page(server):
    (line,) = re.findall(r"^openssl s_client .*$", (zephyr.MODULE / "README.md").read_text(), re.M)
    command = line.split()
    assert f"{server.ip_address}:{PORT}" in command
    assert f"New, TLSv1.2, Cipher is {SUITE}" in inside(server, command, input="Q\n")


@pytest.mark.parametrize(
    "wrong", [["-psk", bytes(16).hex()], ["-psk_identity", "nobody"], ["-cipher", "PSK-AES128-CCM8"]]
)
def test_a_wrong_key_gets_no_connection(server, wrong):
    """The board must refuse a client with a wrong key, a wrong identity or another cipher suite, then serve the next
    client.
    """
    before = server.output().count("no handshake")
    command = ["openssl", "s_client", "-connect", f"{server.ip_address}:{PORT}", *SECRET, *wrong]
    done = subprocess.run(entered(server, command), input=b"Q\n", capture_output=True, timeout=TIMEOUT_S)
    assert done.returncode != 0, done.stdout
    until(lambda: server.output().count("no handshake") > before, server.output, hang_s=LOST_S)
    assert call(server, b"still there") == b"still there"


def test_the_board_calls_openssl(zephyr_ethernet_board, tmp_path_factory):
    """`openssl s_server -rev` answers each line with the line in reverse."""
    folder = tmp_path_factory.mktemp("tls_client")
    image = compiled("tls_client", 'CONFIG_SAMPLE_SERVER="192.168.1.100"')
    with running_application(folder, zephyr_ethernet_board, image, "*** Booting") as board:
        command = entered(board, ["openssl", "s_server", "-accept", str(PORT), "-nocert", "-rev", *SECRET])
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            try:
                until(lambda: "ended with status" in board.output() or process.poll() is not None, board.output)
            finally:
                process.kill()
        assert re.findall("answers: (.*\\w)", board.output()) == ["sllac draob eht"] * LINES, board.output()
        assert "ended with status 0" in board.output()
