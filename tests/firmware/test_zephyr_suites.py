"""The Zephyr module's own test suites on the simulated board."""

import re

import pytest

from tests.firmware.zephyr_board import run_suite

pytestmark = [pytest.mark.simboard, pytest.mark.usefixtures("zephyr_board")]

# Suite, variant, options for CMake, tests.
SUITES = [
    ("contexts", "wait", ("-DCONFIG_CIPHERLANE_CONTEXTS_WAIT=y",), 2),
    ("contexts", "save", ("-DCONFIG_CIPHERLANE_CONTEXTS_SAVE=y",), 2),
    ("crypto", "all", (), 10),
    ("watchdog", "all", (), 4),
]


@pytest.mark.parametrize(("suite", "variant", "options", "tests"), SUITES, ids=lambda value: str(value))
def test_suite(suite, variant, options, tests):
    text = run_suite(suite, variant, options)
    assert "PROJECT EXECUTION SUCCESSFUL" in text, text
    after_restart = text.rpartition("*** Booting")[2]
    assert len(re.findall(r"^ PASS - ", after_restart, re.MULTILINE)) == tests, text
