"""`cipherlane bench`: engines from memory to memory on the board, or records through the link."""

import argparse
from typing import Any

from .. import views
from ..counterblocks import CounterBlocks
from ..device import DIRECTIONS, KEY_BITS
from ..errors import ArgumentError
from ..linkbench import measure
from ..protocol.layout import Engine
from . import common

LINK_BYTES = 100_000_000
# On a simulated board, where a second is minutes; C takes a hundred times as long as the hardware.
SIM_LINK_BYTES = {
    **{engine: 7_200 if engine in (Engine.BYTE, Engine.TABLE) else 60_000 for engine in Engine},
    Engine.FASTPATH: 3_000_000,
}


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "bench",
        help="measure the engines on the board, or with --link the link to it",
        description="Measure the engines on the board, or with --link the link to it. With --link there is one random "
        "key for each key length, and the ranges of counter blocks of its streams follow each other: the board, which "
        "serves each counter block once, remembers them as one.",
    )
    common.add_link_options(parser)
    parser.add_argument("--engine", choices=common.ENGINE_NAMES, action="append", help="repeatable (default: all)")
    parser.add_argument("--key-bits", type=int, choices=KEY_BITS, action="append", help="repeatable (default: all)")
    parser.add_argument("--direction", choices=(*DIRECTIONS, "both"), default="encrypt")
    parser.add_argument("--bytes", type=_count, help="bytes in all for each figure (default: the board's buffer)")
    parser.add_argument(
        "--record-bytes",
        type=_count,
        action="append",
        help="bytes of each call of the engine, or of a record with --link, where it is repeatable (default: the most)",
    )
    parser.add_argument("--link", action="store_true", help="stream records through the link, with each engine")
    parser.add_argument(
        "--window", type=_count, action="append", help="with --link: most records in flight; repeatable"
    )
    common.add_results_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measure each combination asked for."""
    if args.link:
        return _run_link(args)
    if args.window or len(args.record_bytes or ()) > 1:
        raise ArgumentError("--window, and more than one --record-bytes, go with --link")
    record_bytes = args.record_bytes[0] if args.record_bytes else None
    directions = DIRECTIONS if args.direction == "both" else (args.direction,)
    with common.open_device(args) as device:
        on_memory = [engine for engine in device.info().engines if engine != Engine.FASTPATH]
        names = args.engine or [engine.name.lower() for engine in on_memory]
        engines = [common.choose_engine(device, name) for name in names]
        measurements = [
            device.bench(engine, key_bits, direction, record_bytes, args.bytes)
            for engine in engines
            for key_bits in args.key_bits or KEY_BITS
            for direction in directions
        ]
        info = device.info()
    records = common.write_results(args, measurements, device)
    if args.json:
        views.show_json(records)
    else:
        title = f"{info.board}: CTR from memory to memory at {info.clock_hz / 1e6:g} MHz"
        views.show(views.measurement_table(measurements, title))
    return 0


def _run_link(args: argparse.Namespace) -> int:
    """Sweep engine, key length, record size and window through the link."""
    with common.open_device(args) as device:
        info = device.info()
        names = args.engine or [engine.name.lower() for engine in info.engines]
        engines = [common.choose_engine(device, name) for name in names]
        totals = SIM_LINK_BYTES if info.kind == "sim" else {}
        keys = {key_bits: CounterBlocks(key_bits) for key_bits in args.key_bits or (128,)}
        measurements = [
            measure(device, engine, blocks, record_bytes, window, args.bytes or totals.get(engine, LINK_BYTES))
            for engine in engines
            for blocks in keys.values()
            for record_bytes in args.record_bytes or (None,)
            for window in args.window or (None,)
        ]
    records = common.write_results(args, measurements, device)
    if args.json:
        views.show_json(records)
    else:
        views.show(views.link_table(measurements, f"{info.board}: encrypted streams over {args.port}"))
        if any(item.packet_cycles for item in measurements):
            views.show(views.packet_table(measurements, "the board's cycles for one record, by stage"))
    return 0


def _count(text: str) -> int:
    value = int(text, 0)
    if not 0 < value < 1 << 32:
        raise argparse.ArgumentTypeError(f"{text} is not a number of bytes from 1 to 4294967295")
    return value
