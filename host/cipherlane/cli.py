# SPDX-License-Identifier: BSD-2-Clause
"""The command `cipherlane`.

Exit status: 0 done; 1 failed (a self-test or comparison, or an unforeseen refusal); 2 wrong arguments or files; 3 port
absent, busy or gone; 4 no reply; 5 version mismatch; 6 the board refused; 7 transfer incomplete, or firmware or
bitstream not loaded; 8 a file to decrypt was changed, or belongs to another key; 129, 130, 143 ended by the signal HUP,
INT, TERM; 141 the reader of the output closed it, as `head` does (not a failure).
"""

import sys

from cipherlane_base.version import __version__

from .arguments import Parser
from .boundary import guarded
from .commands import (
    bench,
    common,
    config,
    crypt,
    demo,
    doctor,
    find,
    flash,
    info,
    keygen,
    live,
    load,
    mac,
    naming,
    null_board,
    pair,
    report,
    selftest,
    shell,
    top,
)

_SETTINGS = (
    "Options missing from the command line come from the environment (CIPHERLANE_PORT and others), then from "
    "the configuration file. `cipherlane config` prints all settings and the source of each."
)


def main(argv: list[str] | None = None) -> int:
    """Run the command line `argv`; return the exit status."""
    argv = sys.argv[1:] if argv is None else argv
    hints: list[str] = []
    return guarded(lambda: _run(argv, hints), lambda: "".join(hints))


def _run(argv: list[str], hints: list[str]) -> int:
    parser = build_parser()
    args = parser.parse_args(argv)
    chosen: Parser = parser.commands.choices[args.command]
    for name in common.LINK_OPTIONS:
        if getattr(args, name) and not chosen.has(f"--{name}"):
            chosen.error(f"{args.command} takes no --{name}")
    args.parser = parser
    args.argv, args.after_command = argv, len(argv) - len(chosen.words)
    if chosen.has("--log"):
        hints.append(f", and the log {args.log}" if args.log else "; --log FILE records what is sent and received")
    common.complete(args)
    naming.settle(args, chosen)
    status: int = args.run(args)
    return status


def build_parser() -> Parser:
    """Return the parser of the command line; its attribute `commands` holds the parsers of the commands."""
    parser = Parser(
        prog="cipherlane",
        description="Encrypt, measure and test with a Cipherlane board, real or simulated.",
        epilog=" ".join((common.NETWORK, _SETTINGS, *__doc__.split("\n\n")[1].split())),
    )
    parser.add_argument("--version", action="version", version=f"cipherlane {__version__}")
    common.add_link_options(parser, default=None)
    commands = parser.commands = parser.add_subparsers(
        title="commands", required=True, metavar="COMMAND", dest="command", parser_class=Parser
    )
    for module in (
        find,
        doctor,
        info,
        keygen,
        crypt,
        demo,
        live,
        top,
        bench,
        report,
        selftest,
        mac,
        pair,
        load,
        flash,
        null_board,
        config,
        shell,
    ):
        module.add_to(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
