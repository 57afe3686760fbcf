"""Run `make mutants` on two mutants of a page. The page's test must detect only one of them."""

import json

import pytest

from gateware.flow.sweep import Workers
from tests.mutants import __main__ as command
from tests.mutants.mutant import ROOT, Mutant

TESTS = ("tests/test_readme.py::test_readme_is_short",)


@pytest.fixture
def mutants(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "BUILD", tmp_path)
    text = (ROOT / "README.md").read_text()
    return [Mutant(f"README.md: {n} lines more", "host", TESTS, "README.md", text + n * "\n") for n in (1000, 1)]


@pytest.mark.thorough  # slow: runs pytest three times; `test_sweep.py` also covers sweeps
def test_mutants_are_judged_once_each_in_a_tree_of_its_own(mutants, tmp_path, capsys):
    noticed = command.judged(mutants, Workers(2))
    assert list(noticed.values()) == [True, False]
    assert sorted(capsys.readouterr().out.splitlines()) == [
        "SURVIVED README.md: 1 lines more",
        "killed   README.md: 1000 lines more",
    ]
    assert len((ROOT / "README.md").read_text().splitlines()) < 1000
    kept = json.loads((tmp_path / "outcomes.json").read_text())
    assert kept.keys() == {each.digest() for each in (*mutants, mutants[0].control())}
    assert command.judged(mutants, Workers(scheduler="tcp://127.0.0.1:1")) == noticed, "judged again"
