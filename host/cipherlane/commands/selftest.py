# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane selftest`: runs the board's known-answer tests."""

import argparse
from typing import Any

from .. import views
from . import common


def add_to(commands: Any) -> None:
    """Add the command `selftest` to the command line."""
    parser = common.add_command(
        commands,
        "selftest",
        help="run the board's known-answer tests on every engine",
        description="Run the known-answer tests of FIPS-197, SP 800-38A and, if the board has AES-GCM, of the GCM "
        "specification on the board, on every engine that works from memory to memory. Ends with status 1 if a test "
        "fails, or if there is none.",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the tests and print the result. Return 1 if any test failed or none was run, otherwise 0."""
    with common.open_device(args) as device:
        outcome = device.selftest()
        kind = device.info().kind
    failed_engines = [engine.name.lower() for engine in outcome.failed_engines]
    if args.json:
        record = {"tests": outcome.tests, "failed": outcome.failed, "failed_engines": failed_engines}
        views.show_json({**record, "passed": outcome.passed, "kind": kind})
    else:
        where = f" on {', '.join(failed_engines)}" if failed_engines else ""
        views.show(f"{outcome.tests} known-answer tests, {outcome.failed} failed{where} ({kind})")
    return 0 if outcome.passed else 1
