# SPDX-License-Identifier: BSD-2-Clause
"""Runs the hardware tests on one board: ``python -m tests.hil ecpix5 eth``. The board is attached to this machine, or a
labgrid coordinator lends it.

The exit status is 0 if the run qualifies the board. In `build/results/hil`, each run adds to the board's history
(`<board>.jsonl`), and writes its JUnit report (`<board>.xml`) and the plots of all runs (`index.html`).
"""

import argparse
import contextlib
import os
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cipherlane_base.figures import commit

from gateware.configurations import DEFAULT, FeatureError
from gateware.extensions import configuration
from tests.hil import history, place, report

REPOSITORY = Path(__file__).resolve().parents[2]
SUITE = REPOSITORY / "tests" / "hil" / "suite"
ENVIRONMENTS = REPOSITORY / "build" / "hil"  # gateware.flow.environment writes them
RESULTS = REPOSITORY / "build" / "results" / "hil"
WAIT_S = 3600


def main() -> int:
    """Run the hardware tests as the command line asks; return the exit status."""
    arguments = _arguments()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Handle SIGTERM like Ctrl-C, so that a reserved board is released.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    os.environ["CIPHERLANE_CONFIG"] = ""  # ignore the user's configuration
    try:
        chosen = configuration(arguments.configuration or DEFAULT).name
        name = arguments.board if chosen == DEFAULT else f"{arguments.board}_{chosen}"
        if arguments.accept:
            return _accept(name, arguments)
        environment = arguments.environment or ENVIRONMENTS / f"{name}.yaml"
        if not environment.is_file():
            wanted = f"BOARD={arguments.board}" + (f" CONFIG={arguments.configuration}" * bool(arguments.configuration))
            raise place.PlaceError(
                f"no environment file {environment}: `make hil {wanted}` writes that, HIL_ENV=file is for your own"
            )
        with _place(arguments, name, environment) as usable:
            status = _run(name, usable, arguments)
        report.write(arguments.results)
    except (FeatureError, place.PlaceError, history.HistoryError) as error:
        print(f"hil: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("hil: interrupted: this run qualifies nothing", file=sys.stderr)
        return 130
    return status


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.hil", description=__doc__)
    parser.add_argument("board", help="as make names it")
    parser.add_argument("configuration", nargs="?", default="", help="as make names it")
    parser.add_argument("--environment", type=Path, help="labgrid environment file (default: that of the board)")
    parser.add_argument("--coordinator", help="host:port of a labgrid coordinator, of which a place is reserved")
    parser.add_argument("--place", help="that place (default: any with the tag board=<board>)")
    parser.add_argument("--wait", type=float, default=WAIT_S, help="seconds to wait for a place (default: %(default)s)")
    parser.add_argument("--select", default="", help="run the checks alone that pytest's -k selects by this")
    parser.add_argument("--soak", type=float, default=0.0, help="seconds that the soak test runs (default: none)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of history and reports")
    parser.add_argument("--accept", metavar="FIGURE", help="run nothing: the figure's new level is meant")
    arguments = parser.parse_args()
    if arguments.configuration == "default":
        arguments.configuration = ""
    if arguments.place and not arguments.coordinator:
        parser.error("--place is one of a coordinator's: name that by --coordinator")
    return arguments


@contextlib.contextmanager
def _place(arguments: argparse.Namespace, name: str, environment: Path):
    """Yield the labgrid environment file to use. With a coordinator, first reserve a board at the coordinator, and
    release the board when the caller no longer uses the file.
    """
    if not arguments.coordinator:
        yield environment
        return
    tags = [f"name={arguments.place}" if arguments.place else f"board={name}"]
    with place.acquired(arguments.coordinator, tags, arguments.wait) as token:
        os.environ[place.TOKEN] = token
        yield place.environment_of(environment, arguments.coordinator, arguments.results / f"{name}_place.yaml")


def _run(name: str, environment: Path, arguments: argparse.Namespace) -> int:
    words = [f"--rootdir={REPOSITORY}", f"--confcutdir={SUITE}", "-p", "no:cacheprovider", "--quiet"]
    words += [f"--lg-env={environment}", f"--history={arguments.results / name}.jsonl", f"--soak={arguments.soak}"]
    words += [f"--junitxml={arguments.results / name}.xml", "-o", f"junit_suite_name=hil-{name}"]
    words += ["-k", arguments.select] if arguments.select else []
    return int(pytest.main([*words, *map(str, sorted(SUITE.glob("check_*.py")))]))


def _accept(name: str, arguments: argparse.Namespace) -> int:
    path = arguments.results / f"{name}.jsonl"
    figures = {figure for line in history.read(path) for figure in line.get("figures", {})}
    if arguments.accept not in figures:
        raise history.HistoryError(
            f"{path} has no figure {arguments.accept}: it has {', '.join(sorted(figures)) or 'none'}"
        )
    date = datetime.now(UTC).isoformat(timespec="seconds")
    history.append(path, {"accepted": arguments.accept, "target": name, "date": date, "commit": commit()})
    print(f"the level of {arguments.accept} on {name} begins anew with the next run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
