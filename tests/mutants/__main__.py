"""Draws mutants by seed, runs the tests that should notice them, and lists the survivors; see `make mutants`."""

import argparse
import json
import queue
import random
import sys
import threading
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cipherlane.results import write
from rich.console import Console
from rich.table import Table

from tests.mutants import netlists, runner, sources
from tests.mutants.mutant import BUILD, Mutant, Target

FOLDER = Path(__file__).parent
RESULTS = BUILD.parent / "results" / "mutants.json"
PARTS = ("firmware", "host", "gateware")
LEAST_KILLED = 0.95
CONTROL_S = 1800  # for the tests of a target without a fault


def main() -> int:
    """Run; 1 if more survive than may."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="mutants in all (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--part", choices=PARTS, action="append", help="default: all")
    parser.add_argument("--only", metavar="TEXT", help="only targets whose files or tests contain TEXT")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time (default: %(default)s)")
    args = parser.parse_args()
    mutants = list(_draw(_targets(args), args.seed, args.count))
    outcomes = _run(mutants, args.jobs)
    return _report(mutants, outcomes, args)


def _targets(args: argparse.Namespace) -> list[Target]:
    tables = tomllib.loads((FOLDER / "targets.toml").read_text())["target"]
    targets = [
        Target(table["part"], tuple(table["tests"]), table["weight"], tuple(table.get("files", ()))) for table in tables
    ]
    chosen = [target for target in targets if not args.part or target.part in args.part]
    return [target for target in chosen if not args.only or args.only in f"{target.files}{target.tests}"]


def _draw(targets: list[Target], seed: int, count: int) -> Iterator[Mutant]:
    weights = sum(target.weight for target in targets)
    for target in targets:
        draw = netlists.draw if target.part == "gateware" else sources.draw
        yield from draw(target, random.Random(f"{seed} {target.tests}"), -(-count * target.weight // weights))


def _run(mutants: list[Mutant], jobs: int) -> dict[str, bool]:
    """Whether each mutant, by digest, was noticed; what an earlier run found out is not done again."""
    kept = BUILD / "outcomes.json"
    outcomes = json.loads(kept.read_text()) if kept.exists() else {}
    lock = threading.Lock()
    trees: queue.Queue[runner.Tree] = queue.Queue()
    for number in range(jobs):
        trees.put(runner.Tree(number))
    limits: dict[tuple[Target, str], float] = {}
    for mutant in mutants:
        design = mutant.place if mutant.target.part == "gateware" else ""
        if mutant.digest() in outcomes or (mutant.target, design) in limits:
            continue
        tree = trees.get()
        passed, seconds = tree.run(mutant.target, CONTROL_S, netlists.environment(design, "") if design else {})
        trees.put(tree)
        if not passed:
            tests = " ".join(mutant.target.tests)
            raise SystemExit(f"error: {tests} fail without a fault: see {BUILD}/{tree.path.name}.log")
        limits[mutant.target, design] = runner.limit_of(seconds)

    def judge(mutant: Mutant) -> None:
        tree = trees.get()
        gateware = mutant.target.part == "gateware"
        environment = netlists.environment(mutant.place, mutant.change) if gateware else {}
        try:
            limit = limits[mutant.target, mutant.place if gateware else ""]
            noticed = tree.notices(mutant, limit, environment)
        finally:
            trees.put(tree)
        with lock:
            outcomes[mutant.digest()] = noticed
            kept.write_text(json.dumps(outcomes))
            print(f"{'killed  ' if noticed else 'SURVIVED'} {mutant.name}", flush=True)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(judge, [mutant for mutant in mutants if mutant.digest() not in outcomes]))
    return outcomes


def _report(mutants: list[Mutant], outcomes: dict[str, bool], args: argparse.Namespace) -> int:
    equivalent = tomllib.loads((FOLDER / "equivalent.toml").read_text())
    counts = {part: Counter() for part in PARTS}
    survivors = []
    for mutant in mutants:
        survived = not outcomes[mutant.digest()]
        fate = "killed" if not survived else "equivalent" if mutant.name in equivalent else "survived"
        counts[mutant.target.part][fate] += 1
        if fate == "survived":
            survivors.append(mutant.name)
    table = Table("part", "mutants", "killed", "equivalent", "survived", title=f"mutants, seed {args.seed}")
    total = Counter()
    for part, count in counts.items():
        total.update(count)
        if count:
            row = (count.total(), count["killed"], count["equivalent"], count["survived"])
            table.add_row(part, *map(str, row))
    share = total["killed"] / max(1, total["killed"] + total["survived"])
    Console().print(table)
    for name in survivors:
        print(f"survived: {name}")
    print(f"{share:.1%} of the mutants that are not equivalent were killed; at least {LEAST_KILLED:.0%} are to be")
    record = {"seed": args.seed, "parts": {part: dict(count) for part, count in counts.items()}, "survived": survivors}
    configuration = {"parts": args.part, "count": args.count}
    write(RESULTS, record, command="make mutants", board="none", configuration=configuration)
    return share < LEAST_KILLED


if __name__ == "__main__":
    sys.exit(main())
