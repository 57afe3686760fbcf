# SPDX-License-Identifier: BSD-2-Clause
"""The command `cipherlane` as `python -m cipherlane`."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
