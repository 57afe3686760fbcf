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
    parser.add_argument("--count", type=int, default=300, help="mutants of all targets together (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--part", choices=PARTS, action="append", help="default: all")
    parser.add_argument("--only", metavar="TEXT", help="only targets whose files or tests contain TEXT")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time (default: %(default)s)")
    args = parser.parse_args()
    mutants = list(_draw(args))
    outcomes = _run(mutants, args.jobs)
    return _report(mutants, outcomes, args)


def _draw(args: argparse.Namespace) -> Iterator[Mutant]:
    """The mutants of the targets that are asked for: the same as when all are."""
    tables = tomllib.loads((FOLDER / "targets.toml").read_text())["target"]
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


def _run(mutants: list[Mutant], jobs: int) -> dict[str, bool]:
    """Whether each mutant, by digest, was noticed.

    What an earlier run found out is not done again: a mutant once noticed counts as noticed, and one that survived is
    tried again when its tests have changed.
    """
    kept = BUILD / "outcomes.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    lock = threading.Lock()
    trees: queue.Queue[runner.Tree] = queue.Queue()
    for number in range(jobs):
        trees.put(runner.Tree(number))

    def judge(mutant: Mutant, limit: float) -> dict:
        tree = trees.get()
        try:
            passed, seconds = tree.passes(mutant, limit)
        finally:
            trees.put(tree)
        with lock:
            known[mutant.digest()] = outcome = {"passed": passed, "seconds": seconds, "tests": mutant.judges()}
            kept.write_text(json.dumps(known))
        return outcome

    def decide(mutant: Mutant) -> None:
        outcome = known.get(mutant.digest())
        if outcome and (not outcome["passed"] or outcome["tests"] == mutant.judges()):
            return
        outcome = judge(mutant, limits[mutant.control().digest()])
        print(f"{'SURVIVED' if outcome['passed'] else 'killed  '} {mutant.name}", flush=True)

    def measure(control: Mutant) -> None:
        outcome = known.get(control.digest())
        if not outcome or not outcome["passed"] or outcome["tests"] != control.judges():
            outcome = judge(control, CONTROL_S)
        if not outcome["passed"]:
            raise SystemExit(f"error: {control.name}: its tests fail: see {BUILD}/tree*.log")
        limits[control.digest()] = runner.limit_of(outcome["seconds"])

    limits: dict[str, float] = {}
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(measure, {each.digest(): each for each in map(Mutant.control, mutants)}.values()))
        list(pool.map(decide, mutants))
    return {mutant.digest(): not known[mutant.digest()]["passed"] for mutant in mutants}


def _report(mutants: list[Mutant], outcomes: dict[str, bool], args: argparse.Namespace) -> int:
    equivalent = tomllib.loads((FOLDER / "equivalent.toml").read_text())
    counts = {part: Counter() for part in PARTS}
    survivors = []
    for mutant in mutants:
        survived = not outcomes[mutant.digest()]
        fate = "killed" if not survived else "equivalent" if mutant.name in equivalent else "survived"
        counts[mutant.part][fate] += 1
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
