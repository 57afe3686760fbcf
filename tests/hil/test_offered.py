# SPDX-License-Identifier: BSD-2-Clause
"""Tests that the suite does not trust the values that a labgrid coordinator sends. A wrong process number must not make
the suite kill a process that is not a simulated board. No value must be mistaken for a command-line option.
"""

import os
import subprocess
import sys
import types

import pytest
from cipherlane.transport.simboard import SimulatedBoard
from labgrid import Target
from labgrid.resource import NetworkSerialPort
from labgrid.strategy import StrategyError

from tests.hil import board, offered, place
from tests.hil.board import UART, AttachedBoardDriver, BoardAddress
from tests.hil.offered import OfferError
from tests.hil.support import BUILD

LIMIT_S = 60
NO_HOSTS = ["-oProxyCommand=touch x", "", "a b", "a/b", "user@host", "h:1", "//h", "h\n", "-", "::1", 7, None, b"h"]
NO_NUMBERS = [0, -1, 65536, 1.5, True, "80", None]
NO_ADDRESSES = ["0.0.0.0", "255.255.255.255", "224.0.0.1", "192.168.1", "-x", "", "board", 1, None]


def exported(**values):
    """Return a simulated board whose `values` were set by a labgrid coordinator."""
    resource = types.SimpleNamespace(
        **{"host": "127.0.0.1", "extra": {}, "port": 1, "pid": 1, "address": None, **values}
    )
    return board._Exported(resource)


def serial(**values):
    """Return the driver of a serial port whose `values` were set by a labgrid coordinator."""
    target = Target("main")
    port = NetworkSerialPort(target, None, host="127.0.0.1", port=1)
    driver = AttachedBoardDriver(target, None)
    target.activate(driver)
    for name, value in values.items():
        setattr(port, name, value)
    return driver


