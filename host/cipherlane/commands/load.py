"""`cipherlane load`: loads new firmware over the UART into a board that has a loader."""

import argparse
import contextlib
from typing import Any

from .. import image, loading, views
from ..claims import ReadName
from ..device import Device
from ..errors import ArgumentError, LoadError
from ..protocol.layout import ImageState
from ..transport.udp import SCHEME
from . import common


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = common.add_command(
        commands,
        "load",
        help="load firmware over the UART, by the loader of configuration `loader`",
        description="Check FILE, enter the board's loader (by a break on the UART's line), send the firmware, have the "
        "loader check what its memory then holds, and start it; wait until it answers, and compare its build id. The "
        "loader stays in the board: firmware that does not run, or a transfer that was broken off, leave it there. "
        "When its power is cycled the board has its bitstream's firmware again.",
    )
    parser.add_argument(
        "file",
        type=ReadName,
        nargs="?",
        metavar="FILE",
        help="image of firmware, as `make firmware` leaves it beside the bitstream; without it the firmware that is in "
        "the board's memory is started again",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Load and start it."""
    chosen = image.read(args.file) if args.file else None
    if args.port and args.port.startswith((f"{SCHEME}:", "sim+udp")):
        raise ArgumentError("the loader is at the UART: name a serial port with --port")
    with contextlib.closing(common.open_device(args)) as device:  # not connected: the loader lacks that request
        entered = loading.enter(device)
        if chosen:
            _send(device, chosen, entered)
        elif entered.image != ImageState.WHOLE:
            raise LoadError("there is no firmware to start: give its FILE")
        loading.start(device)
        info = loading.await_firmware(device, chosen.build_id if chosen else entered.image_id)
    if args.json:
        sent = len(chosen.firmware) if chosen else 0
        views.show_json({"board": info.board, "build_id": info.build_id, "bytes": sent, "cause": entered.cause})
    else:
        views.show(f"{info.board} runs build {info.build_id}" + ("" if chosen else ", which was there"))
    return 0


def _send(device: Device, chosen: image.Image, entered: loading.LoaderInfo) -> None:
    loading.require_fit(chosen, entered)
    with views.transfer_progress("firmware", len(chosen.firmware)) as progress:
        loading.send(device, chosen, entered, progress)
