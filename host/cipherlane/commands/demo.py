# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane demo`: sends a file through every engine, verifies every byte, and prints figures to quote."""

import argparse
import io
import operator
import secrets
import shlex
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from cipherlane_base.figures import Measurement
from cipherlane_base.wire.layout import Engine

from .. import views
from ..errors import ArgumentError, CipherlaneError, FileError, VerifyError
from ..files.authenticated import PREFIX_BYTES, RECORD_BYTES, Header
from ..files.claims import ReadName
from ..link.counterblocks import CounterBlocks
from ..link.device import DIRECTIONS, KEY_BITS, Device
from ..link.replies import BoardInfo
from ..measuring import oracle
from . import common, keeping

ENGINES = sorted((engine for engine in Engine if engine.traits.demo), key=lambda engine: -engine.traits.rank)
PICTURE = files("cipherlane") / "demo.pbm"
ALL = "all"
_MOST_BYTES = 64 << 20  # maximum bytes of the input file: without a limit, reading /dev/zero would never end


def add_to(commands: Any) -> None:
    """Add the command `demo` to the command-line parser."""
    parser = commands.add_parser(
        "demo",
        help="stream a file through every engine, check it, and compare the engines",
        description="Stream IN through every engine, check every byte, and compare the engines. A board serves each "
        "counter block once, so the cryptography package encrypts the data to decrypt, under other counter blocks; the "
        "result is compared with IN. There is one random key for each key length, and successive streams use "
        "successive counter blocks, which the board's table holds as one range. Engines with AES-GCM then send IN in "
        "records with a tag each. These streams take a range each, and are left out if few are free.",
    )
    common.add_link_options(parser)
    names = ", ".join(engine.name.lower() for engine in ENGINES)
    parser.add_argument(
        "--engine",
        choices=common.ENGINE_NAMES,
        action="append",
        help=f"repeatable (default: all of {names} that the board has)",
    )
    parser.add_argument(
        "--key-bits", choices=(*map(str, KEY_BITS), ALL), action="append", help="repeatable (default: 128)"
    )
    common.add_mode(parser)
    keeping.add_results_option(parser)
    parser.add_argument(
        "input", type=ReadName, metavar="IN", nargs="?", help="file to encrypt (default: a picture of 4096 bytes)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Encrypt and decrypt with each requested engine and key length; keys and IVs are random and are not stored."""
    name, plaintext = _input(args.input)
    asked = args.key_bits or [str(KEY_BITS[0])]
    measurements: list[Measurement] = []
    try:
        with common.open_device(args) as device:
            info = device.info()
            engines = [common.choose_engine(device, each) for each in args.engine or _present(info)]
            lengths = KEY_BITS if ALL in asked else tuple(map(int, asked))
            title = f"{name} by AES, record by record: engines of board {info.board} at {_circumstances(info)}"
            streams = [
                (key_bits, engine, mode, direction)
                for key_bits in lengths
                for engine, mode in common.modes_of(engines, info, args.mode)
                for direction in DIRECTIONS
            ]
            if not args.mode and 2 * sum(mode == "gcm" for _, _, mode, _ in streams) > info.ranges_free:
                streams = [each for each in streams if each[2] == "ctr"]
            blocks = {key_bits: CounterBlocks(key_bits) for key_bits in lengths}
            for key_bits, engine, mode, direction in streams:
                if mode == "gcm":
                    measurements.append(transfer_records(device, engine, key_bits, direction, plaintext))
                else:
                    measurements.append(transfer(device, engine, blocks[key_bits], direction, plaintext))
                if not views.on_terminal():
                    label = _label(engine, key_bits, direction)
                    views.show(f"{label} {mode} verified" if mode == "gcm" else f"{label} verified", stderr=True)
    except (KeyboardInterrupt, CipherlaneError) as error:
        if measurements:
            total = len(streams)

            def show(done: list[Measurement], interrupted: str) -> None:
                views.show(views.measurement_table(done, title + interrupted))

            keeping.keep_interrupted(args, measurements, total, device, show, error)
        raise
    records = keeping.records_of(measurements)
    if args.json:
        views.show_json(records)
    else:
        views.show(views.measurement_table(measurements, title))
    keeping.write_results(args, records, device)
    if not args.json:
        for line in _closing(args, info, measurements):
            views.show(line)
    return 0


def transfer(device: Device, engine: Engine, blocks: CounterBlocks, direction: str, plaintext: bytes) -> Measurement:
    """Measure one AES-CTR transfer in a new session with unused counter blocks. The board encrypts `plaintext`, or
    decrypts the ciphertext of `plaintext`.

    Raises:
        VerifyError: a byte differs from the reference.
        TransferError: the transfer cannot be completed.
    """
    key, iv = blocks.key, blocks.take(len(plaintext))
    return _checked(device, engine, key, iv, direction, plaintext, oracle.encrypted(key, iv, plaintext), gcm=False)


def transfer_records(device: Device, engine: Engine, key_bits: int, direction: str, plaintext: bytes) -> Measurement:
    """Measure one AES-GCM transfer under a new key. The board encrypts `plaintext`, or decrypts the encrypted records
    of `plaintext`.

    Raises:
        VerifyError: a byte differs from the reference.
        TransferError: the transfer cannot be completed.
    """
    header = Header(key_bits // 8, RECORD_BYTES, secrets.token_bytes(PREFIX_BYTES))
    key = secrets.token_bytes(header.key_bytes)
    ciphertext = oracle.Gcm(key, header).records(plaintext)
    return _checked(device, engine, key, header.iv, direction, plaintext, ciphertext, gcm=True)


def _checked(
    device: Device,
    engine: Engine,
    key: bytes,
    iv: bytes,
    direction: str,
    plaintext: bytes,
    ciphertext: bytes,
    *,
    gcm: bool,
) -> Measurement:
    """Encrypt `plaintext` on the board and expect `ciphertext`, or decrypt `ciphertext` and expect `plaintext`."""
    data, expected = (plaintext, ciphertext) if direction == "encrypt" else (ciphertext, plaintext)
    output = io.BytesIO()
    with (
        device.open_session(key, iv, engine, direction, length=len(plaintext), gcm=gcm) as session,
        views.transfer_progress(_label(engine, len(key) * 8, direction), len(plaintext)) as progress,
    ):
        report = session.transfer(io.BytesIO(data), output, length=len(plaintext), progress=progress)
        measurement = session.measurement(engine, key, report, True)
    if output.getvalue() != expected:
        raise VerifyError(f"{direction} with {engine.name.lower()} returned wrong bytes: do not use this board")
    return measurement


def _input(path: str | None) -> tuple[str, bytes]:
    """Return the name and the contents of the file to encrypt."""
    if path is None:
        return PICTURE.name, PICTURE.read_bytes()
    try:
        with open(path, "rb") as file:
            contents = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from error
    if len(contents) > _MOST_BYTES:
        raise FileError(f"{path} has more than {_MOST_BYTES >> 20} MiB, too many for a demo: name a shorter file")
    if not contents:
        raise FileError(f"{path} is empty: name a file with something to encrypt")
    return path, contents


def _present(info: BoardInfo) -> list[str]:
    present = [engine.name.lower() for engine in ENGINES if engine in info.engines]
    if not present:
        raise ArgumentError("the board has none of the demo's engines: name others with --engine")
    return present


def _circumstances(info: BoardInfo) -> str:
    """Return a text that gives the board's clock and, if the data are in external memory, the name of that memory."""
    clock = f"{info.clock_hz / 1e6:g} MHz"
    return f"{clock}, data in {info.memory}" if info.memory else clock


def _label(engine: Engine, key_bits: int, direction: str) -> str:
    return f"AES-{key_bits} {engine.name.lower():12} {direction}"


def _closing(args: argparse.Namespace, info: BoardInfo, measurements: list[Measurement]) -> list[str]:
    """Return the last lines to print: notes on the figures, a sentence to quote, and commands to try next."""
    lines = []
    if info.kind == "sim":
        lines += ["sim: cycles counted in the simulated board, at the clock its description declares"]
    if info.broken_memory:
        lines += [f"data on chip: the board's SDRAM does not work; its firmware reports {info.broken_memory}"]
    if args.results:
        lines += [f"figures in {args.results}"]
    streams = f"{len(measurements)} streams of {measurements[0].bytes} bytes"
    lines += ["", *sentence(info, measurements), f"Verified: {streams}, every byte equal to that of {oracle.name()}."]
    program, port = Path(sys.argv[0]), shlex.quote(args.port)
    tool = shlex.quote(str(program.relative_to(Path.cwd()) if program.is_relative_to(Path.cwd()) else program))
    following = {
        f"bench --port {port}": "from memory to memory, no link in the way",
        f"selftest --port {port}": "the standards' known answers, on the board itself",
    }
    if any(item.engine == "fastpath" for item in measurements):
        following[f"bench --link --engine fastpath --port {port}"] = "the fast path's goodput: it counts no cycles"
    else:
        following[f"demo --key-bits all --port {port}"] = "AES-192 and AES-256 too"
    width = max(map(len, following))
    lines += ["Next:", *(f"  {tool} {words:{width}}  # {what}" for words, what in following.items())]
    return lines


def sentence(info: BoardInfo, measurements: list[Measurement]) -> list[str]:
    """Return a list with one sentence to quote: the best result, and whether it was simulated or measured on a board.
    The list is empty if no engine counts cycles.
    """
    key_bits = measurements[0].key_bits
    counted = {
        item.engine: (cycles, item)
        for item in measurements
        if (cycles := item.cycles_per_block)
        and (item.key_bits, item.direction, item.mode) == (key_bits, DIRECTIONS[0], "ctr")
    }
    if not counted:
        return []
    least, best = min(counted.values(), key=operator.itemgetter(0))
    where = {"sim": "Simulated", "board": f"Measured on board {info.board}"}.get(info.kind, "In software")
    name = Engine[best.engine.upper()].traits.title
    text = (
        f"{where} at {_circumstances(info)}, without the link: {name} "
        f"encrypts AES-{key_bits} in counter mode at {best.mbps:.0f} Mbps, {least:.1f} cycles a block"
    )
    of_table, table = counted.get("table", (least, best))
    if table is not best:
        text += f", {of_table / least:.0f} times as fast as C with tables on the same RISC-V core"
    return [f"{text}."]
