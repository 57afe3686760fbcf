# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane load`: loads new firmware over the UART into a board that has a loader."""

import argparse
import contextlib
from typing import Any

from cipherlane_base.wire.layout import ImageState

from .. import views
from ..errors import ArgumentError, LoadError
from ..files import image as imagefile
from ..files.claims import ReadName
from ..link import loading
from ..link.device import Device
from ..transport.udp import SCHEME
from . import common


def add_to(commands: Any) -> None:
    """Add the command `load` to the command-line parser."""
    parser = common.add_command(
        commands,
        "load",
        help="load firmware over the UART, with the loader of configuration `loader`",
        description="Check FILE, enter the board's loader (by a break on the UART line) and send the firmware. The "
        "loader checks its memory and starts the firmware; the command waits until it answers, and compares its build "
        "id. The loader stays in the board, even if firmware does not run or a transfer breaks off. After a "
        "power cycle, the board runs its bitstream's firmware again.",
    )
    parser.add_argument(
        "file",
        type=ReadName,
        nargs="?",
        metavar="FILE",
        help="firmware image that `make firmware` writes next to the bitstream; without FILE, the firmware in the "
        "board's memory is started again",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Load and start the firmware."""
    chosen = imagefile.read(args.file) if args.file else None
    if args.port and args.port.startswith((f"{SCHEME}:", "sim+udp")):
        raise ArgumentError("the loader answers only on the UART: name a serial port with --port")
    # Do not connect the device here: connecting sends an info request, which the loader does not know.
    with contextlib.closing(common.open_device(args)) as device:
        entered = loading.enter(device)
        if chosen:
            _send(device, chosen, entered)
        elif entered.image != ImageState.WHOLE:
            raise LoadError("the board holds no firmware to start: give its FILE")
        loading.start(device)
        info = loading.await_firmware(device, chosen.build_id if chosen else entered.image_id)
    if args.json:
        sent = len(chosen.firmware) if chosen else 0
        views.show_json({"board": info.board, "build_id": info.build_id, "bytes": sent, "cause": entered.cause})
    else:
        views.show(f"{info.board} runs build {info.build_id}" + ("" if chosen else ", which it held already"))
    return 0


def _send(device: Device, chosen: imagefile.Image, entered: loading.LoaderInfo) -> None:
    loading.require_fit(chosen, entered)
    with views.transfer_progress("firmware", len(chosen.firmware)) as progress:
        loading.send(device, chosen, entered, progress)
