# SPDX-License-Identifier: BSD-2-Clause
"""Check the tests that SECURITY.md names. Each test must run as part of the command that SECURITY.md states, and must
fail if the code that it tests is removed.
"""

import os
import re
import shlex
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.mutants.guards import PROOFS, guards
from tests.promises import EACH_NIGHT, PAGES, promised
from tests.waiting import HANG_S

ROOT = Path(__file__).resolve().parents[1]
TEXT = "".join(page.read_text(encoding="utf-8") for page in PAGES)
PROMISED = promised()
MAKEFILE = (ROOT / "Makefile").read_text()


def recipe(target):
    """In the recipe of a Makefile target, find the first command that runs pytest. Return pytest's arguments, without
    the number of processes.
    """
    assert re.search(r"^PARALLEL := -n logical --dist loadfile$", MAKEFILE, re.MULTILINE), "selects no tests"
    (lines,) = re.findall(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    return shlex.split(re.search(r"-m pytest(?: \$\(PARALLEL\))?(.*)", lines)[1])


def test_named_tests_are_there():
    assert len(PROMISED) > 25
    missing = [
        name for name in PROMISED if f"def {name.split('::')[1]}(" not in (ROOT / name.split("::")[0]).read_text()
    ]
    assert missing == []
    assert [file for file in re.findall(r"`((?:\w+/)?tests/[\w/]+\.py)`", TEXT) if not (ROOT / file).is_file()] == []


def test_each_runs_where_the_page_says():
    """A test that SECURITY.md names runs in `make test`, unless SECURITY.md states another command for the test.

    Nightly tests have a mark that excludes them there.
    """
    by_target = {where: [name for name in PROMISED if PROMISED[name] == where] for where in set(PROMISED.values())}
    assert by_target.keys() <= {"make test", "make formal", EACH_NIGHT}
    assert recipe("test-all") == [], "each night all that is collected runs"
    pattern = recipe("formal")[-1]
    assert all(fnmatch(name.split("::")[0], pattern) for name in by_target["make formal"])
    elsewhere = [name for name in PROMISED if name not in by_target["make formal"]]
    assert not [name for name in elsewhere if fnmatch(name, "tests/hil/*") or "/test_zephyr_" in name]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *recipe("test"), *elsewhere]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=True)
    collected = {line.partition("[")[0] for line in done.stdout.splitlines() if "::" in line}
    assert collected == set(by_target["make test"])


def test_each_has_a_guard_without_which_it_is_to_fail():
    """Each test in SECURITY.md must have a guard: code without which the test fails. `make mutants MUTANTS=--guards`
    checks this. A proof needs no guard, because its file also tries to prove faulty copies of the design.
    """
    assert {each.tests[0] for each in guards()} == {name for name in PROMISED if not name.startswith(PROOFS)}
    for name in PROMISED:
        if name.startswith(PROOFS):
            assert "assert not proven(mutate(" in (ROOT / name.split("::")[0]).read_text()


SKIPPED = """
import pytest

@pytest.mark.parametrize("n", [1, 2])
def test_it(n):
    if n == 2:
        pytest.skip("no such thing here")
"""


@pytest.mark.parametrize("processes", [[], ["-n", "2"]], ids=["", "parallel"])
@pytest.mark.parametrize("there", [False, True], ids=["", "CI"])
def test_a_promise_that_is_skipped_is_told_and_under_ci_is_a_failure(tmp_path, there, processes):
    """Test the pytest plug-in `tests.promises`, which `conftest.py` uses, in a separate run of pytest."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_own.py").write_text(SKIPPED)
    (tmp_path / "conftest.py").write_text(
        "from tests import promises\n"
        "promises.NAMES = {'tests/test_own.py::test_it': 'make test'}\n"
        "from tests.promises import *\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "CI"} | (
        {"CI": "true"} if there else {}
    )
    environment["PYTHONPATH"] = str(ROOT)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *processes, "tests/test_own.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=HANG_S)
    assert "SECURITY: not shown here: tests/test_own.py::test_it: no such thing here" in done.stdout
    assert done.returncode == (1 if there else 0)
