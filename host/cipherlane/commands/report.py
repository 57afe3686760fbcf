# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane report`: makes one HTML page from files of measurements."""

import argparse
import os
from datetime import UTC, datetime
from typing import Any

from .. import views
from ..files.claims import STANDARD, OutName, ReadName, Use, require_apart
from ..files.inputs import InputFile
from ..files.output import OutputFile
from ..report.page import page
from ..report.sources import read_all
from . import common, naming

FOLDER = "build/results"
OUT = "report.html"


def add_to(commands: Any) -> None:
    """Add the command `report` to the command-line parser."""
    parser = common.add_command(
        commands,
        "report",
        link=False,
        help="make an HTML page from files of figures",
        description="Make one self-contained HTML page from files of figures that --results wrote: tables and plots, "
        "each with its kind and the conditions of the measurement.",
    )
    parser.add_argument(
        "files",
        type=ReadName,
        nargs="*",
        metavar="FILE",
        help=f"file, or folder of .json files (default: {FOLDER})",
    )
    parser.add_argument(
        "--out",
        type=OutName,
        metavar="FILE",
        default=OUT,
        help="page, or - for standard output (default: %(default)s)",
    )
    common.add_force(parser, default=argparse.SUPPRESS)
    common.add_json(parser, default=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Make the HTML page."""
    sources, repeated = read_all(args.files or filter(os.path.isdir, [FOLDER]))
    text = page(sources, repeated, datetime.now(UTC).isoformat(" ", "minutes"))
    require_apart((*(Use(each.name, status=each.status) for each in sources), *naming.output(args.out, "--out")))
    with InputFile(sources[0].name) as first, OutputFile(args.out, first, replace=args.force) as out:
        out.write(text.encode())
        out.commit()
    said = {"out": args.out, "files": [source.name for source in sources], "repeated": repeated}
    if args.json and args.out != STANDARD:
        views.show_json(said)
    elif not args.json:
        views.show(f"report: {args.out}: {len(sources)} files of figures", stderr=args.out == STANDARD)
    return 0
