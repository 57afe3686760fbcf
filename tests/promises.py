# SPDX-License-Identifier: BSD-2-Clause
"""Lists the tests that SECURITY.md names, where each test should run, and which of these tests a run has skipped.

A pytest plug-in for `conftest.py`. Skipped tests are listed at the end of the run. Under `CI`, where nothing that they
need is missing, a skipped test is a failure.
"""

import os
import re
from pathlib import Path

EACH_NIGHT = "each night"
_NAME = re.compile(r"`((?:\w+/)?tests/[\w/]+\.py::\w+)`(?: \((each night|`make \w+`)\))?")

_ROOT = Path(__file__).resolve().parents[1]
# The main SECURITY.md, and the SECURITY.md of each folder that has its own.
PAGES = [_ROOT / "SECURITY.md", *_ROOT.glob("*/SECURITY.md")]

__all__ = ["pytest_runtest_logreport", "pytest_sessionfinish", "pytest_terminal_summary"]


def promised() -> dict[str, str]:
    """Map each test that SECURITY.md names to the command that runs the test. SECURITY.md states a make command or
    "each night" in brackets after the test's name. Without brackets, the command is "make test". The names are
    pytest's, without parameters.
    """
    pages = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    return {name: where.strip("`") or "make test" for name, where in _NAME.findall(pages)}


NAMES = promised()
_skipped: dict[str, str] = {}


def pytest_runtest_logreport(report):
    name = report.nodeid.partition("[")[0]
    if report.skipped and name in NAMES:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        _skipped[name] = reason.removeprefix("Skipped: ")


def pytest_sessionfinish(session):
    if _skipped and os.environ.get("CI") and session.exitstatus == 0:
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter):
    for name, reason in _skipped.items():
        terminalreporter.write_line(f"SECURITY: not shown here: {name}: {reason}")
