# SPDX-License-Identifier: BSD-2-Clause
"""Test that long-running tools end when the process that started them ends."""

import os
import subprocess
import sys

from gateware.flow import tethered
from gateware.flow.firmware import REPOSITORY

KILLED = """
import os, signal
from gateware.flow import tethered
with tethered.started(["bash", "-c", "echo started; sleep 3600 & wait"], stdout=1):
    os.read(0, 1)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_nothing_outlives_a_parent_that_is_killed():
    with subprocess.Popen(
        [sys.executable, "-c", KILLED], cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"started\n"
        process.stdin.write(b".")
        process.stdin.flush()
        assert process.stdout.read() == b"", "it ends when nobody is left who could write"
        assert process.wait() < 0


def test_exit_status_of_what_cannot_start_or_is_ended_by_a_signal(tmp_path):
    with (tmp_path / "log").open("wb") as log:
        assert tethered.run(["no-such-tool"], 60, stdout=log, stderr=log) == 127
        assert tethered.run(["sh", "-c", "kill -TERM $$"], 60, stdout=log) == 128 + 15
    assert (tmp_path / "log").read_text() == f"error: no-such-tool: {os.strerror(2)}\n"
