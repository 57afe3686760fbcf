"""Runs the Zephyr module's test suites by Zephyr's own test runner, twister: ``python -m gateware.flow.twister``.

Twister takes the suites' scenarios from their `testcase.yaml`, compiles each and runs it on the simulated board by the
target `run` (`firmware/zephyr/boards/cipherlane/board.cmake`); the tools come from here. Suites of others, Zephyr's own
among them, are run by naming their folders.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from gateware.flow import emulator, zephyr
from gateware.flow.firmware import REPOSITORY

OUTPUT = REPOSITORY / "build" / "twister"
CONFIGURATIONS = ("zephyr", "eth_zephyr")
_TIMEOUT_S = 3600


def command(base: Path, roots: Sequence[Path] = (zephyr.MODULE,), more: Sequence[str] = ()) -> list[str]:
    """Command line of twister.

    Parameters
    ----------
    base : Path
        Zephyr's source tree.
    roots : Sequence[Path]
        Folders in which suites and samples are looked for.
    more : Sequence[str]
        Further variables of CMake, each as `NAME=value`.
    """
    options = [word for root in roots for word in ("--testsuite-root", str(root))]
    options += ["--outdir", str(OUTPUT)]
    for name in CONFIGURATIONS:
        options += ["--platform", zephyr.board_of(f"sim_{name}")]
    for root in zephyr.board_roots(base):
        options += ["--board-root", str(root / "boards")]
    options += ["--ninja", "--clobber-output", "--inline-logs"]
    options.append("--disable-warnings-as-errors")  # Debian's linker warns of a writable and executable segment
    chosen = [*zephyr.variables(base), *zephyr.suite_variables(base), *more]
    return [
        "python3",
        str(base / "scripts" / "twister"),
        *options,
        *(f"--extra-args={variable}" for variable in chosen),
    ]


def main() -> int:
    """Parses the command line and runs twister; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m gateware.flow.twister", description=__doc__.partition(":")[0])
    parser.add_argument("root", nargs="*", type=Path, default=[zephyr.MODULE], help="folder (default: the module)")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a variable of CMake")
    arguments = parser.parse_args()
    missing = [str(root) for root in arguments.root if not root.is_dir()]
    if missing:
        parser.error(f"no folder {missing[0]}: name one that holds a testcase.yaml or sample.yaml")
    try:
        base = zephyr.require_base()
        for name in CONFIGURATIONS:
            emulator.build(name)
        line = command(base, arguments.root, arguments.set)
        return subprocess.run(line, env=zephyr.environment(base), timeout=_TIMEOUT_S).returncode
    except subprocess.CalledProcessError:
        return 1  # it has said why
    except (zephyr.ZephyrError, subprocess.TimeoutExpired) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
