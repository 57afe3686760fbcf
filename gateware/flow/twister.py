"""Compiles the Zephyr module's test suites by Zephyr's own test runner, twister: ``python -m gateware.flow.twister``.

Twister takes the suites' scenarios from their `testcase.yaml`, the tools come from here. It only compiles; `make test`
runs the scenarios on the simulated boards.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from gateware.flow import zephyr
from gateware.flow.firmware import REPOSITORY

OUTPUT = REPOSITORY / "build" / "twister"
_TIMEOUT_S = 3600


def command(base: Path) -> list[str]:
    """Command line of twister with Zephyr's source tree at `base`."""
    options = ["--testsuite-root", str(zephyr.MODULE), "--outdir", str(OUTPUT)]
    for name in ("sim_zephyr", "sim_eth_zephyr"):
        options += ["--platform", zephyr.board_of(name)]
    for root in zephyr.board_roots(base):
        options += ["--board-root", str(root / "boards")]
    options += ["--build-only", "--ninja", "--clobber-output", "--inline-logs"]
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
        return subprocess.run(command(base), env=zephyr.environment(base), timeout=_TIMEOUT_S).returncode
    except zephyr.ZephyrError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
