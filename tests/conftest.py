"""Options of tests. Those on a Zephyr tree are collected where there is one; otherwise one line says so."""

import os
import signal

import pytest

from gateware.flow import zephyr

_HAS_TREE = zephyr.find_base() is not None
collect_ignore_glob = [] if _HAS_TREE else ["*/test_zephyr_*.py"]


def pytest_addoption(parser):
    parser.addoption(
        "--netlist", action="store_true", help="simulate the vector unit and the accelerator after synthesis for ECP5"
    )


def pytest_configure():
    # A shell that runs this in the background ignores SIGINT, and so would the programs that tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ["CIPHERLANE_CONFIG"] = ""  # whatever the user who runs the tests has configured


def pytest_terminal_summary(terminalreporter):
    if not _HAS_TREE:
        terminalreporter.write_line("Zephyr: its tests were not run; set ZEPHYR_BASE to a tree, or `make zephyr-setup`")


@pytest.fixture(scope="session")
def zephyr_board():
    """Folder of the simulated board with the firmware on Zephyr."""
    from tests.firmware import zephyr_board as board  # only here: it imports LiteX

    return board.build()


@pytest.fixture(scope="session")
def zephyr_ethernet_board():
    """Folder of the simulated board with Ethernet and the firmware on Zephyr."""
    from tests.firmware import zephyr_board as board

    return board.build("eth_zephyr")
