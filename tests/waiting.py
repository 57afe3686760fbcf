# SPDX-License-Identifier: BSD-2-Clause
"""Helpers that wait in tests, always for events and never for a fixed time.

A limit only ends a test that hangs, so limits are long. No verdict depends on how long anything took.
"""

import sys
import time

HANG_S = 300.0  # seconds after which a test counts as hanging, however busy the machine is

# This program runs the command-line tool, and pauses after the tool has written more than 4096 bytes of its output. The
# pause gives a test time to interrupt the transfer.
_PROGRAM = """
import signal, sys
from cipherlane import cli
from cipherlane.link import journal
note, sizes = journal.Journal.note_written, []
def note_and_pause(self, data):
    note(self, data)
    sizes.append(len(data))
    if sum(sizes) > 4096:
        signal.pause()
journal.Journal.note_written = note_and_pause
sys.exit(cli.main(sys.argv[1:]))
"""
PAUSING = [sys.executable, "-c", _PROGRAM]


def until(holds, said=lambda: "what was awaited did not come", step=lambda: time.sleep(0.02), hang_s=HANG_S):
    """Wait until `holds()` is true, and return its result.

    `said` returns the reason for a failure. `step` makes the condition come true; by default, it leaves that to others.
    """
    end = time.monotonic() + hang_s
    while not (found := holds()):
        assert time.monotonic() < end, said()
        step()
    return found


def grows(path, size, process):
    """Wait until the file at `path` has more than `size` bytes. The process `process` writes this file."""

    def grown():
        assert process.poll() is None, f"the process ended with status {process.returncode}"
        return path.exists() and path.stat().st_size > size

    until(grown)
