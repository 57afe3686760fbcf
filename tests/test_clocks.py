# SPDX-License-Identifier: BSD-2-Clause
"""Checks which tests read the clock, and that time limits are not too short. No test's result must depend on the
machine's speed.
"""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
LEAST_S = 60  # minimum time limit in seconds; a shorter limit can expire on a busy machine
# Names of functions with a time limit. A limit of 0 is allowed, because the function then does not wait.
LIMITED = {"run", "wait", "join", "communicate", "settimeout", "create_connection", "check_output"}
POLLS = {"host/model.py"}  # the time limit in this file only sets how often a server checks whether it must end
COMMANDS = ("bench_", "fuzz/", "mutants/", "screenshots/")  # these files are measurements and timed runs, not tests
# Files that import `time`, each with the reason why test results do not depend on time.
CLOCKS = {
    "waiting.py": "its limit only ends what hangs",
    "gateware/flow/waiting.py": "a task that never ends by itself",
    "host/test_simboard.py": "between two looks at a process that starts",
    "host/test_top.py": "apart or together, signals end it with the same status",
    "hil/board.py": "the limit within which an exporter starts a board anew",
    "hil/strategy.py": "the limit within which a board answers",
    "hil/suite/check_soak.py": "as long as its user says; each stream is checked",
    "hil/test_strategy.py": "labgrid looks at resources by the real clock",
    "host/hostile_plans.py": "replaces the clock by one that jumps",
    "end_to_end/killed_runs.py": "kills at moments of the time that a whole run takes; its limits only end what hangs",
    "end_to_end/bad_wire.py": "delays frames: the verdict is that none of the data is lost",
    "end_to_end/stress_ethernet.py": "its limit only ends what hangs",
    "linux_peer/peer.py": "its limit only ends what hangs",
    "gateware/cores/matrix.py": "prints the seconds of each tool",
}


@pytest.fixture(scope="module")
def sources():
    """Return the name and the syntax tree of each test module."""
    names = {path.relative_to(TESTS).as_posix(): path for path in sorted(TESTS.rglob("*.py"))}
    return [
        (name, ast.parse(path.read_text()))
        for name, path in names.items()
        if not name.startswith(COMMANDS) and path != Path(__file__)
    ]


def looks_at_the_clock(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(each.name == "time" for each in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and node.module == "time":
            return True
    return False


def short_limits(tree):
    """Yield the line numbers of calls whose time limit is a literal number of less than `LEAST_S` seconds."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in LIMITED:
            continue
        given = [each.value for each in node.keywords if each.arg == "timeout"]
        if node.func.attr not in ("run", "check_output", "create_connection"):
            given += node.args[:1]
        for value in given:
            if isinstance(value, ast.Constant) and isinstance(value.value, (int, float)) and 0 < value.value < LEAST_S:
                yield node.lineno


def test_who_looks_at_the_clock_is_listed_with_the_reason(sources):
    found = {name for name, tree in sources if looks_at_the_clock(tree)}
    assert found == set(CLOCKS), "wait with tests.waiting.until, or give a clock; what is listed and unused goes"


def test_limits_only_end_what_hangs(sources):
    found = [f"{name}:{line}" for name, tree in sources if name not in POLLS for line in short_limits(tree)]
    assert found == [], "take tests.waiting.HANG_S"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("process.wait(5)", [1]),
        ("\nprocess.communicate(timeout=0.5)", [2]),
        ("subprocess.run([], timeout=20)", [1]),
        ("thread.join(HANG_S); ','.join([]); sock.settimeout(0); process.wait(60)", []),
    ],
)
def test_short_limits_are_seen(text, lines):
    assert list(short_limits(ast.parse(text))) == lines


@pytest.mark.parametrize("text", ["import time", "from time import sleep", "def f():\n    import os, time"])
def test_clocks_are_seen(text):
    assert looks_at_the_clock(ast.parse(text)) and not looks_at_the_clock(ast.parse("import timeit, datetime"))
