# SPDX-License-Identifier: BSD-2-Clause
"""Runs our Zephyr module's test suites on the simulated board of configuration `zephyr`."""

from pathlib import Path

import yaml
from cipherlane.transport.simboard import SimulatedBoard

from gateware import targets
from gateware.flow import emulator, zephyr
from gateware.flow.firmware import REPOSITORY
from tests.waiting import until

DIRECTORY = REPOSITORY / "build" / targets.load("sim", "zephyr").name
SUITES = zephyr.MODULE / "tests"
SAMPLES = zephyr.MODULE / "samples"
TIMEOUT_S = 600


def declared(root: Path) -> list[tuple[str, Path, dict]]:
    """Return (name, folder, fields) of each scenario in the `testcase.yaml` and `sample.yaml` of all subfolders."""
    found = []
    for file in sorted((*root.glob("*/testcase.yaml"), *root.glob("*/sample.yaml"))):
        content = yaml.safe_load(file.read_text())
        found += [(name, file.parent, {**content.get("common", {}), **one}) for name, one in content["tests"].items()]
    return found


def scenarios(root: Path, board: str) -> list[tuple[str, Path, dict]]:
    """Return the test scenarios for one board, except scenarios that need a missing Zephyr module."""
    return [
        (name, folder, scenario)
        for name, folder, scenario in declared(root)
        if scenario["platform_allow"] == board and has_modules(scenario)
    ]


def has_modules(scenario: dict) -> bool:
    """Return whether the Zephyr tree contains the modules that a scenario needs."""
    base = zephyr.find_base()
    return base is not None and all(zephyr.has_module(base, name) for name in scenario.get("modules", ()))


def run_suite(
    name: str, folder: Path, configuration: tuple[str, ...], directory: Path = DIRECTORY, start=SimulatedBoard
) -> str:
    """Compile a test scenario of our Zephyr module, and run it on an existing simulated board.

    Parameters
    ----------
    name : str
        Name of the scenario.
    folder : Path
        Folder of the suite.
    configuration : tuple[str, ...]
        Its Kconfig symbols, each as `NAME=value`.
    directory : Path
        Folder of the board.
    start : Callable[[Path], AbstractContextManager]
        Starts the board in the folder that it gets.

    Returns
    -------
    str
        What the suite printed, up to its end.
    """
    output = REPOSITORY / "build" / "tests" / "zephyr" / name
    image = zephyr.compile_application(folder, output, directory.name, configuration)
    board = emulator.lay_out(output, directory, image)
    with start(board) as running:

        def ended():
            text = running.output()
            return "PROJECT EXECUTION" in text and text.endswith("\n") and text

        return until(ended, running.output)
