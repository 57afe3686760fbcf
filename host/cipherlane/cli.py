"""The command `cipherlane`.

Exit status: 0 done; 1 failed (a self-test or comparison, or an unforeseen refusal); 2 wrong arguments or files;
3 port absent, busy or gone; 4 no reply; 5 version mismatch; 6 the board refused; 7 transfer incomplete;
129, 130, 143 ended by the signal HUP, INT, TERM.
"""

import contextlib
import sys

from . import __version__, views
from .arguments import Parser
from .commands import bench, common, crypt, demo, info, null_board, selftest
from .errors import CipherlaneError
from .signals import exit_status, interrupting


def main(argv: list[str] | None = None) -> int:
    """Run the command line `argv`; return the exit status."""
    argv = sys.argv[1:] if argv is None else argv
    args = _parser().parse_args(argv)
    args.argv = argv
    with interrupting():
        try:
            return args.run(args)
        except KeyboardInterrupt as interrupt:
            with contextlib.suppress(OSError):  # the terminal may be gone
                views.show_error(_with_notes("interrupted", interrupt))
            return exit_status(interrupt)
        except CipherlaneError as error:
            views.show_error(_with_notes(str(error), error))
            return error.exit_code
        except OSError as error:
            views.show_error(f"{error.strerror or error}" + (f": {error.filename}" if error.filename else ""))
            return CipherlaneError.exit_code


def _with_notes(text: str, error: BaseException) -> str:
    return "; ".join([text, *getattr(error, "__notes__", [])])


def _parser() -> Parser:
    parser = Parser(
        prog="cipherlane",
        description="Encrypt, measure and test with a Cipherlane board, real or simulated.",
        epilog=" ".join((common.NETWORK, *__doc__.split("\n\n")[1].split())),
    )
    parser.add_argument("--version", action="version", version=f"cipherlane {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for module in (info, crypt, demo, bench, selftest, null_board):
        module.add_to(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
