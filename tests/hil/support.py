# SPDX-License-Identifier: BSD-2-Clause
"""Helpers for the tests in this folder. They run the command `python -m tests.hil`, and make a fake openFPGALoader that
prints recorded output.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.waiting import HANG_S

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = REPOSITORY / "build"
LIMIT_S = 3 * HANG_S  # time-out in seconds for a run of several checks

# Output of openFPGALoader 0.10 for the JTAG chain of an ECPIX-5.
DETECTED = """Jtag frequency : requested 6.00MHz   -> real 6.00MHz
index 0:
\tidcode 0x1113043
\tmanufacturer lattice
\tfamily ECP5
\tmodel  LFE5UM-85
\tirlength 8
"""
NO_CABLE = "unable to open ftdi device: -3 (device not found)\nJTAG init failed with: unable to open ftdi device\n"


def command(*words, **environment):
    """Run `python -m tests.hil` as a process. Return its exit status, and standard output and error as one text."""
    result = subprocess.run(
        [sys.executable, "-m", "tests.hil", *map(str, words)],
        cwd=REPOSITORY,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT_S,
    )
    return result.returncode, result.stdout


def environment(*words):
    """Let the build flow write the environment file of a board.

    It runs in its own Python environment, as this one lacks LiteX.
    """
    python = REPOSITORY / ".venv" / "bin" / "python"
    subprocess.run(
        [python, "-m", "gateware.flow.environment", *map(str, words)], cwd=REPOSITORY, check=True, timeout=HANG_S
    )


def runs(path):
    """Return the lines of a history file, one dictionary per run."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def recorded_loader(folder, detects=DETECTED, status=0, writes="Done\n", write_status=0):
    """Make a fake openFPGALoader that prints recorded output. Return the path of this program, and a function that
    lists the command lines of its calls.
    """
    folder.mkdir(exist_ok=True)
    (folder / "detects").write_text(detects)
    (folder / "writes").write_text(writes)
    log, program = folder / "log", folder / "openFPGALoader"
    program.write_text(f"""#!/bin/sh
echo "$*" >> {log}
case "$*" in
*--detect*) cat {folder}/detects; exit {status} ;;
*) cat {folder}/writes >&2; exit {write_status} ;;
esac
""")
    program.chmod(0o755)
    return program, lambda: log.read_text().splitlines() if log.exists() else []
