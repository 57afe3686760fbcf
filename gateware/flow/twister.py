"""Compiles the Zephyr module's test suites by Zephyr's own test runner, twister: ``python -m gateware.flow.twister``.

Twister takes the suites' scenarios from their `testcase.yaml`; the simulated board's devicetree overlay and the tools
come from here. It only compiles: it knows no way to a simulated board. `make test` runs the scenarios there.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from gateware import targets
from gateware.flow import zephyr
from gateware.flow.firmware import REPOSITORY

OUTPUT = REPOSITORY / "build" / "twister"
_TIMEOUT_S = 3600


def command(base: Path, description: Path) -> list[str]:
    """Command line of twister.

    Parameters
    ----------
    base : Path
        Zephyr's source tree.
    description : Path
        Folder with the board's `csr.json` and `include/`.
    """
    options = ["--testsuite-root", str(zephyr.MODULE), "--platform", zephyr.BOARD, "--outdir", str(OUTPUT)]
    options += ["--build-only", "--ninja", "--clobber-output", "--inline-logs"]
    # Zephyr's board names the Zephyr SDK alone, and Debian's linker warns of a segment that is writable and executable.
    options += ["--force-toolchain", "--disable-warnings-as-errors"]
    chosen = [*zephyr.variables(base, description), *zephyr.suite_variables(base)]
    return [
        "python3",
        str(base / "scripts" / "twister"),
        *options,
        *(f"--extra-args={variable}" for variable in chosen),
    ]


def main() -> int:
    """Parses the command line and runs twister; returns the exit status."""
    argparse.ArgumentParser(prog="twister", description=__doc__.partition("\n")[0]).parse_args()
    description = REPOSITORY / "build" / targets.load("sim", "zephyr").name / "firmware"
    try:
        if not (description / "csr.json").is_file():
            raise zephyr.ZephyrError(f"{description} has no csr.json: run `make zephyr BOARD=sim`")
        base = zephyr.require_base()
        return subprocess.run(command(base, description), env=zephyr.environment(base), timeout=_TIMEOUT_S).returncode
    except zephyr.ZephyrError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
