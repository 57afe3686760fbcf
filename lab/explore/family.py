# SPDX-License-Identifier: BSD-2-Clause
"""Compares the family of AES cores on ECP5 with public cores: ``python -m lab.explore.family`` (`make explore`).

Each member is synthesised, its mapped netlist is simulated (cycles, correctness, switching activity), and it is placed
and routed (`flow`, `measure`), on two parts: 85F at speed grade 8 and 25F at speed grade 6. The whole family takes
hours on a small machine. Each core on each part is a task of its own (`gateware.flow.sweep`). Results are kept in
``build/explore`` under digests of their inputs, so an interrupted run can resume, and a run can cover a part of the
family. The cores that take part in most comparisons are built first. For a member that cannot be built, the results
contain the reason. Public cores are measured from checkouts that the user names.

Writes ``build/results/explore.json``, and plots next to it, from everything that is up to date.
"""

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from cipherlane_base import figures

from gateware.flow import sweep, toolchain
from gateware.flow.cache import REPOSITORY
from gateware.flow.sweep import Failed, SweepError, Workers
from lab.explore import report
from lab.explore.bars import verdict
from lab.explore.flow import DEVICES, SYNTHESIS, TARGET_MHZ
from lab.explore.members import DATAPATHS, ENGINES, KEY_SETS, PEERS, SBOXES, SLOTS, Peer, urgency
from lab.explore.records import records
from lab.explore.tasks import TARGETS, Target, Task, build, keep, up_to_date

RESULTS = REPOSITORY / "build" / "results"
DEFAULT_DEVICES = ("85F-8", "25F-6")
SEEDS = 3


def write(tasks: list[Task], versions: dict[str, str], failed: dict[Path, list[dict]]) -> dict:
    """Writes ``explore.json`` and the plots; returns the contents of ``explore.json``.

    They contain all up-to-date records, and the records of failure for tasks that no worker could complete.
    """
    kept = [(task, up_to_date(task) or failed.get(task.records)) for task in tasks]
    found = [record for _, done in kept for record in done or []]
    content = {
        "kind": "est",
        "target_mhz": TARGET_MHZ,
        "seeds": list(tasks[0].seeds),
        "missing": sum(done is None and task.device in DEFAULT_DEVICES for task, done in kept),
        "records": [{**record, "bars": verdict(record, found)} for record in found],
    }
    figures.write(
        RESULTS / "explore.json",
        content,
        command="make explore",
        board="none: each core alone",
        configuration={"synthesis": SYNTHESIS},
        tools=versions,
    )
    for name, text in report.plots(content["records"]).items():
        (RESULTS / f"explore-{name}.svg").write_text(text)
    return content


def arguments(words: list[str] | None = None) -> argparse.Namespace:
    """Parses the command line."""
    parser = argparse.ArgumentParser(prog="python -m lab.explore.family", description=__doc__.splitlines()[0])
    parser.add_argument("--device", nargs="+", choices=DEVICES, default=list(DEFAULT_DEVICES), metavar="DEVICE")
    for option, values in (("datapath", DATAPATHS), ("sbox", tuple(SBOXES)), ("keys", tuple(KEY_SETS))):
        parser.add_argument(f"--{option}", nargs="+", choices=values, help="build these only")
    for option, numbers in (("engines", ENGINES), ("slots", SLOTS)):
        parser.add_argument(f"--{option}", nargs="+", type=int, choices=numbers, help="build these only")
    parser.add_argument("--no-family", action="store_true", help="build public cores only")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=FOLDER", help=f"of: {', '.join(PEERS)}")
    parser.add_argument(
        "--seeds", type=sweep.count, default=SEEDS, help=f"runs of place-and-route, from seed 1 on ({SEEDS})"
    )
    sweep.add_options(parser)
    parser.add_argument("--collect", action="store_true", help="build nothing: write the results from what is there")
    parsed = parser.parse_args(words)
    parsed.checkouts = {}
    for text in parsed.peer:
        name, _, folder = text.partition("=")
        if name not in PEERS:
            parser.error(f"--peer {text}: unknown core {name!r}: choose from {', '.join(PEERS)}")
        if not folder:
            parser.error(f"--peer {text}: name the folder as {name}=FOLDER; the core is at {PEERS[name].where}")
        parsed.checkouts[name] = Path(folder).resolve()
    return parsed


def is_selected(target: Target, options: argparse.Namespace) -> bool:
    """Returns True if the options of the command line select this core."""
    if isinstance(target, Peer):
        return target.core in options.checkouts
    chosen = ("datapath", "sbox", "keys", "engines", "slots")
    wanted = all(getattr(options, name) is None or getattr(target, name) in getattr(options, name) for name in chosen)
    return wanted and not options.no_family


def main() -> None:
    """Builds the cores whose results are out of date, writes the results, and prints the tables."""
    options = arguments()
    try:
        versions = toolchain.versions(toolchain.environment(REPOSITORY / "build" / "tools"))
    except toolchain.ToolError as error:
        raise SystemExit(f"explore: error: {error}") from error

    seeds = tuple(range(1, options.seeds + 1))
    everything = [Task(name, device, seeds, versions) for device in DEVICES for name in TARGETS]
    tasks = [t for t in everything if t.device in options.device and is_selected(t.target, options)]
    tasks = sorted(tasks, key=lambda t: urgency(t.target, t.device))
    for name in PEERS.keys() - options.checkouts.keys():
        print(f"explore: {name} is not built: give a checkout with --peer {name}=FOLDER; it is at {PEERS[name].where}")
    failed: dict[Path, list[dict]] = {}
    if not options.collect:
        try:
            to_build = _to_build(tasks, options.checkouts)
            _build_all(to_build, everything, failed, Workers(options.jobs, options.scheduler))
        except SweepError as error:
            raise SystemExit(f"explore: error: {error}") from error
        except KeyboardInterrupt:
            raise SystemExit("explore: stopped; the same command resumes") from None
    report.show(write(everything, versions, failed))


def _to_build(tasks: list[Task], checkouts: dict[str, Path]) -> Iterator[Task]:
    """Yields the tasks whose results are out of date. A task for a public core also gets the core's Verilog sources. If
    these sources are missing, the task is skipped.
    """
    for task in tasks:
        target = task.target
        if up_to_date(task):
            continue
        try:
            yield replace(task, design=target.read(checkouts[target.core])[0]) if isinstance(target, Peer) else task
        except FileNotFoundError as error:
            print(f"explore: {task.device} {task.name}: left out: {error}")


def _build_all(tasks: Iterable[Task], everything: list[Task], failed: dict[Path, list[dict]], workers: Workers) -> None:
    """Builds the cores of `tasks` in the given order, and writes the results file after each core."""
    named = {f"{task.device} {task.name}": task for task in tasks}
    left = len(named)

    def take(name: str, built: tuple[list[dict], str | None] | Failed) -> None:
        nonlocal left
        left -= 1
        task = named[name]
        if isinstance(built, Failed):
            found = failed[task.records] = records(task.target, DEVICES[task.device], reason=built.reason)
        else:
            found, netlist = built
            keep(task, found, netlist)
        print(f"explore: {name}: {report.line(found[0])}; {left} of {len(named)} to go", flush=True)
        write(everything, task.versions, failed)

    sweep.run(build, {name: (task,) for name, task in named.items()}, take, workers, tools=everything[0].versions)


if __name__ == "__main__":
    main()
