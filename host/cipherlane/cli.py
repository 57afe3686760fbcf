"""The command `cipherlane`.

Exit status: 0 done; 1 failed (a self-test or comparison, or an unforeseen refusal); 2 wrong arguments or files;
3 port absent, busy or gone; 4 no reply; 5 version mismatch; 6 the board refused; 7 transfer incomplete;
130 interrupted.
"""

import argparse
import signal
import sys
from types import FrameType

from . import __version__, views
from .commands import bench, crypt, demo, info, null_board, selftest
from .errors import CipherlaneError

INTERRUPTED = 130
_TERMINATED = 143


def main(argv: list[str] | None = None) -> int:
    """Run the command line `argv`; return the exit status."""
    argv = sys.argv[1:] if argv is None else argv
    args = _parser().parse_args(argv)
    args.argv = argv
    previous = signal.signal(signal.SIGTERM, _terminate)  # so that sessions close and a simulated board stops
    try:
        return args.run(args)
    except KeyboardInterrupt as interrupt:
        views.show_error("; ".join(["interrupted", *getattr(interrupt, "__notes__", [])]))
        return INTERRUPTED
    except CipherlaneError as error:
        views.show_error("; ".join([str(error), *getattr(error, "__notes__", [])]))
        return error.exit_code
    except OSError as error:
        views.show_error(f"{error.strerror or error}" + (f": {error.filename}" if error.filename else ""))
        return CipherlaneError.exit_code
    finally:
        signal.signal(signal.SIGTERM, previous)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise SystemExit(_TERMINATED)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cipherlane",
        description="Encrypt, measure and test with a Cipherlane board, real or simulated.",
        epilog=" ".join(__doc__.split("\n\n")[1].split()),
    )
    parser.add_argument("--version", action="version", version=f"cipherlane {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for module in (info, crypt, demo, bench, selftest, null_board):
        module.add_to(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
