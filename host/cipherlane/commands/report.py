"""`cipherlane report`: one page of HTML from files of figures."""

import argparse
import contextlib
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from .. import views
from ..errors import ExistsError, FileError
from ..files import STANDARD, InputFile, OutputFile, is_same
from ..report.page import page
from ..report.sources import Source, read_all
from . import common

FOLDER = "build/results"
OUT = "report.html"


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = common.add_command(
        commands,
        "report",
        link=False,
        help="make a page of HTML from files of figures",
        description="Make one page of HTML, which needs nothing else, from files of figures as --results writes them: "
        "tables and plots, each with its kind and with what it was measured with.",
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help=f"file, or folder of .json files (default: {FOLDER})")
    parser.add_argument(
        "--out", metavar="FILE", default=OUT, help="page, or - for standard output (default: %(default)s)"
    )
    parser.add_argument("--force", action="store_true", help="replace a page that is there")
    common.add_json(parser, default=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Make the page."""
    sources, repeated = read_all(args.files or filter(os.path.isdir, [FOLDER]))
    text = page(sources, repeated, datetime.now(UTC).isoformat(" ", "minutes"))
    _check(args.out, sources)
    with InputFile(sources[0].name) as first, _open(args, first) as out:
        out.write(text.encode())
        out.commit()
    said = {"out": args.out, "files": [source.name for source in sources], "repeated": repeated}
    if args.json and args.out != STANDARD:
        views.show_json(said)
    elif not args.json:
        views.show(f"report: {args.out}: {len(sources)} files of figures", stderr=args.out == STANDARD)
    return 0


def _check(out: str, sources: Sequence[Source]) -> None:
    """Refuse to write over what was read, under whatever name."""
    with contextlib.suppress(OSError, ValueError):
        status = os.stat(out)
        for source in sources:
            if is_same(status, source.status):
                raise FileError(f"{source.name} and {out} are the same file: name another with --out")


def _open(args: argparse.Namespace, first: InputFile) -> OutputFile:
    try:
        return OutputFile(args.out, first, replace=args.force)
    except ExistsError as error:
        if not views.ask(f"{args.out} is there already. Replace it?"):
            raise FileError(
                f"{args.out} is there already: name another with --out, or replace it with --force"
            ) from error
    return OutputFile(args.out, first, replace=True)
