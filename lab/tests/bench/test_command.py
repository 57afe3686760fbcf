# SPDX-License-Identifier: BSD-2-Clause
"""Test the command that runs measurements (`lab.bench.command`)."""

import json

import pytest

from lab.bench import command
from lab.bench.board import WrongAnswerError


def run(monkeypatch, tmp_path, *arguments, fails=False):
    """Run a command that has two steps named `table` and one step named `ise`. Return the command's status, the
    measured steps and the path of the results file.
    """
    measured, results = [], tmp_path / "results.json"

    def measure(engine, blocks):
        measured.append((engine, blocks))
        if fails:
            raise WrongAnswerError(f"{engine}: wrong data")
        return [{"engine": engine, "blocks": blocks}]

    ways = (("table", 1), ("table", 4), ("ise", 1))
    steps = [(engine, lambda way=(engine, blocks): measure(*way)) for engine, blocks in ways]
    monkeypatch.setattr("sys.argv", ["command", "--results", str(results), *arguments])
    return command.run("sets", "A test.", "set", steps, ("blocks", "engine")), measured, results


def test_all_figures_are_printed_and_written(monkeypatch, tmp_path, capsys):
    status, _, results = run(monkeypatch, tmp_path)
    assert status == 0
    assert capsys.readouterr().out == f"1, table\n4, table\n1, ise\n3 figures in {results}\n"
    written = json.loads(results.read_text())
    assert [record["engine"] for record in written["records"]] == ["table", "table", "ise"]
    assert written["provenance"]["command"] == "make bench-sets"


def test_a_selection_is_printed_and_not_written(monkeypatch, tmp_path, capsys):
    status, measured, results = run(monkeypatch, tmp_path, "--only", "table")
    assert status == 0 and measured == [("table", 1), ("table", 4)]
    assert capsys.readouterr().out == "1, table\n4, table\n"
    assert not results.exists()


def test_a_name_that_no_step_has_is_refused_before_anything_runs(monkeypatch, tmp_path, capsys):
    with pytest.raises(SystemExit):
        run(monkeypatch, tmp_path, "--only", "tabel")
    assert capsys.readouterr().err.endswith("error: no set tabel: choose of table, ise\n")


def test_wrong_data_end_the_command_without_results(monkeypatch, tmp_path, capsys):
    status, measured, results = run(monkeypatch, tmp_path, fails=True)
    assert status == 1 and measured == [("table", 1)]
    assert capsys.readouterr() == ("", "error: table: wrong data\n")
    assert not results.exists()
