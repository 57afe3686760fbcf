# SPDX-License-Identifier: BSD-2-Clause
"""Test `make udev`: it writes a rules file where udev looks for rules, and makes udev read the file."""

import subprocess
import sys

from cipherlane.link import cables

from gateware.flow import udev
from gateware.flow.firmware import REPOSITORY
from tests.waiting import HANG_S


def run(*words):
    command = [sys.executable, "-m", "gateware.flow.udev", *map(str, words)]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=HANG_S)


def programs(tmp_path, monkeypatch, status):
    """Put a fake udevadm first in PATH. It appends its arguments to a log file."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "udevadm").write_text(f'#!/bin/sh\necho "$*" >> {tmp_path}/log\nexit {status}\n')
    (folder / "udevadm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_rules_are_written_and_read(tmp_path, monkeypatch):
    programs(tmp_path, monkeypatch, 0)
    path = tmp_path / "rules.d" / "70-cipherlane.rules"
    assert "attach the board again" in udev.install(path)
    assert path.read_text() == cables.rules()
    assert (tmp_path / "log").read_text().splitlines() == [
        "control --reload-rules",
        "trigger --subsystem-match=usb --subsystem-match=hidraw",
    ]


def test_a_udev_that_does_not_read_them(tmp_path, monkeypatch):
    programs(tmp_path, monkeypatch, 1)
    assert "udev did not read it: restart" in udev.install(tmp_path / "rules")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "udev did not read it: restart" in udev.install(tmp_path / "rules")


def test_rules_alone(tmp_path):
    result = run("--dry-run", "--path", tmp_path / "rules")
    assert (result.returncode, result.stdout) == (0, cables.rules()) and not (tmp_path / "rules").exists()


def test_a_file_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    result = run("--path", tmp_path / "file" / "rules")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("error: cannot write ") and result.stderr.endswith("run `sudo make udev`\n")
