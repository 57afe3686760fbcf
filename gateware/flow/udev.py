# SPDX-License-Identifier: BSD-2-Clause
"""Lets users open the boards' JTAG cables: ``sudo make udev``, or ``python -m gateware.flow.udev --dry-run``."""

import argparse
import subprocess
import sys
from pathlib import Path

from cipherlane.link import cables

_LIMIT_S = 30


def install(path: Path) -> str:
    """Writes udev's rules and makes udev read them; returns a report of what was done.

    Raises
    ------
    OSError
        They cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(cables.rules())
    trigger = ["udevadm", "trigger", "--subsystem-match=usb", "--subsystem-match=hidraw"]
    for command in (["udevadm", "control", "--reload-rules"], trigger):
        try:
            done = subprocess.run(command, capture_output=True, timeout=_LIMIT_S).returncode == 0
        except (OSError, subprocess.TimeoutExpired):
            done = False
        if not done:
            return f"{path} is written, and udev did not read it: restart this machine"
    return f"{path} is written: be in the group {cables.GROUP}, and attach the board again"


def main() -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m gateware.flow.udev", description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="print the rules alone")
    parser.add_argument("--path", type=Path, default=cables.RULES, help="file to write (default: %(default)s)")
    arguments = parser.parse_args()
    if arguments.dry_run:
        print(cables.rules(), end="")
        return 0
    try:
        print(install(arguments.path))
    except OSError as error:
        print(f"error: cannot write {arguments.path} ({error.strerror}): run `sudo make udev`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
