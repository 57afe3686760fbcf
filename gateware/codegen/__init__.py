# SPDX-License-Identifier: BSD-2-Clause
"""Generate C headers and reference pages from the definitions of registers, instructions and records."""

import argparse


def require_checkout(parser: argparse.ArgumentParser) -> None:
    """End the command with an error if it does not run from a checkout. The command writes files into the checkout."""
    if __name__ != "gateware.codegen":
        parser.error("this writes files of a checkout: run it there")
