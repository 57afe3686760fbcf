# SPDX-License-Identifier: BSD-2-Clause
"""Measure AES instruction sets with 1, 4 and 8 independent blocks a call: ``python -m lab.bench.sets``.

One block a call shows the latency of an instruction set, eight blocks its throughput (``make bench-sets``). The
programs are the unrolled programs of `lab.bench.styles`. A figure counts only if its data match the library
`cryptography`. An interrupted run can be resumed, like ``make bench``.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from lab.bench import cases, command, styles
from lab.bench.board import BenchBoard, Family

BLOCKS = (1, 4, 8)
KEY_BITS = 128
MEASURE = "independent blocks a call"
COLUMNS = ("engine", "direction", "blocks", "side_by_side", "cycles_per_block")
# Maps each instruction set to the group sizes that we measure: a program computes each round for a whole group of
# blocks. The CPU's registers can hold the states of two blocks. With `table`, however, the code for two blocks exceeds
# the instruction cache. Units with their own registers can hold eight blocks, except `ptlu_64` and `ptlu_128`, which
# can hold one.
SIDE = dict.fromkeys(("table", "ptlu_64", "ptlu_128"), (1,))
SIDE |= dict.fromkeys(("zkn", "byte_set", "word_set", "rom_rounds", "ptlu"), (1, 2))
SIDE |= dict.fromkeys(("zvkned", "ise_kept", "ise_fused", "ise_vmem"), (8,))


def program(form: str, blocks: int, side: int) -> Family:
    """Return a program that processes `blocks` AES-128 blocks in each call. The code computes each round for `side`
    blocks together.
    """
    family = styles.program(form, "unrolled")
    defines = (f"-DBENCH_BLOCKS={blocks}u", f"-DBENCH_SIDE={side}u")
    name = f"sets_{form}_{blocks}_{side}"
    return replace(family, name=name, defines=(*family.defines, *defines), key_bits=(KEY_BITS,))


def programs() -> dict[str, tuple[Family, int, int]]:
    """Return a dict of the programs to measure, by name. Each value is a tuple: the program, the number of blocks per
    call, and the number of blocks for which the code computes a round together.
    """
    ways = [(form, blocks, min(blocks, side)) for form, sides in SIDE.items() for blocks in BLOCKS for side in sides]
    found = [(program(*way), *way[1:]) for way in ways]
    return {each[0].name: each for each in found}


def both_directions(board: BenchBoard) -> Iterator[cases.Record]:
    """Measure ECB in both directions over data in the cache: the fastest of three passes."""
    sizes = cases.symbol_sizes(board.elf)
    for decrypt in (False, True):
        code = styles.code_bytes(sizes, "decrypt" if decrypt else "encrypt", KEY_BITS)
        yield styles.ecb(board, MEASURE, decrypt, KEY_BITS, code)


def measure(family: Family, blocks: int, side: int) -> list[cases.Record]:
    """Measure a program. Add two numbers to each record: the blocks in a call, and the blocks for which the code
    computes each round together.
    """
    found = cases.measured(family, (both_directions,))
    return [{**record, "blocks": blocks, "side_by_side": side} for record in found]


def main() -> int:
    """Run the command; return the exit status."""
    steps = [(each[0].engine, partial(measure, *each)) for each in programs().values()]
    return command.run("sets", __doc__.splitlines()[0], "set", steps, COLUMNS)


if __name__ == "__main__":
    sys.exit(main())
