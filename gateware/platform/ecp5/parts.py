# SPDX-License-Identifier: BSD-2-Clause
"""Sizes of the FPGA parts. This file needs nothing of LiteX, so programs that only read board files can use it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """Resources of a part: LUT4s, and block RAMs of 2 KB."""

    lut4: int
    block_rams: int


# Parts by size. In the name of a part, the size is the text between the first and the second dash.
PARTS = {"25F": Part(24_288, 56), "45F": Part(43_848, 108), "85F": Part(83_640, 208)}
