# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane mac`: computes the 128-EIA2 MAC of an LTE message."""

import argparse
from typing import Any

from cipherlane_base.wire.layout import Engine

from .. import views
from ..errors import ArgumentError
from ..files import keys
from ..files.claims import STANDARD, ReadName
from ..files.inputs import InputFile
from ..link import lte
from ..link.eia2 import ALGORITHM, eia2
from . import common

_ENGINES = [engine for engine in Engine if engine.traits.cipher == "aes" and not engine.traits.serves]


def add_to(commands: Any) -> None:
    """Add the command `mac` to the command-line parser."""
    parser = common.add_command(
        commands,
        "mac",
        help="compute the MAC of an LTE message, 128-EIA2",
        description="Compute the 128-EIA2 of the message IN on the board (TS 33.401, B.2.3), and print its 32 bits as "
        "8 hexadecimal digits.",
        epilog=common.NETWORK,
    )
    keys.add_options(parser)
    lte.add_message_options(parser)
    parser.add_argument(
        "--engine", choices=[engine.name.lower() for engine in _ENGINES], help="default: the fastest present"
    )
    parser.add_argument("input", type=ReadName, metavar="IN", help="input file, - for standard input")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read the message and print its MAC."""
    if args.key_file == STANDARD == args.input:
        raise ArgumentError("--key-file - and IN - would both read standard input: name a file")
    key = keys.take_key(args)
    message = lte.described(args, ALGORITHM, key)
    with InputFile(args.input) as source:
        message.check_length(source)
        with common.open_device(args) as device:
            present = [engine for engine in device.info().engines_of("aes") if engine in _ENGINES]
            if not present:
                raise ArgumentError("the board has no engine for this: flash current firmware")
            engine = common.engine_of(args.engine, present)
            most = device.info().max_data
            data = b""
            while len(data) <= most and (piece := source.read(most + 1 - len(data))):
                data += piece
            mac = eia2(device, key, message, data, engine)
    if args.json:
        views.show_json({"mac": mac.hex(), "engine": engine.name.lower(), "kind": device.info().kind})
    else:
        views.show(mac.hex())
    return 0
