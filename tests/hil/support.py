"""What several tests of this folder need: the command, and an openFPGALoader that was recorded."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.waiting import HANG_S

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = REPOSITORY / "build"
LIMIT_S = 3 * HANG_S  # of a run of several checks

# What openFPGALoader 0.10 prints of an ECPIX-5's chain.
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
    """`python -m tests.hil` as a process; status, and both outputs in one text."""
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
    """Has the build flow write a board's environment file, in its own Python environment: this one has no LiteX."""
    python = REPOSITORY / ".venv" / "bin" / "python"
    subprocess.run(
        [python, "-m", "gateware.flow.environment", *map(str, words)], cwd=REPOSITORY, check=True, timeout=HANG_S
    )


def runs(path):
    """The lines of a history."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def recorded_loader(folder, detects=DETECTED, status=0, writes="Done\n", write_status=0):
    """Places an openFPGALoader that says what was recorded; returns its path, and what lists the words it was given."""
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
