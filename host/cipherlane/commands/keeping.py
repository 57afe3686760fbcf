# SPDX-License-Identifier: BSD-2-Clause
"""Prints a command's measurements and writes them as JSON and CSV, even if the command is interrupted."""

import argparse
import contextlib
import csv
import io
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cipherlane_base import figures
from cipherlane_base.figures import Measurement

from .. import views
from ..errors import CipherlaneError, FileError
from ..files import whole
from ..files.claims import WrittenName
from ..link.device import Device
from ..measuring.linkbench import LinkMeasurement


def add_results_option(parser: argparse.ArgumentParser) -> None:
    """Add the options --results and --csv, which name the files for the measurements."""
    parser.add_argument(
        "--results", type=WrittenName, metavar="FILE", help="write the figures as JSON to the new file FILE"
    )
    parser.add_argument("--csv", type=WrittenName, metavar="FILE", help="write the figures as CSV to the new file FILE")


def records_of(measurements: Iterable[Measurement | LinkMeasurement]) -> list[dict[str, Any]]:
    """Return measurements as dictionaries for JSON."""
    return [item.record() for item in measurements]


def write_results(
    args: argparse.Namespace, records: list[dict[str, Any]], device: Device, interrupted: str = ""
) -> None:
    """Write the measurements `records` of the board `device` to the files that --results and --csv name.

    `interrupted` is empty, or a text that tells how many figures were measured before the command was interrupted.

    Raises:
        FileError: a file cannot be written.
    """
    if args.results:
        info = device.info()
        with _naming(args.results, "--results"):
            found = figures.document(
                {**({"interrupted": interrupted} if interrupted else {}), "records": records},
                command=shlex.join(["cipherlane", *(word for word in map(str, args.argv) if word != "--force")]),
                board=info.board,
                configuration={"firmware": f"{info.firmware} {info.firmware_version}", "clock_hz": info.clock_hz},
                tools=device.link.transport.tools,
            )
            whole.write(Path(args.results), found, replace=args.force, option="--results")
    if args.csv:
        rows = [_flat(record) for record in records]
        text = io.StringIO()
        table = csv.DictWriter(text, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
        with _naming(args.csv, "--csv"):
            whole.write(Path(args.csv), text.getvalue(), replace=args.force, option="--csv")


def write_report(args: argparse.Namespace, report: str) -> None:
    """Write the text of a report to the file that `args` name; raise FileError if that fails."""
    with _naming(args.report, "--report"):
        whole.write(Path(args.report), report, replace=args.force, option="--report")


def keep_interrupted(
    args: argparse.Namespace,
    done: Sequence[Measurement | LinkMeasurement],
    all_of_them: int,
    device: Device,
    show: Callable[[list[Any], str], None],
    error: BaseException,
) -> None:
    """After `error` has ended the command, print the measurements in `done` and write them to files. Add a note to
    `error` with the number of complete measurements.
    """
    marked = [replace(item, interrupted=bool(item.interrupted)) for item in done]
    whole_ones = sum(not item.interrupted for item in marked)
    said = f"{whole_ones} of {all_of_them} figures were measured"
    said += ", and a part of one" if whole_ones < len(marked) else ""
    records = records_of(marked)
    if args.json:
        views.show_json(records)
    else:
        show(marked, f", interrupted: {said}")
    try:
        write_results(args, records, device, said)
        if names := ", ".join(name for name in (args.results, args.csv) if name):
            said += f": see {names}"
    except CipherlaneError as failure:
        said += f"; {failure}"
    error.add_note(said)


@contextlib.contextmanager
def _naming(name: str, option: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FileError(f"cannot write {name}: {error.strerror}; name another with {option}") from error


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of `record` for a CSV row, without lists and nested dictionaries. A value `inner` in a dictionary
    `outer` gets the name `outer.inner`.
    """
    flat: dict[str, Any] = {}
    for name, item in record.items():
        if isinstance(item, list):
            continue
        flat |= {f"{name}.{part}": each for part, each in item.items()} if isinstance(item, dict) else {name: item}
    return flat
