"""The Zephyr module's own test suites on the simulated board."""

import re

import pytest

from tests.end_to_end.ethernet import running_board
from tests.firmware.zephyr_board import run_suite, scenarios

pytestmark = pytest.mark.simboard


def cases(board):
    return [pytest.param(*scenario, id=scenario[0]) for scenario in scenarios(board)]


@pytest.mark.usefixtures("zephyr_board")
@pytest.mark.parametrize(("name", "folder", "configuration"), cases("cipherlane_sim"))
def test_suite(name, folder, configuration):
    check(folder, run_suite(name, folder, configuration))


@pytest.mark.parametrize(("name", "folder", "configuration"), cases("cipherlane_sim_eth"))
def test_suite_with_ethernet(zephyr_ethernet_board, name, folder, configuration):
    check(folder, run_suite(name, folder, configuration, zephyr_ethernet_board, running_board))


def check(folder, text):
    source = (folder / "src" / "main.c").read_text()
    assert "PROJECT EXECUTION SUCCESSFUL" in text, text
    after_restart = text.rpartition("*** Booting")[2]
    passed = re.findall(r"^ PASS - (\w+)", after_restart, re.MULTILINE)
    assert sorted(passed) == sorted(re.findall(r"^ZTEST\(\w+, (\w+)\)", source, re.MULTILINE)), text
