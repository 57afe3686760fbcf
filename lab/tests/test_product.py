# SPDX-License-Identifier: BSD-2-Clause
"""Test that the project works without the laboratory (the folder `lab`). The tests run in a copy of the repository
without this folder.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gateware.flow import cache
from tests.waiting import HANG_S

LABORATORY = Path(__file__).resolve().parents[1]
ROOT = LABORATORY.parent
# These tests also run in the copy of the repository without the laboratory. The tests read all files of the repository,
# or lists to which the laboratory adds entries. So their results can differ in the copy.
OF_THE_TREE = (
    "tests/test_clocks.py",
    "tests/test_readme.py",
    "tests/test_security.py",
    "tests/test_workflows.py",
    "tests/firmware/test_rooms.py",
    "tests/gateware/test_dependencies.py",
    "tests/gateware/flow/test_area.py",
    "tests/gateware/flow/test_environment.py",
    "tests/host/test_package.py",
)
SOME_TIME_S = 4 * HANG_S  # timeout in seconds, long enough if other tests run at the same time


def left_out(folder, names):
    made = {".git", "build", "__pycache__", LABORATORY.name} if Path(folder) == ROOT else {"build", "__pycache__"}
    return [name for name in names if name in made or name.startswith((".venv", ".pytest", ".ruff"))]


@pytest.fixture(scope="module")
def product():
    """Copy the repository without the laboratory; return the copy's folder. The copy is not in /tmp, because YoWASP's
    programs see no files there.
    """
    tree = ROOT / "build" / "tests" / "product"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(ROOT, tree, ignore=left_out)
    (tree / ".venv").symlink_to(sys.prefix)
    assert not (tree / LABORATORY.name).exists() and (tree / "gateware").exists()
    yield tree
    shutil.rmtree(tree)


def succeeds(tree, *command, limit=HANG_S):
    """Run a command in the repository `tree`, which is the copy or the original; return the output of the command. The
    command imports the packages of `tree`, but uses the build cache of the original.
    """
    variables = {
        "CIPHERLANE_CACHE": str(cache.FOLDER),
        "PYTHONPATH": f"{tree}:{tree / 'host'}",
        "MAKEFLAGS": "",
        "COLUMNS": "200",
    }
    # Migen orders names by their hashes. A fixed hash seed makes this order, and so the Verilog, reproducible.
    variables["PYTHONHASHSEED"] = "0"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")} | variables
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=limit)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def test_all_its_tests_are_collected(product):
    said = succeeds(product, sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0")
    assert f"\n{LABORATORY.name}/" not in said and "tests/gateware/isa/test_vector_unit.py" in said


def test_what_reads_the_whole_tree_passes(product):
    succeeds(product, sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "not thorough", *OF_THE_TREE)


def test_it_lists_boards_and_targets_without_comparisons(product):
    said = succeeds(product, sys.executable, "-m", "gateware.flow.listing")
    assert "ecpix5_eth" in said and "ecpix5_lte" not in said
    said = succeeds(product, "make", "help")
    assert "make demo" in said and "make explore" not in said and "comparators" not in said


SOURCES = """
import os, sys
from pathlib import Path
from gateware import targets
from gateware.flow import cache, firmware
from gateware.soc.soc import CipherlaneSoC

target, folder = targets.load("sim"), Path(sys.argv[1])
soc = CipherlaneSoC(target, **firmware.build_firmware(target, folder))
os.chdir(folder)  # the contents of memories are written there, too
soc.platform.get_verilog(soc, name="sim").write("sim.v")
(folder / "sim.v").write_text(cache.code(folder / "sim.v"))
"""


def test_the_simulated_board_is_made_of_the_same_sources(product):
    """The copy and the original must build the same firmware and, except for comments, the same Verilog."""
    made = []
    for tree in (product, ROOT):
        folder = product / "build" / f"sources_{len(made)}"
        succeeds(tree, sys.executable, "-c", SOURCES, str(folder))
        files = [folder / "firmware.bin", folder / "sim.v", *folder.glob("*.init")]
        made.append({path.name: path.read_bytes() for path in files})
    assert made[0] == made[1] and "sim_rom.init" in made[0]


# This test is slow, and the lint of the original repository already covers the same sources.
@pytest.mark.thorough
def test_lint_is_clean(product):
    assert succeeds(product, ".ci/lint", limit=SOME_TIME_S).endswith("lint: clean\n")


# This test is slow, because it runs all tests of the product again.
@pytest.mark.thorough
@pytest.mark.simboard
def test_its_demo_and_its_tests_pass(product):
    assert "bytes" in succeeds(product, "make", "demo", limit=SOME_TIME_S)
    succeeds(product, sys.executable, "-m", "gateware.flow", "sim", "eth", limit=SOME_TIME_S)
    words = ("-m", "pytest", "-q", "-n", "logical", "--dist", "loadfile", "-m", "not thorough and not simboard")
    succeeds(product, sys.executable, *words, limit=SOME_TIME_S)
