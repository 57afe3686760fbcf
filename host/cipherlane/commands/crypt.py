# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane encrypt` and `cipherlane decrypt`: stream a file through the board."""

import argparse
import contextlib
from typing import Any

from cipherlane_base.figures import Measurement
from cipherlane_base.wire.layout import BLOCK, Engine

from .. import views
from ..errors import ArgumentError, CipherlaneError, TicketError, VerifyError
from ..files import keys
from ..files.claims import STANDARD, OutName, ReadName
from ..files.inputs import InputFile
from ..files.output import ANEW, OutputFile
from ..link import lte
from ..link.counterblocks import MOST_STREAM, block_after
from ..link.device import DIRECTIONS, Device
from ..link.journal import Journal
from ..link.session import Session
from ..measuring.oracle import Verifier
from . import advice, common


def add_to(commands: Any) -> None:
    """Add both commands."""
    for direction in DIRECTIONS:
        parser = common.add_command(
            commands,
            direction,
            help=f"{direction} a file with AES-CTR on the board",
            description=f"Stream IN through the board to OUT: {direction} it with AES-CTR, or as an LTE message. "
            "Incomplete output is kept in OUT.part. An existing OUT is replaced only with --force, or after a "
            "question. If OUT is a symbolic link, the link is replaced, and its target stays as it is.",
            epilog=common.NETWORK,
        )
        keys.add_options(parser)
        parser.add_argument(
            "--iv",
            metavar="HEX",
            help="initial counter block: 32 hexadecimal digits (encrypt: by default the board draws one)",
        )
        lte.add_options(parser)
        parser.add_argument("--engine", choices=common.ENGINE_NAMES, help="default: the fastest present")
        parser.add_argument("--resume", action="store_true", help="continue OUT.part of an interrupted transfer")
        parser.add_argument("--verify", action="store_true", help="check every byte against the cryptography package")
        parser.add_argument("--progress", action=argparse.BooleanOptionalAction, help="default: on a terminal")
        parser.add_argument("input", type=ReadName, metavar="IN", help="input file, - for standard input")
        parser.add_argument("output", type=OutName, metavar="OUT", help="output file, - for standard output")
        parser.set_defaults(run=run, direction=direction)


def run(args: argparse.Namespace) -> int:
    """Stream IN through the board to OUT."""
    if args.key_file == STANDARD == args.input:
        raise ArgumentError("--key-file - and IN - would both read standard input: name a file")
    if args.json and args.output == STANDARD:
        raise ArgumentError("--json and OUT - would both write to standard output: name a file")
    if args.direction == "decrypt" and args.cipher == lte.CTR and not (args.iv or args.resume):
        raise ArgumentError("decrypt needs --iv, the initial counter block of the encryption")
    key = keys.take_key(args)
    message = lte.message_of(args, key)
    if args.verify and lte.CIPHERS[args.cipher] != "aes":
        raise ArgumentError(
            f"--verify has no reference for {args.cipher}, because the cryptography package has none: leave it out"
        )
    iv = message.counter_block if message else None if args.iv is None else keys.parse_iv(args.iv)
    if args.verify:
        Verifier(key, bytes(16))  # if the reference is not installed, raise the error now, not at the end
    with InputFile(args.input) as source:
        if message:
            message.check_length(source)
        else:
            _bound(args, iv, source)
        return _run(args, key, iv, message, source)


def _bound(args: argparse.Namespace, iv: bytes | None, source: InputFile) -> None:
    """Refuse an input longer than the longest stream: now if its size is known, otherwise when it exceeds the limit."""
    how = advice.splitting(args.input, args.direction, iv, MOST_STREAM, source.size)
    if source.size is not None and source.size > MOST_STREAM:
        raise ArgumentError(f"{source.name} has {source.size} bytes, but a stream at most {MOST_STREAM}: {how}")
    source.bound(MOST_STREAM, how)


