# SPDX-License-Identifier: BSD-2-Clause
"""Measure the live view: ``python -m tests.bench_live``, or ``make bench-live``. Each module is one measurement."""

import argparse
import importlib
import sys

PARTS = {
    "goodput": "what a viewer costs of the null board's goodput, some minutes",
    "pace": "pictures a second of the simulated board, by engine, 2 minutes",
    "start": "how long `make live` takes to its first picture, cold and again, many minutes",
    "soak": "ten browsers on the null board, 10 minutes",
}


def main() -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench_live", description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(dest="part", required=True)
    for name, meaning in PARTS.items():
        module = importlib.import_module(f"tests.bench_live.{name}")
        module.add_options(parts.add_parser(name, help=meaning, description=module.__doc__.splitlines()[0]))
    args = parser.parse_args()
    return importlib.import_module(f"tests.bench_live.{args.part}").run(args)


if __name__ == "__main__":
    sys.exit(main())
