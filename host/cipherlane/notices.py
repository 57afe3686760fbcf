"""Lines on standard error for whoever runs the tool."""

import sys

from .plain import plain


def one_line(text: str) -> str:
    """Return text as one printable line."""
    return plain(" ".join(text.split()))


def show_warning(text: str) -> None:
    """Print one line on standard error."""
    sys.stderr.write(f"cipherlane: warning: {one_line(text)}\n")
