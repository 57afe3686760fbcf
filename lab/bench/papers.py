# SPDX-License-Identifier: BSD-2-Clause
"""Measure the values in the papers' tables: ``python -m lab.bench.papers``, or ``make bench-papers``.

Each program has the form that a paper describes, and runs on the simulated board. A figure counts only if its data
match the results of an independent library. An interrupted run resumes where it stopped, like ``make bench``.
"""

import sys
from functools import partial

from lab.bench import cases, ciphers, command, hashes, public_keys, styles

COLUMNS = ("measure", "engine", "style", "direction", "key_bits", "cycles_per_block", "code_bytes")


def main() -> int:
    """Run the command; return the exit status."""
    plan = styles.plan() + ciphers.plan() + hashes.plan() + public_keys.plan()
    steps = [(family.name, partial(cases.measured, family, questions)) for family, questions in plan]
    return command.run("papers", __doc__, "program", steps, COLUMNS)


if __name__ == "__main__":
    sys.exit(main())
