# SPDX-License-Identifier: BSD-2-Clause
"""The command line of the measurements: runs measurements, prints the values and writes a results file."""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from cipherlane_base.figures import write

from gateware.flow import toolchain
from gateware.flow.firmware import REPOSITORY
from lab.bench import cases
from lab.bench.board import WrongAnswerError

# A step of a measurement command: a name for the option --only, and the function that measures.
Step = tuple[str, Callable[[], list[cases.Record]]]


def run(name: str, description: str, kind: str, steps: Iterable[Step], columns: Sequence[str]) -> int:
    """Run the command ``make bench-<name>``; return its exit status. If several steps have the same name, the option
    --only selects all of them.

    Results are written only when everything was measured.

    Args:
        name: the module in `lab.bench`; it also names the file of results.
        description: the first lines of the help text.
        kind: the word for a step in help texts and errors, for example "program".
        steps: what to measure, in order.
        columns: the values of a record to print.
    """
    steps = list(steps)
    names = dict.fromkeys(each for each, _ in steps)
    parser = argparse.ArgumentParser(prog=f"python -m lab.bench.{name}", description=description)
    parser.add_argument("--results", type=Path, default=REPOSITORY / "build" / "results" / f"bench-{name}.json")
    only = {"action": "append", "metavar": kind.upper(), "help": f"name of a {kind} (repeatable; default: all)"}
    parser.add_argument("--only", **only)
    arguments = parser.parse_args()
    if unknown := set(arguments.only or ()) - names.keys():
        parser.error(f"no {kind} {', '.join(sorted(unknown))}: choose of {', '.join(names)}")
    try:
        records = [record for each, measure in steps if each in (arguments.only or names) for record in measure()]
    except WrongAnswerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for record in records:
        print(*(record[column] for column in columns), sep=", ")
    if arguments.only is None:
        write(
            arguments.results,
            {"records": records},
            command=f"make bench-{name}",
            board="sim; instruction sets of others: sim_comparators and sim_wide_comparators",
            configuration={"programs": "all"},
            tools=toolchain.versions(os.environ, toolchain.SIMULATION),
        )
        print(f"{len(records)} figures in {arguments.results}")
    return 0
