# SPDX-License-Identifier: BSD-2-Clause
"""Runs the Zephyr module's test suites by Zephyr's own test runner, twister: ``python -m gateware.flow.twister``.

Twister reads the suites' scenarios from their `testcase.yaml`. It compiles each and runs it on the simulated board by
the target `run` (`firmware/zephyr/boards/cipherlane/board.cmake`). This module provides the tools. Other suites run if
their folders are named; suites of Zephyr's tree have their names in that tree. Zephyr's suites wait for a length of
time, so for them the kernel is told that the simulated clock runs at a tenth of its frequency. Unknown options are
passed to twister.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .. import targets
from . import emulator, zephyr
from .firmware import REPOSITORY

OUTPUT = REPOSITORY / "build" / "twister"
CONFIGURATIONS = ("zephyr", "eth_zephyr", "sdram_zephyr")
_TIMEOUT_S = 3 * 3600
_WAITS_DIVIDED_BY = 10


def find_roots(base: Path, named: Sequence[Path]) -> list[Path]:
    """Returns the paths of the named folders. A folder is searched first in the working folder, then in Zephyr's tree.

    Raises
    ------
    zephyr.ZephyrError
        There is no such folder.
    """
    found = [path if path.is_dir() else base / path for path in named]
    for path, root in zip(named, found, strict=True):
        if not root.is_dir():
            remedy = "name one with a testcase.yaml or sample.yaml"
            raise zephyr.ZephyrError(f"no folder {path}, here or in {base}: {remedy}")
    return [root.resolve() for root in found]


def clock_variables(base: Path, roots: Sequence[Path]) -> list[str]:
    """Returns settings that shorten waits in tests. The list is empty unless all suites are in Zephyr's tree."""
    if not all(root.is_relative_to(base) for root in roots):
        return []
    frequency = targets.load("sim", CONFIGURATIONS[0]).sys_clk_freq // _WAITS_DIVIDED_BY
    return [f"CONFIG_SYS_CLOCK_HW_CYCLES_PER_SEC={frequency}"]


def command(
    base: Path, roots: Sequence[Path] = (zephyr.MODULE,), more: Sequence[str] = (), options: Sequence[str] = ()
) -> list[str]:
    """Returns the command that runs twister.

    Parameters
    ----------
    base : Path
        Zephyr's source tree.
    roots : Sequence[Path]
        Folders in which suites and samples are looked for.
    more : Sequence[str]
        Further variables of CMake, each as `NAME=value`.
    options : Sequence[str]
        Further options of twister, each in one word.
    """
    words = [word for root in roots for word in ("--testsuite-root", str(root))]
    words += ["--outdir", str(OUTPUT)]
    for name in CONFIGURATIONS:
        words += ["--platform", zephyr.board_of(f"sim_{name}")]
    words += ["--ninja", "--clobber-output", "--inline-logs"]
    # Debian's linker warns that a segment is writable and executable. This warning must not fail the build.
    words.append("--disable-warnings-as-errors")
    chosen = [*clock_variables(base, roots), *more]
    return [
        "python3",
        str(base / "scripts" / "twister"),
        *words,
        *options,
        *(f"--extra-args={variable}" for variable in chosen),
    ]


def main() -> int:
    """Parses the command line and runs twister; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m gateware.flow.twister", description=__doc__.partition(":")[0])
    parser.add_argument("root", nargs="*", type=Path, default=[zephyr.MODULE], help="folder (default: the module)")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a variable of CMake")
    arguments, options = parser.parse_known_args()
    try:
        base = zephyr.require_base()
        roots = find_roots(base, arguments.root)
        for name in CONFIGURATIONS:
            emulator.build(name)
        line = command(base, roots, arguments.set, options)
        return subprocess.run(line, env=zephyr.environment(base), timeout=_TIMEOUT_S).returncode
    except subprocess.CalledProcessError:
        return 1  # the failed build has already printed the reason
    except (zephyr.ZephyrError, subprocess.TimeoutExpired) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
