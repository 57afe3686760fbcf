# SPDX-License-Identifier: BSD-2-Clause
import os

import pytest

from gateware.flow import progress


@pytest.fixture(autouse=True)
def short_interval(monkeypatch):
    monkeypatch.setattr(progress, "INTERVAL_S", 0.05)


def test_a_command_that_lasts_is_not_silent(tmp_path, capsys):
    log = tmp_path / "log"
    log.write_text("before\n")
    steps = iter(range(1000))
    script = "echo out; echo err >&2; pwd; sleep 0.4; exit 3"
    assert progress.run(["sh", "-c", script], tmp_path, log, lambda: f"step {next(steps)}") == 3
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0].strip() for line in lines[:2]] == ["step 0", "step 1"]
    assert log.read_text() == f"before\nout\nerr\n{tmp_path}\n"


def test_a_command_does_not_outlive_an_interruption(tmp_path):
    log = tmp_path / "log"

    def interrupt_when_it_runs():
        if log.read_text().endswith("\n"):
            raise KeyboardInterrupt
        return "starting"

    with pytest.raises(KeyboardInterrupt):
        progress.run(["sh", "-c", "echo $$; exec sleep 60"], tmp_path, log, interrupt_when_it_runs)
    with pytest.raises(ProcessLookupError):
        os.kill(int(log.read_text()), 0)
