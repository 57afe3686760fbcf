"""`cipherlane demo`: a file through every engine and key length, every byte checked, and the table of figures."""

import argparse
import io
from pathlib import Path
from typing import Any

from .. import views
from ..counterblocks import CounterBlocks
from ..device import DIRECTIONS, KEY_BITS, Device
from ..errors import FileError, VerifyError
from ..oracle import Verifier, encrypted
from ..protocol.layout import Engine
from ..results import Measurement
from . import common

ENGINES = ("table", "ise", "accelerator")


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "demo",
        help="stream a file through every engine, check it, compare the engines",
        description="Stream IN through every engine, check every byte, compare the engines. A board serves each "
        "counter block once, so that what it decrypts was encrypted by the cryptography package, under counter blocks "
        "of its own, and is compared with IN. There is one random key for each key length, and its ranges of counter "
        "blocks follow each other: the board remembers them as one.",
    )
    common.add_link_options(parser)
    parser.add_argument(
        "--engine", choices=common.ENGINE_NAMES, action="append", help=f"repeatable (default: {', '.join(ENGINES)})"
    )
    parser.add_argument("--key-bits", type=int, choices=KEY_BITS, action="append", help="repeatable (default: all)")
    common.add_results_option(parser)
    parser.add_argument("input", metavar="IN", help="file to encrypt")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Encrypt and decrypt with each engine and key length asked for; keys and IVs are random and not kept."""
    try:
        plaintext = Path(args.input).read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {args.input}: {error.strerror}") from error
    measurements = []
    with common.open_device(args) as device:
        info = device.info()
        for key_bits in args.key_bits or KEY_BITS:
            blocks = CounterBlocks(key_bits)
            for name in args.engine or ENGINES:
                engine = common.choose_engine(device, name)
                measurements += [transfer(device, engine, blocks, direction, plaintext) for direction in DIRECTIONS]
    records = common.write_results(args, measurements, device)
    if args.json:
        views.show_json(records)
    else:
        title = f"{args.input} over the link, AES-CTR on board {info.board} at {info.clock_hz / 1e6:g} MHz"
        views.show(views.measurement_table(measurements, title))
        if info.kind == "sim":
            views.show("sim: cycles counted in the simulated board, at the clock its description declares")
        if args.results:
            views.show(f"figures in {args.results}")
    return 0


def transfer(device: Device, engine: Engine, blocks: CounterBlocks, direction: str, plaintext: bytes) -> Measurement:
    """Encrypt `plaintext`, or decrypt to it, in a session of its own under fresh counter blocks; return what it took.

    Raises:
        VerifyError: a byte differs from the reference.
        TransferError: the transfer cannot be completed.
    """
    key, iv = blocks.key, blocks.take(len(plaintext))
    ciphertext = encrypted(key, iv, plaintext)
    data, expected = (plaintext, ciphertext) if direction == "encrypt" else (ciphertext, plaintext)
    output = io.BytesIO()
    verifier = Verifier(key, iv)
    reader, writer = verifier.watch(io.BytesIO(data), output)
    label = f"AES-{len(key) * 8} {engine.name.lower():12} {direction}"
    with (
        device.open_session(key, iv, engine, direction, length=len(data)) as session,
        views.transfer_progress(label, len(data)) as progress,
    ):
        report = session.transfer(reader, writer, length=len(data), progress=progress)
        verifier.finish()
        measurement = session.measurement(engine, key, report, True)
    if output.getvalue() != expected:
        raise VerifyError(f"{direction} with {engine.name.lower()} gave other bytes: do not use this board")
    return measurement
