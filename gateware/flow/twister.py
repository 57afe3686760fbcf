"""Runs the Zephyr module's test suites by Zephyr's own test runner, twister: ``python -m gateware.flow.twister``.

Twister takes the suites' scenarios from their `testcase.yaml`, compiles each and runs it on the simulated board by the
target `run` (`firmware/zephyr/boards/cipherlane/board.cmake`); the tools come from here.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from gateware.flow import emulator, zephyr
from gateware.flow.firmware import REPOSITORY

OUTPUT = REPOSITORY / "build" / "twister"
CONFIGURATIONS = ("zephyr", "eth_zephyr")
_TIMEOUT_S = 3600


def command(base: Path) -> list[str]:
    """Command line of twister with Zephyr's source tree at `base`."""
    options = ["--testsuite-root", str(zephyr.MODULE), "--outdir", str(OUTPUT)]
    for name in CONFIGURATIONS:
        options += ["--platform", zephyr.board_of(f"sim_{name}")]
    for root in zephyr.board_roots(base):
        options += ["--board-root", str(root / "boards")]
    options += ["--ninja", "--clobber-output", "--inline-logs"]
    options.append("--disable-warnings-as-errors")  # Debian's linker warns of a writable and executable segment
    chosen = [*zephyr.variables(base), *zephyr.suite_variables(base)]
    return [
        "python3",
        str(base / "scripts" / "twister"),
        *options,
        *(f"--extra-args={variable}" for variable in chosen),
    ]


def main() -> int:
    """Parses the command line and runs twister; returns the exit status."""
    argparse.ArgumentParser(prog="twister", description=__doc__.partition("\n")[0]).parse_args()
    try:
        base = zephyr.require_base()
        for name in CONFIGURATIONS:
            emulator.build(name)
        return subprocess.run(command(base), env=zephyr.environment(base), timeout=_TIMEOUT_S).returncode
    except subprocess.CalledProcessError:
        return 1  # it has said why
    except (zephyr.ZephyrError, subprocess.TimeoutExpired) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
