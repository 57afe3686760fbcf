# SPDX-License-Identifier: BSD-2-Clause
"""The entry point of the command `cipherlane`: loads the tool, runs it, and returns its exit status.

Before the tool is loaded and after it has finished, Ctrl-C ends the process as it ends any program, without a Python
traceback. Only the standard library's `signal` and `sys` are imported before `main` runs.
"""

import signal
import sys


def main() -> int:
    """Load the tool and run the command line; return the exit status."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        from .cli import main as run
    except Exception as error:
        sys.exit(f"cipherlane: error: the tool cannot be loaded ({error!a}): pip install cipherlane again")
    return run()


if __name__ == "__main__":
    sys.exit(main())
