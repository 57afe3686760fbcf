"""Lines on standard error for whoever runs the tool."""

import sys


def show_warning(text: str) -> None:
    """Print one line on standard error."""
    sys.stderr.write(f"cipherlane: warning: {' '.join(text.split())}\n")
