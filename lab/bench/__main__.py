# SPDX-License-Identifier: BSD-2-Clause
"""Measure every AES implementation of the project on the simulated board: ``python -m lab.bench``, or ``make bench``.

A figure counts only if its data match the results of the library `cryptography`. A program's figures stay in its folder
under `build/bench` until gateware, program or questions change. So an interrupted run can be resumed.
"""

import argparse
import os
import sys
from pathlib import Path

from cipherlane_base.figures import write

from gateware.flow import toolchain
from gateware.flow.firmware import REPOSITORY
from lab.bench import cases, peers, report
from lab.bench.board import C_FAMILIES, ISE_FAMILIES, ZKN_FAMILIES, WrongAnswerError


def main() -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m lab.bench", description=__doc__)
    parser.add_argument("--results", type=Path, default=REPOSITORY / "build" / "results" / "bench-sim.json")
    parser.add_argument("--only", action="append", help="name of a program (repeatable; default: all)")
    arguments = parser.parse_args()
    vector = (
        cases.throughput,
        cases.isolated_block,
        cases.record_sizes,
        cases.contexts,
        cases.constant_time,
    )
    plain = (cases.throughput, cases.isolated_block)
    plan = [(family, vector) for family in ISE_FAMILIES]
    plan += [(family, plain) for family in (*ZKN_FAMILIES, *C_FAMILIES, *peers.families())]
    records = []
    try:
        for family, questions in plan:
            if arguments.only is None or family.name in arguments.only:
                records += cases.measured(family, questions)
    except WrongAnswerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    write(
        arguments.results,
        {"records": records},
        command="make bench",
        board="sim; zkn: sim_scalar",
        configuration={"programs": arguments.only or "all"},
        tools=toolchain.versions(os.environ, toolchain.SIMULATION),
    )
    for name, text in report.plots(records).items():
        arguments.results.with_name(f"{arguments.results.stem}-{name}.svg").write_text(text)
    report.show(records)
    print(f"{len(records)} figures in {arguments.results}, plots in {arguments.results.parent}")
    return 0 if report.is_constant_time(records) else 1


if __name__ == "__main__":
    sys.exit(main())
