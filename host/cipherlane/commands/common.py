# SPDX-License-Identifier: BSD-2-Clause
"""Options that several commands share, and functions that evaluate them."""

import argparse
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from cipherlane_base.wire.layout import Engine

from .. import settings
from ..errors import ArgumentError
from ..files.claims import WrittenName
from ..link import lte
from ..link.device import Device
from ..link.recordlog import RecordLog
from ..link.replies import BoardInfo
from ..transport import open_transport
from ..transport.serial import DEFAULT_BAUD

NETWORK = (
    "Over a network, a session's key, token and data are sent in the clear, and anyone who can send there can "
    "pose as host or board: use a cable or a private network until sessions are authenticated."
)
_T = TypeVar("_T")
ENGINE_NAMES = tuple(engine.name.lower() for engine in Engine)
MODES = (lte.CTR, lte.GCM)

LINK_OPTIONS = ("port", "baud", "timeout", "log", "force", "json")


def add_link_options(parser: argparse.ArgumentParser, **options: Any) -> None:
    """Add the options that select the board and the output format. Each call of `add_argument` gets `options`.

    They are accepted before or after the command. The command's own copies have no default, because a default would
    override a value given before the command.
    """
    options = options or {"default": argparse.SUPPRESS}
    parser.add_argument(
        "--port",
        help="serial device; udp://host[:port] (IPv4); socket://host:port or rfc2217://host:port for a serial port "
        "of another machine; or sim[:folder] (UART) or sim+udp[:folder] (Ethernet), which start the simulated "
        "board in folder, by default in $CIPHERLANE_SIM or $CIPHERLANE_SIM_ETH or in the checkout (default: "
        "$CIPHERLANE_PORT)",
        **options,
    )
    parser.add_argument(
        "--baud", type=baud, help=f"bits a second (default: $CIPHERLANE_BAUD, {DEFAULT_BAUD})", **options
    )
    add_timeout(parser, "for each reply (default: $CIPHERLANE_TIMEOUT, or a value that suits the link)", **options)
    parser.add_argument(
        "--log",
        type=WrittenName,
        metavar="FILE",
        help="write each record sent and received, without keys and data, as a line of JSON to the new file FILE",
        **options,
    )
    add_force(parser, **options)
    add_json(parser, **options)


def add_force(parser: argparse.ArgumentParser, **options: Any) -> None:
    """Add the option --force, with which the command replaces existing files."""
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace existing files; without --force the command asks on a terminal, and fails elsewhere. A "
        "symbolic link itself is replaced, never its target",
        **options,
    )


def add_timeout(parser: argparse.ArgumentParser, meaning: str, **options: Any) -> None:
    """Add the option --timeout, which limits how long the command waits for a reply."""
    parser.add_argument("--timeout", type=seconds, metavar="SECONDS", help=f"seconds to wait {meaning}", **options)


def add_mode(parser: argparse.ArgumentParser) -> None:
    """Add the option --mode, which names the modes to measure."""
    parser.add_argument(
        "--mode", choices=MODES, action="append", help="repeatable (default: both, if the engine has AES-GCM)"
    )


def modes_of(engines: Iterable[Engine], info: BoardInfo, asked: list[str] | None) -> list[tuple[Engine, str]]:
    """Return the pairs (engine, mode) to measure. `asked` lists the modes that the user requested (None: all).

    Raises:
        ArgumentError: no engine has a mode that was asked for.
    """
    able = info.gcm_engines
    found = [(engine, mode) for engine in engines for mode in asked or MODES if mode != lte.GCM or engine in able]
    if not found:
        raise ArgumentError("these engines have no AES-GCM on this board: leave --mode gcm out")
    return found


def add_duration(parser: argparse.ArgumentParser) -> None:
    """Add the option --duration, which sets how long to measure."""
    parser.add_argument(
        "--duration", type=seconds, metavar="SECONDS", help="seconds to measure each figure, instead of --bytes"
    )


