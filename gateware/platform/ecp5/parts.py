# SPDX-License-Identifier: BSD-2-Clause
"""Sizes of the FPGA parts. This file does not import LiteX, so programs that only read board files can use it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """Resources of a part: LUT4s, and block RAMs of 2 KB."""

    lut4: int
    block_rams: int


# Maps a part's size to its resources. The size is the text between the first and the second dash of the part's name.
PARTS = {"25F": Part(24_288, 56), "45F": Part(43_848, 108), "85F": Part(83_640, 208)}
