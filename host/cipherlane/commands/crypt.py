# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane encrypt` and `cipherlane decrypt`: stream a file through the board.

By default the encrypted file is authenticated (`files.authenticated`). With --raw it is the output of AES-CTR only.
"""

import argparse
import contextlib
from dataclasses import replace
from typing import Any

from cipherlane_base.figures import Measurement

from .. import views
from ..errors import ArgumentError, CipherlaneError, TamperedError, VerifyError
from ..files import authenticated, keys
from ..files.authenticated import Header
from ..files.claims import STANDARD, OutName, ReadName
from ..files.inputs import InputFile
from ..files.output import ANEW, OutputFile
from ..link import lte
from ..link.counterblocks import MOST_STREAM
from ..link.device import DIRECTIONS
from ..link.journal import Journal
from ..measuring.oracle import GcmVerifier, Verifier
from . import advice, common, opening
from .opening import Stream


def add_to(commands: Any) -> None:
    """Add the commands `encrypt` and `decrypt` to the command-line parser."""
    for direction in DIRECTIONS:
        parser = common.add_command(
            commands,
            direction,
            help=f"{direction} a file with AES-GCM on the board",
            description=f"Stream IN through the board to OUT: {direction} it with AES-GCM, with AES-CTR (--raw), or as "
            "an LTE message. Incomplete output is kept in OUT.part. An existing OUT is replaced only with --force, or "
            "after a question. If OUT is a symbolic link, the link is replaced, and its target stays as it is."
            + (" --port none decrypts an authenticated file without a board." if direction == "decrypt" else ""),
            epilog=common.NETWORK,
        )
        keys.add_options(parser)
        parser.add_argument(
            "--raw",
            dest="cipher",
            action="store_const",
            const=lte.CTR,
            default=argparse.SUPPRESS,
            help="AES-CTR without header and tags: changes are not detected, and decrypt needs the IV",
        )
        parser.add_argument(
            "--iv",
            metavar="HEX",
            help="initial counter block of --raw: 32 hexadecimal digits (encrypt: by default the board draws one)",
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
    """Stream the file IN through the board to the file OUT."""
    if args.key_file == STANDARD == args.input:
        raise ArgumentError("--key-file - and IN - would both read standard input: name a file")
    if args.json and args.output == STANDARD:
        raise ArgumentError("--json and OUT - would both write to standard output: name a file")
    if args.cipher == lte.GCM and args.iv is not None:
        raise ArgumentError("--iv goes with --raw: an authenticated file needs none")
    if args.direction == "decrypt" and args.cipher == lte.CTR and not (args.iv or args.resume):
        raise ArgumentError("decrypt --raw needs --iv, the initial counter block of the encryption")
    if args.port == opening.NO_BOARD:
        opening.check_without_board(args)
    key = keys.take_key(args)
    message = lte.message_of(args, key)
    if args.verify and lte.CIPHERS[args.cipher] != "aes":
        raise ArgumentError(
            f"--verify has no reference for {args.cipher}, because the cryptography package has none: leave it out"
        )
    iv = message.counter_block if message else None if args.iv is None else keys.parse_iv(args.iv)
    if args.verify:
        Verifier(key, bytes(16))  # if the reference library is missing, this raises the error before the transfer
    with InputFile(args.input) as source:
        try:
            stream = Stream(key, iv, args.direction, args.cipher, args.bits, message, source.size)
            if message:
                message.check_length(source)
            elif args.cipher == lte.GCM and args.direction == "decrypt":
                stream = _described(stream, source, board=args.port != opening.NO_BOARD)
            else:
                _bound(args, iv, source)
            return _run(args, stream, source)
        except TamperedError as error:
            error.name = source.name
            raise


def _described(stream: Stream, source: InputFile, *, board: bool) -> Stream:
    """Read the header of the authenticated file `source`. Return a copy of the parameters `stream` in which `iv`,
    `size` and `header` describe this file.

    Raises:
        ArgumentError: the file is too long for a board, although a `board` is to decrypt it.
    """
    raw = b""
    while len(raw) < authenticated.HEADER_BYTES and (piece := source.read(authenticated.HEADER_BYTES - len(raw))):
        raw += piece
    header = Header.decode(raw, len(stream.key), source.name)
    size = None if source.size is None else header.plain_size(source.size)
    if board:
        how = "decrypt it with --port none"
        if size is not None and size > MOST_STREAM:
            raise ArgumentError(f"{source.name} holds {size} bytes, but a stream at most {MOST_STREAM}: {how}")
        secret, _ = stream.sides(header.iv, header.record_bytes)
        source.bound(secret.at(MOST_STREAM // header.record_bytes + 1), how)
    return replace(stream, iv=header.iv, size=size, header=header)


def _bound(args: argparse.Namespace, iv: bytes | None, source: InputFile) -> None:
    """Raise an error if the input `source` is longer than MOST_STREAM. If its size is unknown, `source.read` raises the
    error as soon as more bytes arrive.
    """
    how = advice.splitting(args.input, args.direction, args.cipher, iv, MOST_STREAM, source.size)
    if source.size is not None and source.size > MOST_STREAM:
        raise ArgumentError(f"{source.name} has {source.size} bytes, but a stream at most {MOST_STREAM}: {how}")
    source.bound(MOST_STREAM, how)


def _run(args: argparse.Namespace, stream: Stream, source: InputFile) -> int:
    with OutputFile(args.output, source, args.resume, args.force) as output:
        journal = verifier = None
        if args.resume:
            journal = Journal.resume(output, source, stream)
            verifier = _verifier(args, stream, journal.iv, journal.record_bytes)
            try:
                journal.check_kept(source, verifier.check if verifier else None)
            except VerifyError as error:
                error.add_note(f"delete {output.part} and {output.sidecar.name}, and {ANEW}")
                raise
        try:
            record, measurement = _transfer(args, stream, source, output, journal, verifier)
        except (KeyboardInterrupt, CipherlaneError) as error:
            _explain(args, error, source, output)
            raise
    if source.changed:
        views.show_warning(
            f"{source.name} changed while it was read: {args.output} holds the first {source.size} bytes, as read"
        )
    if args.json:
        views.show_json(record)
    elif measurement:
        views.show(views.measurement_table([measurement]), stderr=True)
    else:
        views.show(f"decrypted {record['bytes']} bytes without a board; every tag was right", stderr=True)
    return 0


def _explain(args: argparse.Namespace, error: BaseException, source: InputFile, output: OutputFile) -> None:
    """Add a note to the exception that ended the transfer: what the output file contains, and how to continue."""
    if output.part is None:
        error.add_note(f"{args.output} got the first {output.written} bytes")
    elif isinstance(error, TamperedError):
        output.discard()
        error.add_note(f"{args.output} was not written")
    elif output.kept is not None and output.part.exists():
        if source.unrepeatable:
            output.discard()
            error.add_note(f"nothing is kept, because {source.unrepeatable}: {advice.beginning_again(args)}")
        else:
            error.add_note(f"{output.part} holds the first {output.kept} bytes; to resume: {advice.resuming(args)}")


def _transfer(
    args: argparse.Namespace,
    stream: Stream,
    source: InputFile,
    output: OutputFile,
    journal: Journal | None,
    verifier: Verifier | GcmVerifier | None,
) -> tuple[dict[str, Any], Measurement | None]:
    """Stream the part of the input that no earlier run has completed. Return the values to print as JSON, and the
    board's measurement (None without a board).

    `journal` and `verifier`, if given, hold the state of the interrupted transfer.
    """
    with opening.session_of(args, stream, source, journal) as (session, engine, begins):
        if begins:
            journal = None
        if stream.iv is None and journal is None and args.cipher == lte.CTR and not args.json:
            views.show(f"IV {session.iv.hex()} (drawn by the board: decrypt with it)", stderr=True)
        iv = journal.iv if journal else session.iv
        if journal is None:
            verifier = _verifier(args, stream, iv, session.record_bytes)
            if output.part is not None:
                journal = Journal.begin(
                    output, source, stream, iv=iv, record_bytes=session.record_bytes, ticket=session.ticket
                )
        else:
            journal.take_over(source, session.first, verifier.check if verifier else None)
        start = journal.done if journal else 0
        if start and journal:
            output.start_at(journal.written)
        else:
            output.start_at(0)
            output.write(stream.sides(iv, session.record_bytes)[1].head)
        reader, writer = journal.watch(source, output) if journal else (source, output)
        reader, writer = verifier.watch(reader, writer) if verifier else (reader, writer)
        if stream.message:
            writer = lte.CutWriter(stream.message, writer, start)
        with (
            journal or contextlib.nullcontext(),
            views.transfer_progress(args.direction, stream.size, start=start, show=args.progress) as progress,
        ):
            report = session.transfer(
                reader,
                writer,
                offset=start,
                length=None if stream.size is None else stream.size - start,
                progress=progress,
            )
            if verifier:
                verifier.finish()
            output.commit()
        shown = {"nonce_prefix": iv[: authenticated.PREFIX_BYTES].hex()} if args.cipher == lte.GCM else {"iv": iv.hex()}
        shown = {"cipher": args.cipher, **shown}
        if engine is None:
            about = {"direction": args.direction, "key_bits": len(stream.key) * 8, "bytes": report.bytes}
            return {**about, **shown}, None
        measurement = session.measurement(engine, stream.key, report, True if verifier else None)
        return {**measurement.record(), **shown}, measurement


def _verifier(args: argparse.Namespace, stream: Stream, iv: bytes, record_bytes: int) -> Verifier | GcmVerifier | None:
    """Return the object that verifies the transfer, or None if verification was not requested."""
    if not args.verify:
        return None
    if args.cipher == lte.GCM:
        return GcmVerifier(stream.key, Header.of_stream(stream.key, iv, record_bytes), args.direction)
    return Verifier(stream.key, iv, cut=stream.message.cut if stream.message else None)
