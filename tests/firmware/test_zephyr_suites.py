# SPDX-License-Identifier: BSD-2-Clause
"""Runs the test suites and samples of the Zephyr module on the simulated board."""

import re
import signal
import subprocess
import sys

import psutil
import pytest
from cipherlane.link.device import Device
from cipherlane.transport.serial import SerialTransport
from cipherlane.transport.simboard import SimulatedBoard
from cipherlane_base.wire.layout import Engine

from gateware.flow import emulator, zephyr
from tests.end_to_end.ethernet import running_board, transfer
from tests.firmware.zephyr_board import SAMPLES, SUITES, declared, has_modules, run_suite, scenarios
from tests.gateware.support import ROOT
from tests.waiting import HANG_S, until

pytestmark = pytest.mark.simboard


def cases(board):
    return [
        pytest.param(name, folder, tuple(scenario.get("extra_configs", ())), id=name)
        for name, folder, scenario in scenarios(SUITES, board)
    ]


@pytest.mark.usefixtures("zephyr_board")
@pytest.mark.parametrize(("name", "folder", "configuration"), cases("cipherlane_sim"))
def test_suite(name, folder, configuration):
    check(folder, configuration, run_suite(name, folder, configuration))


@pytest.mark.parametrize(("name", "folder", "configuration"), cases("cipherlane_sim_eth"))
def test_suite_with_ethernet(zephyr_ethernet_board, name, folder, configuration):
    check(folder, configuration, run_suite(name, folder, configuration, zephyr_ethernet_board, running_board))


# This test is slow, because Verilator needs a minute to build this board.
@pytest.mark.thorough
@pytest.mark.parametrize(("name", "folder", "configuration"), cases("cipherlane_sim_sdram"))
def test_suite_with_sdram(zephyr_sdram_board, name, folder, configuration):
    text = run_suite(name, folder, configuration, zephyr_sdram_board)
    check(folder, configuration, text)
    says = {"sdram_fault": "no reads: not used", "sdram_full": "DDR3, 64 KB at 0x60000000"}
    expected = says.get(folder.name, "DDR3, 32768 KB at 0x60000000")
    assert f"SDRAM: {expected}" in text.partition("*** Booting")[0]


@pytest.mark.thorough
def test_what_lies_in_memory_that_does_not_work_does_not_start(zephyr_sdram_board):
    folder, output = SUITES / "sdram_fault", ROOT / "build" / "tests" / "zephyr" / "sdram_fault_required"
    more = ("CONFIG_CIPHERLANE_SDRAM_REQUIRED=y",)
    image = zephyr.compile_application(folder, output, zephyr_sdram_board.name, more)
    with SimulatedBoard(emulator.lay_out(output, zephyr_sdram_board, image)) as board:
        until(lambda: "Halting system" in board.output(), board.output)
        text = board.output()
    assert re.search(r"4096 bytes of the application lie there: it does not start.*Halting system", text, re.DOTALL), (
        text
    )
    assert "*** Booting" not in text


def check(folder, configuration, text):
    """Check a suite's output. Every test must have run and passed, except tests in source files that the configuration
    leaves out. For example, an option such as `CONFIG_NAME_EARLY=n` leaves out `early.c`.
    """
    left_out = [path for path in (folder / "src").glob("*.c") if f"_{path.stem.upper()}=n" in "".join(configuration)]
    source = "".join(path.read_text() for path in sorted((folder / "src").glob("*.c")) if path not in left_out)
    assert "PROJECT EXECUTION SUCCESSFUL" in text, text
    after_restart = text.rpartition("*** Booting")[2]
    passed = re.findall(r"^ PASS - (\w+)", after_restart, re.MULTILINE)
    assert sorted(passed) == sorted(re.findall(r"^ZTEST\(\w+, (\w+)\)", source, re.MULTILINE)), text


def samples():
    """Yield (name of the board's fixture, folder, scenario) for each sample application. Zephyr's own samples, and the
    samples for the board with SDRAM, run only in the thorough suite.
    """
    for board, fixture in (("cipherlane_sim", "zephyr_board"), ("cipherlane_sim_sdram", "zephyr_sdram_board")):
        for name, folder, scenario in scenarios(SAMPLES, board):
            thorough = folder.name.startswith("upstream") or board != "cipherlane_sim"
            yield pytest.param(fixture, folder, scenario, id=name, marks=[pytest.mark.thorough] if thorough else [])


def test_what_is_left_out_wants_a_module():
    """These tests must run every scenario whose required Zephyr modules are installed."""
    boards = {
        SUITES: ("cipherlane_sim", "cipherlane_sim_eth", "cipherlane_sim_sdram"),
        SAMPLES: ("cipherlane_sim", "cipherlane_sim_sdram"),
    }
    for root, tried in boards.items():
        found = {name for board in tried for name, _, _ in scenarios(root, board)}
        assert found == {name for name, _, scenario in declared(root) if has_modules(scenario)}


@pytest.mark.parametrize(("fixture", "folder", "scenario"), samples())
def test_sample_by_the_command_of_west_build_run(request, fixture, folder, scenario):
    """The sample must print the output described in its `sample.yaml`. After SIGTERM, the command that runs the board
    must end, and must leave no simulator running.
    """
    request.getfixturevalue(fixture)
    lines = scenario["harness_config"]["regex"]
    extra_args = scenario.get("extra_args", "").split()
    board = scenario["platform_allow"]
    target = f"{board.removeprefix('cipherlane_')}_zephyr"
    output = ROOT / "build" / "tests" / "zephyr" / "_".join([folder.name, target, *extra_args])
    image = zephyr.compile_application(folder, output, target, tuple(extra_args))
    command = [sys.executable, "-m", "gateware.flow.emulator", board, str(image)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        text = ""
        while not re.search(lines[-1], text) and (line := process.stdout.readline()):
            text += line
        if folder.name == "records":
            with Device(SerialTransport(re.search(r"its UART at (\S+)", text).group(1))) as device:
                assert set(device.info().engines) == {Engine.ACCELERATOR}
                transfer(device, bytes(range(100)))
        (simulator,) = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGTERM)
        assert process.wait(HANG_S) == 0
    assert not simulator.is_running()
    for line in lines:
        assert re.search(line, text), text
