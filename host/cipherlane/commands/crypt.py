"""`cipherlane encrypt` and `cipherlane decrypt`: stream a file through the board."""

import argparse
import shlex
from pathlib import Path
from typing import Any

from .. import views
from ..device import DIRECTIONS, Device
from ..errors import ArgumentError, FileError, IvLengthError, KeyLengthError, TransferError
from ..files import STANDARD, InputFile, OutputFile, check_output
from ..oracle import Verifier
from ..results import Measurement
from . import common


def add_to(commands: Any) -> None:
    """Add both commands."""
    for direction in DIRECTIONS:
        parser = commands.add_parser(
            direction, help=f"{direction} a file with AES-CTR on the board", allow_abbrev=False
        )
        common.add_link_options(parser)
        key = parser.add_mutually_exclusive_group(required=True)
        key.add_argument("--key", metavar="HEX", help="32, 48 or 64 hexadecimal digits")
        key.add_argument("--key-file", metavar="FILE", help="file that holds these digits")
        parser.add_argument("--iv", metavar="HEX", required=True, help="initial counter block: 32 hexadecimal digits")
        parser.add_argument("--engine", choices=common.ENGINE_NAMES, help="default: the fastest present")
        parser.add_argument("--resume", action="store_true", help="go on with OUT.part of an interrupted transfer")
        parser.add_argument("--verify", action="store_true", help="check every byte against the cryptography package")
        parser.add_argument("--progress", action=argparse.BooleanOptionalAction, help="default: on a terminal")
        parser.add_argument("input", metavar="IN", help="input file, - for standard input")
        parser.add_argument("output", metavar="OUT", help="output file, - for standard output")
        parser.set_defaults(run=run, direction=direction)


def run(args: argparse.Namespace) -> int:
    """Stream IN through the board to OUT."""
    key = read_key(args.key, args.key_file)
    iv = read_iv(args.iv)
    if args.json and args.output == STANDARD:
        raise ArgumentError("--json and OUT - would both write to standard output: name a file")
    check_output(args.output)
    if args.verify:
        Verifier(key, iv)  # fails now if it cannot work later
    with InputFile(args.input) as source, common.open_device(args) as device:
        engine = common.choose_engine(device, args.engine)
        with OutputFile(args.output, args.resume) as output:
            measurement = _transfer(args, device, engine, key, iv, source, output)
    if args.json:
        views.show_json(measurement.record())
    else:
        views.show(views.measurement_table([measurement]), stderr=True)
    return 0


def _transfer(
    args: argparse.Namespace,
    device: Device,
    engine: Any,
    key: bytes,
    iv: bytes,
    source: InputFile,
    output: OutputFile,
) -> Measurement:
    source.skip(output.start)
    length = None if source.size is None else source.size - output.start
    verifier = Verifier(key, iv, output.start) if args.verify else None
    reader, writer = verifier.watch(source, output) if verifier else (source, output)
    try:
        with (
            device.open_session(key, iv, engine, args.direction, length=source.size) as session,
            views.transfer_progress(args.direction, source.size, start=output.start, show=args.progress) as progress,
        ):
            report = session.transfer(reader, writer, offset=output.start, length=length, progress=progress)
            if verifier:
                verifier.finish()
            output.commit()
            measurement = session.measurement(engine, key, report, True if verifier else None)
    except (KeyboardInterrupt, TransferError) as error:
        if output.part is not None and output.part.exists():
            error.add_note(f"{output.part} keeps what is complete; to go on: {_resume_command(args)}")
        raise
    return measurement


def read_key(digits: str | None, file: str | None) -> bytes:
    """Return the key given as hexadecimal digits or in a file of them.

    Raises:
        FileError: the file cannot be read.
        KeyLengthError: it is not 128, 192 or 256 bits.
    """
    if digits is None:
        try:
            digits = Path(file).read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(f"cannot read the key from {file}: {getattr(error, 'strerror', 'not text')}") from error
    try:
        key = bytes.fromhex(digits)
    except ValueError as error:
        raise KeyLengthError("the key is not hexadecimal: give 32, 48 or 64 hexadecimal digits") from error
    if len(key) not in (16, 24, 32):
        raise KeyLengthError(f"the key has {len(key) * 8} bits: give 32, 48 or 64 hexadecimal digits")
    return key


def read_iv(digits: str) -> bytes:
    """Return the initial counter block given as hexadecimal digits.

    Raises:
        IvLengthError: it is not 16 bytes.
    """
    try:
        iv = bytes.fromhex(digits)
    except ValueError as error:
        raise IvLengthError("the IV is not hexadecimal: give 32 hexadecimal digits") from error
    if len(iv) != 16:
        raise IvLengthError(f"the IV has {len(iv)} bytes: give 16, as 32 hexadecimal digits")
    return iv


def _resume_command(args: argparse.Namespace) -> str:
    """Return the command that resumes, with a placeholder for a key that was given in the clear."""
    words = list(args.argv)
    for index, word in enumerate(words):
        if word == "--key" and index + 1 < len(words):
            words[index + 1] = "KEY"
        elif word.startswith("--key="):
            words[index] = "--key=KEY"
    if not args.resume:
        words.insert(1, "--resume")
    return shlex.join(["cipherlane", *words])
