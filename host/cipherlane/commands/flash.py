# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane flash`: loads a bitstream into a board by openFPGALoader."""

import argparse
import tempfile
from pathlib import Path
from typing import Any

from .. import views
from ..errors import FlashError
from ..files import bitstream
from ..files.claims import ReadName
from ..link import flashing
from . import common


def add_to(commands: Any) -> None:
    """Add the command `flash` to the command-line parser."""
    parser = common.add_command(
        commands,
        "flash",
        link=False,
        help="load a bitstream into the board, without the checkout that made it",
        description="Check FILE against its description FILE.json, which `make bitstream` writes, read the FPGA on the "
        "board's cable, and load FILE by openFPGALoader if it is for this FPGA. With --port, wait until the board "
        "answers there with the bitstream's build id.",
    )
    parser.add_argument("file", type=ReadName, metavar="FILE", help="bitstream; FILE.json must be next to it")
    parser.add_argument(
        "--memory",
        choices=tuple(flashing.MEMORIES),
        help="sram: the FPGA, until its power is off; spi: the flash that it starts from (default: sram, or spi for a "
        "board with a bootloader)",
    )
    parser.add_argument("--revision", default="", help="revision of the board (default: found by the attached cable)")
    parser.add_argument("--dry-run", action="store_true", help="print the command for openFPGALoader, and load nothing")
    parser.add_argument(
        "--port",
        default=argparse.SUPPRESS,
        help="where the loaded board answers, not sim (default: $CIPHERLANE_PORT, or nobody is asked)",
    )
    common.add_json(parser, default=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Load the bitstream; return the exit status."""
    content, described = bitstream.read(args.file)
    memory = args.memory or ("spi" if described.bootloader else "sram")
    if described.bootloader and memory == "sram":
        raise FlashError(f"{described.title} is loaded by its bootloader, only into its SPI flash: say --memory spi")
    if args.dry_run:
        said = flashing.load(described, Path(args.file).resolve(), memory, dry_run=True, revision=args.revision)
    else:
        # openFPGALoader gets a copy of the checked bytes, because the file can change after the check
        with tempfile.TemporaryDirectory(prefix="cipherlane-") as folder:
            copy = Path(folder) / f"{described.board}_{described.configuration}.bit"
            copy.write_bytes(content)
            said = flashing.load(described, copy, memory, revision=args.revision)
    if not args.json:
        views.show(said)
    # If the setting `port` names a simulated board, the port of the flashed board is unknown. Then nothing checks the
    # flashed board.
    port = "" if args.dry_run or not args.port or args.port.startswith("sim") else args.port
    if port:
        answer = flashing.confirm(described.build_id, port, again=f"cipherlane flash {args.file}")
        if not args.json:
            views.show(answer)
    if args.json:
        names = ("board", "configuration", "part", "build_id", "sha256")
        facts = {name: getattr(described, name) for name in names}
        done = {"command": said} if args.dry_run else {"loaded": True, "answered": bool(port)}
        views.show_json({**facts, "memory": memory, **done})
    return 0
