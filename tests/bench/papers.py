"""Measure what the papers' tables compare: ``python -m tests.bench.papers``, or ``make bench-papers``.

Each program has the form that a paper describes, and runs on the simulated board. A figure counts only if its data
match the results of an independent library. An interrupted run resumes where it stopped, like ``make bench``.
"""

import argparse
import os
import sys
from pathlib import Path

from cipherlane.results import write

from gateware.flow import toolchain
from gateware.flow.firmware import REPOSITORY
from tests.bench import cases, ciphers, hashes, public_keys, styles
from tests.bench.board import WrongAnswerError


def main() -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.papers", description=__doc__)
    parser.add_argument("--results", type=Path, default=REPOSITORY / "build" / "results" / "bench-papers.json")
    parser.add_argument("--only", action="append", help="name of a program (repeatable; default: all)")
    arguments = parser.parse_args()
    plan = styles.plan() + ciphers.plan() + hashes.plan() + public_keys.plan()
    names = [family.name for family, _ in plan]
    if unknown := set(arguments.only or ()) - set(names):
        parser.error(f"no program {', '.join(sorted(unknown))}: choose of {', '.join(names)}")
    records = []
    try:
        for family, questions in plan:
            if arguments.only is None or family.name in arguments.only:
                records += cases.measured(family, questions)
    except WrongAnswerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for record in records:
        names = ("measure", "engine", "style", "direction", "key_bits", "cycles_per_block", "code_bytes")
        print(*(record[name] for name in names), sep=", ")
    if arguments.only is None:
        write(
            arguments.results,
            {"records": records},
            command="make bench-papers",
            board="sim; instruction sets of others: sim_comparators and sim_wide_comparators",
            configuration={"programs": "all"},
            tools=toolchain.versions(os.environ, toolchain.SIMULATION),
        )
        print(f"{len(records)} figures in {arguments.results}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
