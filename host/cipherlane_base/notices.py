# SPDX-License-Identifier: BSD-2-Clause
"""Prints warnings and other single lines on standard error."""

import contextlib
import sys
from collections.abc import Iterator

from .plain import plain


def one_line(text: str) -> str:
    """Return text as one printable line."""
    return plain(" ".join(text.split()))


@contextlib.contextmanager
def diagnostics() -> Iterator[None]:
    """Suppress errors when standard error is full or closed. The command's result must not depend on whether a warning
    was printed.
    """
    with contextlib.suppress(OSError, ValueError):
        yield


def show_warning(text: str) -> None:
    """Print a warning as one line on standard error."""
    with diagnostics():
        sys.stderr.write(f"cipherlane: warning: {one_line(text)}\n")
