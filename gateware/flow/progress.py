# SPDX-License-Identifier: BSD-2-Clause
"""Prints the progress of a build, so that it is never silent for long."""

import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from . import tethered

INTERVAL_S = 8


def run(command: Sequence, directory: Path, log: Path, how_far: Callable[[], str]) -> int:
    """Runs a command in a folder, appends its output to a log, and returns its exit status.

    Every `INTERVAL_S` seconds it prints the result of `how_far`, and the time since the start.
    """
    with log.open("ab") as output:
        start = time.monotonic()
        with tethered.started(command, cwd=directory, stdout=output, stderr=subprocess.STDOUT) as process:
            while True:
                try:
                    return process.wait(INTERVAL_S)
                except subprocess.TimeoutExpired:
                    print(f"    {how_far()}, {time.monotonic() - start:.0f} s", flush=True)
