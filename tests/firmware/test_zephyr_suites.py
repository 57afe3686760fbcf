"""The Zephyr module's own test suites on the simulated board."""

import re

import pytest

from tests.firmware.zephyr_board import run_suite, scenarios

pytestmark = [pytest.mark.simboard, pytest.mark.usefixtures("zephyr_board")]

SCENARIOS = scenarios()


@pytest.mark.parametrize(("name", "folder", "configuration"), SCENARIOS, ids=[name for name, *_ in SCENARIOS])
def test_suite(name, folder, configuration):
    source = (folder / "src" / "main.c").read_text()
    text = run_suite(name, folder, configuration)
    assert "PROJECT EXECUTION SUCCESSFUL" in text, text
    after_restart = text.rpartition("*** Booting")[2]
    passed = re.findall(r"^ PASS - (\w+)", after_restart, re.MULTILINE)
    assert sorted(passed) == sorted(re.findall(r"^ZTEST\(\w+, (\w+)\)", source, re.MULTILINE)), text