@pytest.fixture
def victim():
    """Start a process of this user that is not a simulated board."""
    process = subprocess.Popen([sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"], stdout=-1)
    process.stdout.readline()
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.mark.parametrize("process", [-1, 0, 1, "1", 1.0, True, None, 1 << 22 | 1, 1 << 80])
def test_a_number_that_is_no_process(monkeypatch, process):
    """The suite must refuse an invalid process id before it uses the id. A signal to the id -1 goes to every process
    that this user may signal. A signal to 0 goes to the sender's process group.
    """
    called = []
    for name in ("kill", "pidfd_open"):
        monkeypatch.setattr(os, name, lambda *words: called.append(words))
    with pytest.raises(OfferError, match=r"the coordinator offers process .*, which is not a number from 2"):
        exported(pid=process).restart()
    with pytest.raises(OfferError, match="which is not a number from 2"):
        exported(pid=process, address="192.168.1.50").udp_socket()
    assert not called


def test_a_process_that_is_no_simulated_board(victim):
    with pytest.raises(OfferError, match=f"process {victim.pid}, which is not that of a simulated board"):
        exported(pid=victim.pid).restart()
    with pytest.raises(OfferError, match="not that of a simulated board"):
        exported(pid=victim.pid, address="192.168.1.50").udp_socket()
    assert victim.poll() is None, "it lives"


def test_a_simulated_board_is_ended():
    running = SimulatedBoard(BUILD / "sim")
    running.start()
    try:
        number = running.pid
        offered.end_simulator(number)
        running._process.wait(LIMIT_S)
    finally:
        running.stop()
    with pytest.raises(ProcessLookupError):
        offered.end_simulator(number)


@pytest.mark.parametrize("host", NO_HOSTS)
def test_a_host_that_is_none(monkeypatch, host):
    """An invalid host name must be refused, because the name becomes an argument of ssh."""
    monkeypatch.setattr(offered.proxymanager, "get_host_and_port", lambda resource: pytest.fail("it was used"))
    for use in (
        lambda: exported(host=host).url,
        lambda: exported(host=host).restart(),
        lambda: serial(host=host).open(UART),
        lambda: serial(extra={"proxy_required": True, "proxy": host}).open(UART),
        lambda: offered.cable(types.SimpleNamespace(host=host, busnum=1, devnum=1)),
        lambda: offered.host(host),
    ):
        with pytest.raises(OfferError, match="which is not a host name or an IPv4 address"):
            use()


@pytest.mark.parametrize("port", NO_NUMBERS)
def test_numbers_that_are_none(port):
    for use in (
        lambda: exported(port=port).url,
        lambda: serial(port=port).open(UART),
        lambda: serial(speed=port if port != 65536 else 1 << 40).open(UART),
        lambda: offered.cable(types.SimpleNamespace(busnum=port, devnum=1)),
        lambda: offered.cable(types.SimpleNamespace(busnum=1, devnum=port)),
    ):
        with pytest.raises(OfferError, match="which is not a number from 1 to"):
            use()


@pytest.mark.parametrize("address", NO_ADDRESSES)
def test_addresses_that_are_none(address):
    with pytest.raises(OfferError, match="which is not the IPv4 address of a machine"):
        offered.address(address)
    if address is not None:
        with pytest.raises(OfferError):
            exported(address=address)


def test_addresses_of_boards():
    for value in ("192.168.1.50", "192.168.1.50:20197", "board.lab", "board:1"):
        assert offered.destination(value) == value
    for value in ("192.168.1.999", "0.0.0.0", "board:0", "board:x", "board:", "a b", "-x:1", None, 7):
        target = Target("main")
        resource = BoardAddress(target, None, address="192.168.1.50")
        driver = AttachedBoardDriver(target, None)
        target.activate(driver)
        resource.address = value
        with pytest.raises(OfferError):
            driver.open(board.UDP)


@pytest.mark.parametrize("protocol", ["telnet", "", None, 1])
def test_a_protocol_that_is_none(protocol):
    with pytest.raises(OfferError, match="which is not raw or rfc2217"):
        serial(protocol=protocol).open(UART)


@pytest.mark.parametrize("token", ["-p", "--help", "a;b", "a/b", "\x1b[31m", "A" * 65])
def test_a_token_that_is_none(monkeypatch, token):
    """An invalid token must be refused, because the token becomes an argument of labgrid-client."""
    asked = []
    monkeypatch.setattr(place, "client", lambda at, *words, **_: asked.append(words) or f"export LG_TOKEN={token}")
    with pytest.raises(place.PlaceError, match="token"), place.acquired("h:1", ["board=sim"], 1.0):
        pytest.fail("it was used")
    assert asked == [("reserve", "--shell", "board=sim")]


def test_text_that_is_kept_and_shown_is_printable():
    assert offered.text("FT4\x1b[31m\u202e", "serial number") == "FT4\\x1b[31m\\u202e"
    assert offered.text("x" * 1000, "place") == "x" * 64 and offered.text(None, "place") is None
    with pytest.raises(OfferError, match="which is not text"):
        offered.text(["x"], "place")
    assert str(OfferError("host", "\x1b]0;t\x07", "one")).isprintable()


def test_a_strategy_looks_at_the_cable_before_it_uses_it(monkeypatch):
    from tests.hil.strategy import BoardStrategy

    strategy = BoardStrategy.__new__(BoardStrategy)
    used = []
    strategy.target = types.SimpleNamespace(activate=lambda driver: None)
    strategy.loader = types.SimpleNamespace(
        interface=types.SimpleNamespace(host="-oProxyCommand=x", busnum=1, devnum=1),
        detect=lambda: used.append("detect"),
        load=lambda: used.append("load"),
    )
    strategy.part, strategy.title = "LFE5UM5G-85", "board"
    with pytest.raises(StrategyError, match="host '-oProxyCommand=x', which is not a host name"), strategy._one_line():
        strategy._load()
    assert not used
