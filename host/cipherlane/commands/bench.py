# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane bench`: measures the speed of engines on data in the board's memory, or of records over the link."""

import argparse
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from cipherlane_base.notices import show_warning
from cipherlane_base.wire.layout import Engine

from .. import views
from ..clock import Clock
from ..errors import ArgumentError, CipherlaneError, VerifyError
from ..files.claims import WrittenName
from ..link.counterblocks import CounterBlocks
from ..link.device import DIRECTIONS, KEY_BITS, Device, key_bits_of
from ..link.replies import BoardInfo
from ..link.transfer import Progress
from ..measuring import reports
from ..measuring.intervals import Intervals
from ..measuring.linkbench import LinkMeasurement, Load, measure
from . import common, keeping

Task = Callable[[Progress], Any]
Keep = Callable[[Any], None]

LINK_BYTES = 100_000_000
_LEAST_INTERVAL = 0.1  # seconds


def add_to(commands: Any) -> None:
    """Add the command `bench` to the command-line parser."""
    parser = common.add_command(
        commands,
        "bench",
        help="measure the engines on the board, or with --link the link to it",
        description="Measure the engines on the board, or with --link the link to it. With --link, there is one random "
        "key for each key length, and successive streams use successive counter blocks: the board serves each "
        "counter block once, and its table holds them as one range.",
    )
    parser.add_argument("--engine", choices=common.ENGINE_NAMES, action="append", help="repeatable (default: all)")
    parser.add_argument("--key-bits", type=int, choices=KEY_BITS, action="append", help="repeatable (default: all)")
    parser.add_argument(
        "--direction",
        choices=(*DIRECTIONS, "both"),
        default="encrypt",
        help="default: %(default)s; --link only encrypts",
    )
    common.add_mode(parser)
    parser.add_argument("--bytes", type=_count, help="bytes in all for each figure (default: the board's buffer)")
    common.add_duration(parser)
    parser.add_argument(
        "--record-bytes",
        type=_count,
        action="append",
        help="bytes of each call of the engine; with --link, of each record, and repeatable (default: the largest)",
    )
    parser.add_argument(
        "--link", action="store_true", help="stream records through the link, with each engine, in AES-CTR"
    )
    parser.add_argument(
        "--window", type=_count, action="append", help="with --link: most records in flight; repeatable"
    )
    parser.add_argument(
        "--interval",
        type=_interval,
        metavar="SECONDS",
        help="with --link: print the traffic in both directions every SECONDS, and in all, by the host's clock",
    )
    parser.add_argument("--progress", action=argparse.BooleanOptionalAction, help="default: on a terminal")
    keeping.add_results_option(parser)
    parser.add_argument(
        "--report",
        type=WrittenName,
        metavar="FILE",
        help="run the self-test first, and write a report to the new file FILE that can be sent to the project: board, "
        "build and figures, nothing about you or your machine",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measure each requested combination of engine, key length and size."""
    if not args.link and (args.window or len(args.record_bytes or ()) > 1):
        raise ArgumentError("--window, and more than one --record-bytes, go with --link")
    if args.interval and (not args.link or args.progress):
        raise ArgumentError("--interval goes with --link, and replaces --progress")
    if args.link and "gcm" in (args.mode or ()):
        raise ArgumentError("--link measures AES-CTR only: leave --mode gcm out")
    if args.duration and args.bytes:
        raise ArgumentError("--duration and --bytes both limit a measurement: give one")
    done: list[Any] = []
    try:
        with common.open_device(args) as device:
            info = device.info()
            tests = _tested(device) if args.report else 0
            tasks = list((_link_tasks if args.link else _memory_tasks)(args, device, done.append))
            with views.bench_progress(len(tasks), False if args.interval else args.progress) as progress:
                for label, task in tasks:
                    done.append(task(progress(label)))
    except (KeyboardInterrupt, CipherlaneError) as error:
        if done:
            show = functools.partial(_show, args, info)
            keeping.keep_interrupted(args, done, len(tasks), device, show, error)
        raise
    records = keeping.records_of(done)
    if args.json:
        views.show_json(records)
    else:
        _show(args, info, done)
    keeping.write_results(args, records, device)
    if args.report:
        keeping.write_report(args, reports.text(device, tests, done))
        if info.kind != "board":
            show_warning(f"{args.report} is of kind {info.kind}: the project's table only takes reports about hardware")
    return 0


def _tested(device: Device) -> int:
    """Return the number of known-answer tests that the board passes.

    Raises:
        ArgumentError: a report about this board is impossible, because its build is unknown.
        VerifyError: a test fails.
    """
    if not device.info().build_id:
        raise ArgumentError("the board does not tell its build: a report needs a board that `make bitstream` built")
    outcome = device.selftest()
    if not outcome.passed:
        raise VerifyError("no report about a board that fails its self-test: `cipherlane selftest` shows what failed")
    return outcome.tests


def _memory_tasks(args: argparse.Namespace, device: Device, keep: Keep) -> Iterator[tuple[str, Task]]:
    """For each measurement of an engine on data in the board's memory, yield a label and a function that measures."""
    engines = device.info().memory_engines
    directions = DIRECTIONS if args.direction == "both" else (args.direction,)
    record_bytes = args.record_bytes[0] if args.record_bytes else None
    for engine, mode in common.modes_of(_engines(args, engines), device.info(), args.mode):
        sizes = key_bits_of(engine)
        for key_bits in [size for size in args.key_bits or sizes if args.engine or size in sizes]:
            for direction in directions:
                words = (engine, key_bits, direction, record_bytes, args.bytes)
                measured = functools.partial(device.bench, *words, mode=mode, seconds=args.duration, keep=keep)
                yield f"{engine.name.lower()} {key_bits} {direction} {mode}", _with_progress(measured)


def _link_tasks(args: argparse.Namespace, device: Device, keep: Keep) -> Iterator[tuple[str, Task]]:
    """For each measurement of records over the link, yield a label and a function that measures."""
    info = device.info()
    keys = {key_bits: CounterBlocks(key_bits) for key_bits in args.key_bits or (128,)}
    for engine in _engines(args, info.engines_of("aes")):
        enough = engine.traits.sim_bytes if info.kind == "sim" else LINK_BYTES
        for key_bits, blocks in keys.items():
            for record_bytes in args.record_bytes or (None,):
                for window in args.window or (None,):
                    total = None if args.duration else args.bytes or enough
                    load = Load(engine, blocks, record_bytes, window, total, args.duration)
                    measured = functools.partial(measure, device, load, keep=keep)
                    label = f"{engine.name.lower()} {key_bits}"
                    yield (
                        label,
                        _with_intervals(measured, args, label, device.clock)
                        if args.interval
                        else _with_progress(measured),
                    )


def _with_progress(measure: Callable[..., Any]) -> Task:
    return lambda show: measure(progress=show)


def _with_intervals(
    measure: Callable[..., LinkMeasurement], args: argparse.Namespace, label: str, clock: Clock
) -> Task:
    """Return a function that measures the traffic, and prints the traffic of each interval when the interval ends. With
    the option --json, the function prints on standard error, otherwise on standard output.
    """

    def show(line: str) -> None:
        views.show(line, stderr=args.json)

    def task(progress: Progress) -> LinkMeasurement:
        for line in views.interval_heading(label):
            show(line)
        intervals = Intervals(args.interval, lambda interval: show(views.interval_line(interval)), clock)
        try:
            return measure(progress=progress, intervals=intervals)
        finally:
            if intervals.found:
                show(views.interval_line(intervals.total, "total"))

    return task


def _engines(args: argparse.Namespace, present: Iterable[Engine]) -> list[Engine]:
    """Return the requested engines, by default all; raise ArgumentError for an engine that is not in `present`."""
    names = args.engine or [engine.name.lower() for engine in present]
    return [common.engine_of(name, present) for name in names]


def _show(args: argparse.Namespace, info: BoardInfo, done: list[Any], interrupted: str = "") -> None:
    if not args.link:
        title = f"{info.board}: engines from memory to memory at {info.clock_hz / 1e6:g} MHz"
        views.show(views.measurement_table(done, title + interrupted))
        return
    views.show(views.link_table(done, f"{info.board}: encrypted streams over {args.port}{interrupted}"))
    if any(item.packet_cycles for item in done):
        views.show(views.packet_table(done, "the board's cycles for one record, by stage"))


def _interval(text: str) -> float:
    value = common.seconds(text)
    if value < _LEAST_INTERVAL:
        raise argparse.ArgumentTypeError(f"{text} is too short: give {_LEAST_INTERVAL:g} seconds at least")
    return value


def _count(text: str) -> int:
    value = int(text, 0)
    if not 0 < value < 1 << 32:
        raise argparse.ArgumentTypeError(f"{text} is not a number of bytes from 1 to 4294967295")
    return value
