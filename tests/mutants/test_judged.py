# SPDX-License-Identifier: BSD-2-Clause
"""Tests `make mutants` with two faulty copies of README.md as mutants. Also tests that the control runs of guards use
the unchanged sources.
"""

import json

import pytest

from gateware.flow.sweep import Workers
from tests.mutants import __main__ as command
from tests.mutants.guards import guards
from tests.mutants.mutant import ROOT, Mutant

TESTS = ("tests/test_readme.py::test_readme_is_short",)


@pytest.fixture
def mutants(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "BUILD", tmp_path)
    text = (ROOT / "README.md").read_text()
    changes = {"1000 lines more": text + 1000 * "\n", "no newline at its end": text.rstrip("\n")}
    return [Mutant(f"README.md: {name}", "host", TESTS, "README.md", change) for name, change in changes.items()]


@pytest.mark.thorough  # this slow test runs pytest three times; `test_sweep.py` also tests sweeps
def test_mutants_are_judged_once_each_in_a_tree_of_its_own(mutants, tmp_path, capsys):
    noticed = command.judged(mutants, Workers(2))
    assert list(noticed.values()) == [True, False]
    assert sorted(capsys.readouterr().out.splitlines()) == [
        "SURVIVED README.md: no newline at its end",
        "killed   README.md: 1000 lines more",
    ]
    assert len((ROOT / "README.md").read_text().splitlines()) < 1000
    kept = json.loads((tmp_path / "outcomes.json").read_text())
    assert kept.keys() == {each.digest() for each in (*mutants, mutants[0].control())}
    assert command.judged(mutants, Workers(scheduler="tcp://127.0.0.1:1")) == noticed, "judged again"


def test_guards_are_compared_with_the_unchanged_sources(tmp_path, monkeypatch):
    """A guard's control run uses the unchanged sources and needs no faulty design, even if the guard is in gateware."""
    given = []
    monkeypatch.setattr(command, "BUILD", tmp_path)
    monkeypatch.setattr(command.sweep, "run", lambda _, tasks, *others, **options: given.extend(tasks.values()))
    command.judged(guards(), Workers(1))
    controls = [control for control, _ in given]
    assert {"gateware", "host", "firmware"} <= {each.part for each in controls}
    assert [each.name for each in controls if each.environment or each.place] == []
    assert [each.name for each in controls if not each.boards and "test_line_rate" in each.name] == []
