"""The simulated board with memories for Zephyr, and Zephyr's own test suites on it."""

import subprocess
import sys
import time
from pathlib import Path

from cipherlane.transport.simboard import SimulatedBoard

from gateware import boards
from gateware.soc import zephyr
from gateware.soc.firmware import REPOSITORY
from tests import rom

BOARD = boards.load("sim_zephyr")
DIRECTORY = REPOSITORY / "build" / BOARD.name
SUITES = zephyr.MODULE / "tests"
TIMEOUT_S = 300
# Where a release that has two interfaces of ztest says so.
_ZTEST_KCONFIG = "subsys/testsuite/ztest/Kconfig"


def build(name: str = BOARD.name) -> Path:
    """Builds the board of that name with the record service in its ROM; returns its folder.

    In a process of its own: LiteX's names of signals, and with them the model, depend on what it built before.
    """
    subprocess.run([sys.executable, "-m", "gateware.soc", name], cwd=REPOSITORY, check=True, timeout=1800)
    return REPOSITORY / "build" / name


def run_suite(name: str, variant: str, options: tuple[str, ...]) -> str:
    """Runs a test suite of the module on the board that `build` left.

    Parameters
    ----------
    name, variant : str
        Folder of the suite, and what its build with these options is called.
    options : tuple[str, ...]
        Options for CMake.

    Returns
    -------
    str
        What the suite printed, up to its end or for 300 s.
    """
    output = REPOSITORY / "build" / "tests" / "zephyr" / f"{name}-{variant}"
    two_interfaces = "config ZTEST_NEW_API" in (zephyr.require_base() / _ZTEST_KCONFIG).read_text()
    configuration = (SUITES / "new-ztest.conf",) if two_interfaces else ()
    image = zephyr.compile_application(SUITES / name, output, DIRECTORY / "firmware", options, configuration)
    folder = rom.lay_out(output, DIRECTORY, image)
    text = ""
    deadline = time.monotonic() + TIMEOUT_S
    with SimulatedBoard(folder) as board:
        while not ("PROJECT EXECUTION" in text and text.endswith("\n")) and time.monotonic() < deadline:
            time.sleep(0.2)
            text = board.output()
    return text
