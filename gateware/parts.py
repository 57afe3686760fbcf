"""What the parts hold. Whoever knows a board by its files alone reads this too: nothing of LiteX is needed for it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """What there is of each in a part: LUT4s, and block RAMs of 2 KB."""

    lut4: int
    block_rams: int


# By what their names have between the first dash and the second.
PARTS = {"25F": Part(24_288, 56), "45F": Part(43_848, 108), "85F": Part(83_640, 208)}
