"""Options of tests. Those on a Zephyr tree are collected where there is one; otherwise one line says so.

Those of `tests/hil` run in an environment of their own (`make test` does it), and are collected there.
"""

import gc
import os
import signal

import pytest
from migen.fhdl import tracer
from migen.fhdl.structure import DUID

from gateware.flow import zephyr
from tests import promises
from tests.promises import pytest_runtest_logreport, pytest_sessionfinish  # noqa: F401 (hooks)

_HAS_TREE = zephyr.find_base() is not None
collect_ignore_glob = ["hil/*"] + ([] if _HAS_TREE else ["*/test_zephyr_*.py"])


def pytest_addoption(parser):
    parser.addoption(
        "--netlist", action="store_true", help="simulate the vector unit and the accelerator after synthesis for ECP5"
    )


def pytest_configure():
    gc.set_threshold(100_000, 20, 100)  # Migen's trees are many small objects, which live: looking at them costs half
    # A shell that runs this in the background ignores SIGINT, and so would the programs that tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ["CIPHERLANE_CONFIG"] = ""  # whatever the user who runs the tests has configured


@pytest.fixture(autouse=True, scope="module")
def designs_as_in_a_new_process():
    """Migen numbers and names signals, and keeps all objects that have some: each file of tests begins anew.

    So a design's text, by which its model is kept, does not depend on the files before.
    """
    DUID._DUID__next_uid = 0
    tracer.name_to_idx.clear()
    tracer.classname_to_objs.clear()


def pytest_terminal_summary(terminalreporter):
    promises.pytest_terminal_summary(terminalreporter)
    if not _HAS_TREE:
        terminalreporter.write_line("Zephyr: its tests were not run; set ZEPHYR_BASE to a tree, or `make zephyr-setup`")


@pytest.fixture(scope="session")
def zephyr_board():
    """Folder of the simulated board with the firmware on Zephyr."""
    from gateware.flow import emulator  # only here: it imports LiteX

    return emulator.build()


@pytest.fixture(scope="session")
def zephyr_ethernet_board():
    """Folder of the simulated board with Ethernet and the firmware on Zephyr."""
    from gateware.flow import emulator

    return emulator.build("eth_zephyr")


@pytest.fixture(scope="session")
def zephyr_sdram_board():
    """Folder of the simulated board with SDRAM and the firmware on Zephyr."""
    from gateware.flow import emulator

    return emulator.build("sdram_zephyr")
