# SPDX-License-Identifier: BSD-2-Clause
"""Fixtures and hooks of the suite's checks. The fixtures make the board ready, connect to it, and record measured
speeds. The hooks select the checks, and decide whether the run has passed.

A run qualifies a board if every selected check passed, or was skipped for a printed reason, and at least one passed.
The run and its figures become a line of the history (`--history`).
"""

import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import pytest
from cipherlane import Engine
from cipherlane.link.device import Device
from cipherlane_base import figures
from cipherlane_base.plain import plain
from cipherlane_base.version import __version__
from labgrid.exceptions import NoSupplierFoundError
from labgrid.pytestplugin.hooks import LABGRID_ENV_KEY
from labgrid.resource.remote import RemotePlace
from labgrid.strategy import StrategyError

from tests.hil import history, offered, regression
from tests.hil.suite.transfers import Streams

RUN = pytest.StashKey[dict]()
VERDICT = pytest.StashKey[str]()
OUTCOMES = ("passed", "failed", "error", "skipped")


def pytest_addoption(parser):
    group = parser.getgroup("hil")
    group.addoption("--history", type=Path, help="file of JSON lines with earlier runs, to which this one is added")
    group.addoption(
        "--soak", type=float, default=0.0, metavar="SECONDS", help="how long the soak test runs (default 0)"
    )


def pytest_configure(config):
    config.stash[RUN] = {"figures": {}, "regressed": []}
    config.addinivalue_line("markers", "from_memory: for engines that work from memory to memory")
    config.addinivalue_line("markers", "soak: as long as --soak says")


def option(config, name):
    """Return the value of an option in the environment file."""
    return config.stash[LABGRID_ENV_KEY].config.get_target_option("main", name)


def pytest_generate_tests(metafunc):
    """Repeat each check for every engine and transport that the environment file lists for the board."""
    if metafunc.config.stash[LABGRID_ENV_KEY] is None:
        raise pytest.UsageError("no environment file: run `make hil BOARD=...`, or give --lg-env FILE")
    if "engine" in metafunc.fixturenames:
        engines = [Engine[name.upper()] for name in option(metafunc.config, "engines")]
        if metafunc.definition.get_closest_marker("from_memory"):
            engines = [engine for engine in engines if not engine.traits.serves]
        metafunc.parametrize("engine", engines, ids=lambda engine: engine.name.lower())
    if "transport" in metafunc.fixturenames:
        metafunc.parametrize("transport", option(metafunc.config, "transports"), scope="session")


def pytest_collection_modifyitems(config, items):
    """Deselect checks of the fast path over the UART, because the fast path works only over a network. Deselect the
    soak test if its duration is 0.
    """
    left_out = []
    for item in items:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        engine, transport = parameters.get("engine"), parameters.get("transport")
        if (engine and engine.traits.serves and transport == "uart") or (
            item.get_closest_marker("soak") and not config.getoption("soak")
        ):
            left_out.append(item)
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


@pytest.fixture(scope="session")
def expected(pytestconfig):
    """Return a function that takes the name of an option and returns its value in the environment file."""
    return lambda name: option(pytestconfig, name)


@pytest.fixture(scope="session")
def serving(request, env):
    """Make the board ready; return its strategy, the labgrid object that controls the board. If the board does not
    answer, the run ends with a message of one line.
    """
    try:
        strategy = env.get_target("main").get_driver("Strategy")
        strategy.transition("serving")
    except (StrategyError, NoSupplierFoundError) as error:
        reason = plain(" ".join(str(getattr(error, "msg", error)).split()))
        request.session.shouldfail = f"no board in service: {reason}"
        pytest.fail(request.session.shouldfail, pytrace=False)
    yield strategy
    strategy.transition("off")


@pytest.fixture(scope="session")
def board(serving):
    """Return the driver of the board, which is ready and answers."""
    return serving.board


@pytest.fixture(scope="session")
def streams():
    """Return an object that makes streams. All checks of a run share it, so no two streams share a counter block."""
    return Streams()


@pytest.fixture
def device(board, identity, transport):
    """Connect to the board over one of its transports."""
    with Device(board.open(transport)) as connected:
        yield connected


@pytest.fixture
def check_figure(pytestconfig, identity):
    """Return a function that records a measured speed in Mbps under a name. The function fails the test if the speed is
    a regression.
    """
    run = pytestconfig.stash[RUN]
    path = pytestconfig.getoption("history")
    earlier = history.series(history.read(path)) if path else {}

    def check(name, mbps):
        run["figures"][name] = round(mbps, 4)
        levels = regression.Levels.of(name, earlier.get(tuple(run[each] for each in history.SERIES), []))
        refused = levels.judge(mbps, run["commit"])
        if refused:
            run["regressed"].append(name)
            pytest.fail(refused, pytrace=False)

    return check


@pytest.fixture(scope="session")
def identity(pytestconfig, env, serving, board, record_testsuite_property):
    """Ask the board for its identity; add it to the stored data of the run and to the JUnit report."""
    with Device(board.open(board.transports[0])) as connected:
        info = connected.info()
    run = pytestconfig.stash[RUN]
    place = next((each for each in env.get_target("main").resources if isinstance(each, RemotePlace)), None)
    run |= {
        "target": option(pytestconfig, "target"),
        "serial": board.serial_number,
        "kind": info.kind,
        "bitstream": serving.bitstream,
        "build_id": info.build_id,
        "clock_hz": info.clock_hz,
        "firmware": f"{info.firmware} {info.firmware_version}",
        # The environment file contains "+" instead of the reserved place's name, so ask labgrid for the name.
        "place": place and offered.text(place.manager.session.get_place(place.name).name, "place"),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": figures.commit(),
        "tools": {
            "cipherlane": __version__,
            "labgrid": version("labgrid"),
            "python": platform.python_version(),
            **board.tools,
        },
    }
    for name in ("target", "serial", "kind", "bitstream", "build_id", "clock_hz", "firmware", "commit"):
        record_testsuite_property(name, run[name])
    return info


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    """Decide whether the run has passed. A run in which no check has passed fails."""
    config = session.config
    if config.getoption("collectonly"):
        return
    stats = config.pluginmanager.get_plugin("terminalreporter").stats
    run = config.stash[RUN]
    run |= {name: len(stats.get(name, ())) for name in OUTCOMES}
    who = option(config, "target") + (f" (kind {run['kind']})" if "kind" in run else "")
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        verdict = "nothing was selected: this run qualifies nothing"
    elif exitstatus == pytest.ExitCode.INTERRUPTED:
        verdict = "interrupted: this run qualifies nothing"
    elif exitstatus != pytest.ExitCode.OK:
        verdict = f"{who} is not qualified: {session.shouldfail or 'see the failures above'}"
    elif not run["passed"]:
        verdict = f"all {run['skipped']} checks were skipped: this run qualifies nothing"
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    else:
        verdict = f"{run['passed']} checks qualify {who}" + (f", {run['skipped']} skipped" if run["skipped"] else "")
    config.stash[VERDICT] = verdict
    if config.getoption("history") and "kind" in run and exitstatus != pytest.ExitCode.INTERRUPTED:
        history.append(config.getoption("history"), run)


def pytest_terminal_summary(terminalreporter, config):
    for name, mbps in config.stash[RUN]["figures"].items():
        terminalreporter.write_line(f"{name:24} {mbps:10.3f} Mbps ({config.stash[RUN]['kind']})")
    terminalreporter.write_line(f"hil: {config.stash.get(VERDICT, 'no verdict')}")
