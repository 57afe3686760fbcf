# SPDX-License-Identifier: BSD-2-Clause
"""Tests the files of measurements, which begin with their provenance, such as board, command and commit."""

import json
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cipherlane import __version__
from cipherlane_base import figures

from tests.waiting import HANG_S

GIT = ["git", "-c", "user.name=test", "-c", "user.email=test@localhost"]


@pytest.fixture
def checkout(tmp_path):
    """Make a git repository with one commit, which contains only the file `figures.py`."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    shutil.copy(figures.__file__, folder)
    for command in (["init", "-q"], ["add", "figures.py"], ["commit", "-q", "-m", "first"]):
        subprocess.run([*GIT, *command], cwd=folder, check=True, timeout=HANG_S)
    return folder


def head(folder: Path) -> str:
    command = ["git", "rev-parse", "HEAD"]
    return subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True, timeout=HANG_S
    ).stdout.strip()


def test_commit_is_that_of_the_checkout_and_says_whether_files_differ(checkout):
    file = checkout / "figures.py"
    assert figures.commit(file) == head(checkout)[:12]
    file.write_text(file.read_text() + "\n")
    assert figures.commit(file) == head(checkout)[:12] + "-dirty"


def test_a_copy_in_another_project_or_without_git_has_no_commit(checkout, tmp_path, monkeypatch):
    for folder in (checkout / "venv", tmp_path / "elsewhere"):
        folder.mkdir()
        assert figures.commit(Path(shutil.copy(figures.__file__, folder))) is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert figures.commit(checkout / "figures.py") is None


def test_figures_stand_behind_what_they_were_measured_with(tmp_path):
    path = tmp_path / "new" / "figures.json"
    setup = {"command": "make bench", "board": "sim", "configuration": {"cores": (1, 2)}}
    figures.write(path, {"records": [{"cycles": 10}]}, **setup, tools={"gcc": "12.2.0"})
    content = json.loads(path.read_text())
    assert list(content) == ["provenance", "records"]
    assert content["records"] == [{"cycles": 10}]
    provenance = content["provenance"]
    date = datetime.fromisoformat(provenance.pop("date"))
    assert timedelta(0) <= datetime.now(UTC) - date < timedelta(minutes=1)
    assert provenance.pop("commit") == figures.commit()
    tools = provenance.pop("tools")
    assert tools["cipherlane"] == __version__ and tools["python"] and tools["gcc"] == "12.2.0"
    assert provenance == {"command": "make bench", "board": "sim", "configuration": {"cores": [1, 2]}}


def test_what_takes_long_says_the_commit_that_it_began_with(tmp_path):
    figures.write(tmp_path / "x.json", {}, command="make", board="sim", configuration={}, measured="0123456789ab")
    assert json.loads((tmp_path / "x.json").read_text())["provenance"]["commit"] == "0123456789ab"
