# SPDX-License-Identifier: BSD-2-Clause
"""Test `make reported`: it checks a user's report, stores it once, and adds it to the table."""

import json
import re
from pathlib import Path

import pytest
import yaml
from cipherlane.measuring import reports

from lab.results import kept, pages, reported

REPORT = {
    "format": reports.FORMAT,
    "board": "ecpix5",
    "firmware": "baremetal 0.1.0",
    "build_id": "0001020304050607-08090a0b0c0d0e0f",
    "clock_hz": 100_000_000,
    "kind": "board",
    "link": "udp",
    "selftest": 96,
    "date": "2030-01-02",
    "cipherlane": "0.1.0",
    "commit": None,
    "measured": [],
}
# Maps each page to the sentence on this page that says: no measurement comes from hardware yet.
PROMISES = {
    "README.md": "No figure comes from hardware yet.",
    "lab/results/README.md": "No figure has this kind yet.",
    "docs/howto/architect.md": "no figure has this kind yet.",
    "docs/howto/owner.md": "no board has been measured yet.",
    "docs/howto/report.md": "No figure of this project comes from hardware yet.",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Store reports in a temporary folder during a test."""
    monkeypatch.setattr(kept, "ROOT", tmp_path)
    monkeypatch.setattr(reported, "FOLDER", tmp_path / "reported")
    return tmp_path


def measured_like_the_simulation(factor):
    """Return an invented measurement of a board that takes `factor` times the cycles of the simulated board."""
    simulated = kept.load(["bench.json"], "")["bench"]["records"][0]
    blocks = simulated["bytes"] // 16
    fields = {name: simulated[name] for name in ("engine", "key_bits", "mode", "bytes")}
    cycles = round(simulated["cycles_per_block"] * blocks * factor)
    return {**fields, "direction": "encrypt", "blocks": blocks, "cycles": cycles, "key_cycles": 10}


def stream():
    return {
        **{"engine": "ise", "key_bits": 128, "record_bytes": 1408, "window_records": 32, "bytes": 10_000_000},
        **{"seconds": 1.0, "goodput_mbps": 80.0, "loss": 0.0, "retransmissions": 0},
    }


def written(folder, **changes):
    path = folder / "report.json"
    path.write_text(json.dumps({**REPORT, **changes}))
    return str(path)


def test_a_report_enters_the_table_once(folder, capsys):
    name = written(folder, measured=[measured_like_the_simulation(1.25), stream()])
    assert reported.main([name]) == 0
    stored = Path(folder, re.match(r"stored: (\S+);", capsys.readouterr().out)[1])
    assert json.loads(stored.read_text()) == json.loads(Path(name).read_text())
    heading, _, engine, link = [row.split(" | ") for row in reported.render(kept.load(["bench.json"], ""))]
    assert len(heading) == len(engine) == len(link)
    row = dict(zip(heading, engine, strict=True))
    assert (row["| board"], row["build"], row["MHz"], row["as simulated"]) == (
        "| ecpix5",
        "`00010203-08090a0b`",
        "100",
        "1.250",
    )
    row = dict(zip(heading, link, strict=True))
    assert (row["bytes"], row["Mbps"], row["speed |"]) == ("10000000", "80 (board)", "link, udp |")
    assert reported.main([name]) == 1 and "is stored already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kind": "sim"}, "only a report about hardware"),
        ({"measured": []}, "measured must be a list"),
        ({"board": "| <script>"}, "board has characters"),
        ({"author": "me"}, "'author' is no field"),
    ],
)
def test_other_files_are_refused(folder, capsys, changes, said):
    name = written(folder, **{"measured": [stream()], **changes})
    assert reported.main([name]) == 1
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    assert not reported.FOLDER.exists()


def test_a_damaged_stored_report_is_an_error_of_the_figures(folder):
    """A damaged report in the folder of stored reports must raise `ResultsError`, which `make pages` prints as one
    line.
    """
    reported.FOLDER.mkdir()
    (reported.FOLDER / "0.json").write_text("{")
    with pytest.raises(kept.ResultsError, match=r"0\.json is not a report"):
        reported.stored()


def test_a_long_report_is_read_whole(folder, capsys):
    """The command must read the whole report, even if one read of a file or a pipe returns only a part of it."""
    name = written(folder, measured=[stream()] * 1000)
    assert Path(name).stat().st_size > 1 << 17
    assert reported.main([name]) == 0


def test_a_file_that_cannot_be_read_is_one_line(folder, capsys):
    assert reported.main([str(folder / "none")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_pages_promise_no_figures_from_hardware_while_there_are_none():
    """The pages must state that no measurement comes from hardware, until a report from hardware is stored."""
    stored = reported.stored()
    assert all(report.kind == "board" for report in stored)
    for page, promise in PROMISES.items():
        assert (promise in (pages.kept.ROOT / page).read_text()) == (not stored), page


def test_the_issue_form_asks_for_the_report():
    form = yaml.safe_load((kept.ROOT / ".github" / "ISSUE_TEMPLATE" / "figures.yml").read_text())
    asked = {each["id"]: each for each in form["body"] if "id" in each}
    assert asked["report"]["validations"]["required"] and asked["revision"]["validations"]["required"]
    assert "cipherlane bench --report" in form["body"][0]["attributes"]["value"]
