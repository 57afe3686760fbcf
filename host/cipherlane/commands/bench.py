"""`cipherlane bench`: engines from memory to memory on the board."""

import argparse
from typing import Any

from .. import views
from ..device import DIRECTIONS, KEY_BITS
from . import common


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("bench", help="measure the engines on the board, with no transport in the way")
    common.add_link_options(parser)
    parser.add_argument("--engine", choices=common.ENGINE_NAMES, action="append", help="repeatable (default: all)")
    parser.add_argument("--key-bits", type=int, choices=KEY_BITS, action="append", help="repeatable (default: all)")
    parser.add_argument("--direction", choices=(*DIRECTIONS, "both"), default="encrypt")
    parser.add_argument("--bytes", type=_count, help="bytes in all for each figure (default: the board's buffer)")
    parser.add_argument("--record-bytes", type=_count, help="bytes of each call of the engine (default: as many)")
    common.add_results_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measure each combination asked for."""
    directions = DIRECTIONS if args.direction == "both" else (args.direction,)
    with common.open_device(args) as device:
        names = args.engine or [engine.name.lower() for engine in device.info().engines]
        engines = [common.choose_engine(device, name) for name in names]
        measurements = [
            device.bench(engine, key_bits, direction, args.record_bytes, args.bytes)
            for engine in engines
            for key_bits in args.key_bits or KEY_BITS
            for direction in directions
        ]
        info = device.info()
    records = common.write_results(args, measurements)
    if args.json:
        views.show_json(records)
    else:
        title = f"{info.board}: CTR from memory to memory at {info.clock_hz / 1e6:g} MHz"
        views.show(views.measurement_table(measurements, title))
    return 0


def _count(text: str) -> int:
    value = int(text, 0)
    if not 0 < value < 1 << 32:
        raise argparse.ArgumentTypeError(f"{text} is not a number of bytes from 1 to 4294967295")
    return value
