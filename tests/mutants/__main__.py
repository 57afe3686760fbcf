# SPDX-License-Identifier: BSD-2-Clause
"""Chooses mutants at random by seed, runs the tests that should detect them, and lists the undetected mutants; see
`make mutants`.
"""

import argparse
import json
import random
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from cipherlane_base.figures import write
from rich.console import Console
from rich.table import Table

from gateware.flow import cache, sweep, toolchain
from gateware.flow.sweep import Failed, SweepError, Workers
from tests.mutants import guards, netlists, runner, sources
from tests.mutants.mutant import BUILD, ROOT, Mutant, Target
from tests.mutants.netlists import FAULTY

FOLDER = Path(__file__).parent
RESULTS = BUILD.parent / "results" / "mutants.json"
PARTS = ("firmware", "host", "gateware")
FATES = ("killed", "equivalent", "survived", "not done")
LEAST_KILLED = 0.95
TOOLS = (*toolchain.TOOLS, *toolchain.SIMULATION, "gcc")
CONTROL_S = 1800  # time limit in seconds for a target's tests without a fault


def main() -> int:
    """Run the command; return 1 if too many mutants stay undetected, or if some were not tested."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="mutants of all targets together (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--part", choices=PARTS, action="append", help="default: all")
    parser.add_argument("--only", metavar="TEXT", help="only targets whose files or tests contain TEXT")
    parser.add_argument("--guards", action="store_true", help="instead the guards of SECURITY's promises, one by one")
    sweep.add_options(parser)
    args = parser.parse_args()
    mutants = list(_guards(args) if args.guards else _draw(args))
    try:
        outcomes = judged(mutants, Workers(args.jobs, args.scheduler))
    except SweepError as error:
        print(f"mutants: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("mutants: stopped; the same command goes on where it was", file=sys.stderr)
        return 130
    return _report(mutants, outcomes, args)


def _guards(args: argparse.Namespace) -> Iterator[Mutant]:
    """Yield the mutants that lack a guard and that the options select. The option --part selects firmware, host or
    gateware. The option --only selects the mutants whose names contain a text.
    """
    for each in guards.guards():
        if (not args.part or each.part in args.part) and (not args.only or args.only in each.name):
            yield each


def _draw(args: argparse.Namespace) -> Iterator[Mutant]:
    """Yield the mutants of the targets that the options select. The mutants of a target do not depend on which other
    targets are selected.
    """
    paths = [FOLDER / "targets.toml", *ROOT.glob("*/tests/targets.toml")]
    tables = [table for path in paths for table in tomllib.loads(path.read_text())["target"]]
    weights = sum(table["weight"] for table in tables)
    for table in tables:
        target = Target(table["part"], tuple(table["tests"]), table["weight"], tuple(table.get("files", ())))
        if (args.part and target.part not in args.part) or (
            args.only and args.only not in f"{target.files}{target.tests}"
        ):
            continue
        draw = netlists.draw if target.part == "gateware" else sources.draw
        count = -(-args.count * target.weight // weights)
        yield from draw(target, random.Random(f"{args.seed} {target.tests}"), count)


def judged(mutants: list[Mutant], workers: Workers) -> dict[str, bool]:
    """Run the tests of each mutant. Return a dictionary that maps a mutant's digest to whether the tests detected the
    mutant. Mutants that no worker finished are left out.

    Results of earlier runs count: a mutant once noticed stays noticed. A survivor is tried again when its tests have
    changed.
    """
    BUILD.mkdir(parents=True, exist_ok=True)
    kept = BUILD / "outcomes.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    drawn = {file for mutant in mutants if mutant.environment for file in runner.faulty(mutant, FAULTY).glob("*.v")}
    inputs = {str(file.relative_to(FAULTY.resolve())): file.read_bytes() for file in drawn}
    tools = toolchain.versions(toolchain.environment(ROOT / "build" / "tools"), TOOLS)

    def judge(tasks: dict[str, tuple[Mutant, float]]) -> None:
        def take(digest: str, result: tuple[bool, float, str] | Failed) -> None:
            mutant, _ = tasks[digest]
            if isinstance(result, Failed):
                print(f"not done {mutant.name}: {result.reason}", flush=True)
                return
            passed, seconds, said = result
            known[digest] = {"passed": passed, "seconds": seconds, "tests": mutant.judges()}
            cache.write(kept, json.dumps(known))
            if digest not in controls:
                print(f"{'SURVIVED' if passed else 'killed  '} {mutant.name}", flush=True)
            elif not passed:
                raise SystemExit(f"{said}\nerror: {mutant.name}: its tests fail")

        sweep.run(runner.judge, tasks, take, workers, inputs=inputs, tools=tools)

    def passed_before(mutant: Mutant) -> bool:
        outcome = known.get(mutant.digest())
        return bool(outcome) and outcome["passed"] and outcome["tests"] == mutant.judges()

    controls = {control.digest(): control for control in (mutant.control() for mutant in mutants)}
    judge({digest: (each, CONTROL_S) for digest, each in controls.items() if not passed_before(each)})
    undecided = {}
    for mutant in mutants:
        control, outcome = known.get(mutant.control().digest()), known.get(mutant.digest())
        if control and (not outcome or (outcome["passed"] and not passed_before(mutant))):
            undecided[mutant.digest()] = mutant, runner.limit_of(control["seconds"], hangs=mutant.must_fail)
    judge(undecided)
    return {mutant.digest(): not known[mutant.digest()]["passed"] for mutant in mutants if mutant.digest() in known}


def _report(mutants: list[Mutant], outcomes: dict[str, bool], args: argparse.Namespace) -> int:
    equivalent = tomllib.loads((FOLDER / "equivalent.toml").read_text())
    counts = {part: Counter() for part in PARTS}
    survivors = []
    for mutant in mutants:
        noticed = outcomes.get(mutant.digest())
        fate = {None: "not done", True: "killed", False: "survived"}[noticed]
        if fate == "survived" and mutant.name in equivalent:
            fate = "equivalent"
        counts[mutant.part][fate] += 1
        if fate == "survived":
            survivors.append(mutant.name)
    table = Table("part", "mutants", *FATES, title=f"mutants, seed {args.seed}")
    total = Counter()
    for part, count in counts.items():
        total.update(count)
        if count:
            table.add_row(part, str(count.total()), *(str(count[fate]) for fate in FATES))
    share = total["killed"] / max(1, total["killed"] + total["survived"])
    Console().print(table)
    for name in survivors:
        print(f"survived: {name}")
    least = 1 if args.guards else LEAST_KILLED
    print(f"{share:.1%} of the mutants that are not equivalent were killed; at least {least:.0%} are to be")
    if args.guards:
        return share < least or total["not done"] > 0
    record = {"seed": args.seed, "parts": {part: dict(count) for part, count in counts.items()}, "survived": survivors}
    configuration = {"parts": args.part, "count": args.count}
    write(RESULTS, record, command="make mutants", board="none", configuration=configuration)
    return share < LEAST_KILLED or total["not done"] > 0


if __name__ == "__main__":
    sys.exit(main())