def _run(args: argparse.Namespace, key: bytes, iv: bytes | None, message: lte.Message | None, source: InputFile) -> int:
    with OutputFile(args.output, source, args.resume, args.force) as output:
        journal = verifier = None
        if args.resume:
            journal = Journal.resume(
                output, source, key=key, iv=iv, direction=args.direction, cipher=args.cipher, bits=args.bits
            )
            verifier = _verifier(args, key, journal.iv, message)
            try:
                journal.check_kept(source, verifier.check if verifier else None)
            except VerifyError as error:
                error.add_note(f"delete {output.part} and {output.sidecar.name}, and {ANEW}")
                raise
        try:
            measurement, iv = _transfer(args, key, iv, message, source, output, journal, verifier)
        except (KeyboardInterrupt, CipherlaneError) as error:
            if output.part is None:
                error.add_note(f"{args.output} got the first {output.written} bytes")
            elif output.kept is not None and output.part.exists():
                if source.unrepeatable:
                    output.discard()
                    error.add_note(f"nothing is kept, because {source.unrepeatable}: {advice.beginning_again(args)}")
                else:
                    error.add_note(
                        f"{output.part} holds the first {output.kept} bytes; to resume: {advice.resuming(args)}"
                    )
            raise
    if source.changed:
        views.show_warning(
            f"{source.name} changed while it was read: {args.output} holds the first {source.size} bytes, as read"
        )
    if args.json:
        views.show_json({**measurement.record(), "cipher": args.cipher, "iv": iv.hex()})
    else:
        views.show(views.measurement_table([measurement]), stderr=True)
    return 0


def _transfer(
    args: argparse.Namespace,
    key: bytes,
    iv: bytes | None,
    message: lte.Message | None,
    source: InputFile,
    output: OutputFile,
    journal: Journal | None,
    verifier: Verifier | None,
) -> tuple[Measurement, bytes]:
    """Stream the part of the input that is not yet complete; return the measurement and the initial counter block.

    `journal` and `verifier`, if given, hold the state of the interrupted transfer.
    """
    with common.open_device(args) as device:
        engine = common.choose_engine(device, args.engine, args.cipher)
        length = message.most if message and source.size is None else source.size
        with _open_session(device, engine, args.direction, key, iv, length, journal) as session:
            if iv is None and journal is None and not args.json:
                views.show(f"IV {session.iv.hex()} (drawn by the board: decrypt with it)", stderr=True)
            iv = journal.iv if journal else session.iv
            if journal is None:
                verifier = _verifier(args, key, iv, message)
                if output.part is not None:
                    journal = Journal.begin(
                        output,
                        source,
                        key=key,
                        iv=iv,
                        direction=args.direction,
                        record_bytes=session.record_bytes,
                        ticket=session.ticket,
                        cipher=args.cipher,
                        bits=args.bits,
                    )
            else:
                journal.take_over(source, session.begin + session.first, verifier.check if verifier else None)
            start = journal.done if journal else 0
            output.start_at(start)
            reader, writer = journal.watch(source, output) if journal else (source, output)
            reader, writer = verifier.watch(reader, writer) if verifier else (reader, writer)
            if message:
                writer = lte.CutWriter(message, writer, start)
            with (
                journal or contextlib.nullcontext(),
                views.transfer_progress(args.direction, source.size, start=start, show=args.progress) as progress,
            ):
                report = session.transfer(
                    reader,
                    writer,
                    offset=start,
                    length=None if source.size is None else source.size - start,
                    progress=progress,
                )
                if verifier:
                    verifier.finish()
                output.commit()
            return session.measurement(engine, key, report, True if verifier else None), iv


def _verifier(args: argparse.Namespace, key: bytes, iv: bytes, message: lte.Message | None) -> Verifier | None:
    """Return the object that verifies the transfer, or None if verification was not requested."""
    return Verifier(key, iv, cut=message.cut if message else None) if args.verify else None


def _open_session(
    device: Device,
    engine: Engine,
    direction: str,
    key: bytes,
    iv: bytes | None,
    length: int | None,
    journal: Journal | None,
) -> Session:
    """Open a session for a new stream of `length` bytes, or for the stream that `journal` describes.

    The board may not know that stream: it may be another board, or its power was cycled. The session then gets a new
    range of counter blocks, which begins after the complete part.
    """
    if journal is None:
        return device.open_session(key, iv, engine, direction, length=length)
    try:
        return _go_on(device, engine, direction, key, length, journal, journal.range_begin, journal.ticket)
    except TicketError:
        session = _go_on(device, engine, direction, key, length, journal, journal.done, None)
        journal.began_again(session.ticket)
        return session


def _go_on(
    device: Device,
    engine: Engine,
    direction: str,
    key: bytes,
    length: int | None,
    journal: Journal,
    begin: int,
    ticket: int | None,
) -> Session:
    """Open a session for the range of counter blocks that begins at byte `begin` of the stream in `journal`."""
    try:
        return device.open_session(
            key,
            block_after(journal.iv, begin // BLOCK),
            engine,
            direction,
            length=None if length is None else length - begin,
            record_bytes=journal.record_bytes,
            ticket=ticket,
            begin=begin,
        )
    except ArgumentError as error:
        error.add_note("the transfer was begun with such records: resume with its original port and engine")
        raise
