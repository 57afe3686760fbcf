# SPDX-License-Identifier: BSD-2-Clause
"""pytest options and fixtures for all tests. Zephyr tests are collected only if a Zephyr source tree is available.

Without a Zephyr tree, a line at the end reports that. Tests in `tests/hil` run in an environment of their own (`make
test` runs them), and are collected there.
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
collect_ignore_glob = ["tests/hil/*"] + ([] if _HAS_TREE else ["*/test_zephyr_*.py"])


def pytest_addoption(parser):
    """Add the options of this repository's tests."""
    parser.addoption(
        "--netlist", action="store_true", help="simulate the vector unit and the accelerator after synthesis for ECP5"
    )


def pytest_configure():
    """Prepare the pytest process before the first test."""
    # Run Python's garbage collector rarely. Migen creates many small, long-lived objects. At the default rate, garbage
    # collection would take half of the tests' time.
    gc.set_threshold(100_000, 20, 100)
    # Restore Python's handler of SIGINT (Ctrl-C). If a shell runs pytest in the background, pytest ignores SIGINT.
    # Programs that a test starts would then ignore SIGINT, too, so the test could not interrupt them.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # The tests must not depend on the configuration file of the user who runs them.
    os.environ["CIPHERLANE_CONFIG"] = ""


@pytest.fixture(autouse=True, scope="module")
def designs_as_in_a_new_process():
    """Before each test file, reset the global state from which Migen makes names, as if the process were new.

    Compiled models are cached by the design's text, so this text must not depend on the test files that ran before.
    """
    DUID._DUID__next_uid = 0
    tracer.name_to_idx.clear()
    tracer.classname_to_objs.clear()


def pytest_terminal_summary(terminalreporter):
    """After the test results, list tests that were not run."""
    promises.pytest_terminal_summary(terminalreporter)
    if not _HAS_TREE:
        terminalreporter.write_line("Zephyr: its tests were not run; set ZEPHYR_BASE to a tree, or `make zephyr-setup`")


@pytest.fixture(scope="session")
def zephyr_board():
    """Build the simulated board with the Zephyr firmware, and return its folder."""
    # This import takes long, because it loads LiteX. So it is not at the top of the file.
    from gateware.flow import emulator

    return emulator.build()


@pytest.fixture(scope="session")
def zephyr_ethernet_board():
    """Build the simulated board with Ethernet and the Zephyr firmware, and return its folder."""
    from gateware.flow import emulator

    return emulator.build("eth_zephyr")


@pytest.fixture(scope="session")
def zephyr_sdram_board():
    """Build the simulated board with SDRAM and the Zephyr firmware, and return its folder."""
    from gateware.flow import emulator

    return emulator.build("sdram_zephyr")