def add_json(parser: argparse.ArgumentParser, **options: Any) -> None:
    """Add the option --json, with which the command prints JSON for other programs."""
    parser.add_argument("--json", action="store_true", help="print only JSON on standard output", **options)


def add_command(commands: Any, name: str, *, link: bool = True, **options: Any) -> argparse.ArgumentParser:
    """Return the parser of a new command. If `link` is true, add the options of commands that talk to a board."""
    options = {"description": options["help"].capitalize() + ".", **options}
    parser: argparse.ArgumentParser = commands.add_parser(name, **options)
    if link:
        add_link_options(parser)
    return parser


def complete(args: argparse.Namespace) -> None:
    """Set each option that is missing from the command line to its value in the settings."""
    for name in vars(args):
        if name in settings.SETTINGS and name != "key_file" and getattr(args, name) is None:
            setattr(args, name, settings.value(name)[0])


def open_device(args: argparse.Namespace) -> Device:
    """Return the device at the port that `args` name, for use as a context manager."""
    if not args.log:
        log = None
    elif log := getattr(args, "record_log", None):
        log.open()
    else:
        log = args.record_log = RecordLog(args.log, replace=args.force)
    return Device(open_transport(args.port, args.baud), args.timeout, log)


def choose_engine(device: Device, name: str | None, cipher: str = lte.CTR) -> Engine:
    """Return the engine called `name` if it supports `cipher`; without a name, the board's fastest engine for `cipher`.

    Raises:
        ArgumentError: the board lacks the engine, or the engine does not support that cipher.
    """
    wanted = lte.CIPHERS[cipher]
    engine = Engine[name.upper()] if name else None
    if engine and engine.traits.cipher != wanted:
        fits = " or ".join(f"--cipher {other}" for other, of in lte.CIPHERS.items() if of == engine.traits.cipher)
        raise ArgumentError(f"engine {name} is not for --cipher {cipher}: give {fits}, or another engine")
    present = device.info().engines_of(wanted)
    if cipher == lte.GCM and present:
        able = [item for item in present if item in device.info().gcm_engines]
        if not able or (engine in present and engine not in able):
            which = "the board" if not able else f"engine {name}"
            other = "another board or current firmware" if not able else "another engine"
            raise ArgumentError(f"{which} has no AES-GCM: use {other}, or give --raw for AES-CTR without tags")
        # The engine `ise_vmem` is the fastest for AES-GCM if the vector unit has a multiplier for GHASH. Without this
        # multiplier, the CPU computes GHASH, and all hardware engines are about equally fast.
        present = [Engine.ISE_VMEM] if not name and Engine.ISE_VMEM in able else able
    if not present:
        if device.info().engines:
            raise ArgumentError(
                f"the board has no engine for --cipher {cipher}: flash configuration lte, or give --cipher eea2"
            )
        raise ArgumentError("the board has no engine: flash current firmware")
    return engine_of(name, present)


def engine_of(name: str | None, present: Iterable[Engine]) -> Engine:
    """Return the engine called `name`; by default the fastest in `present`, which must not be empty.

    Raises:
        ArgumentError: `present` has no such engine.
    """
    if name is None:
        return min(present, key=lambda item: item.traits.rank)
    engine = Engine[name.upper()]
    if engine not in present:
        names = ", ".join(item.name.lower() for item in present)
        raise ArgumentError(f"the board has no engine {name} for this: choose one of {names}")
    return engine


def seconds(text: str) -> float:
    """Parse the text of an option as a time, and return it in seconds.

    Raises:
        argparse.ArgumentTypeError: the text is not a valid time.
    """
    return _said(settings.seconds, text)


def baud(text: str) -> int:
    """Parse the text of an option as a rate, and return it in bits a second.

    Raises:
        argparse.ArgumentTypeError: the text is not a valid rate.
    """
    return _said(settings.baud, text)


def _said(parse: Callable[[str], _T], text: str) -> _T:
    try:
        return parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
