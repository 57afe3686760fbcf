# SPDX-License-Identifier: BSD-2-Clause
"""Build and measure the programs that Tables 4 and 5 and Figure 9 of Jenkins et al. 2007 compare.

Instruction sets of other authors are measured in the same styles, on the simulated board's configurations
`comparators` and `wide_comparators`.
"""

from collections.abc import Iterator

from lab.bench import cases
from lab.bench.board import ISE_FAMILIES, KEY_BITS, BenchBoard, Family

MEASURE = "one block at a time"
# A form is a way to compute a round. This dict maps each form to its constant in lab/bench/firmware/variants_papers.c
# and to the styles of C code in which we measure it. `ise_kept` has no style `swap`: its state stays in one register,
# so there are no pointers to exchange.
FORMS = {
    "table": ("BENCH_TABLES", ("loop", "swap", "unrolled")),
    "byte": ("BENCH_BYTES", ("loop",)),
    "zkn": ("BENCH_ZKN", ("unrolled",)),
    "byte_set": ("BENCH_BYTE_SET", ("loop", "unrolled")),
    "word_set": ("BENCH_WORD_SET", ("loop", "unrolled")),
    "rom_rounds": ("BENCH_ROM_ROUNDS", ("unrolled",)),
    "ptlu": ("BENCH_PTLU", ("unrolled",)),
    "ise": ("BENCH_ISE", ("loop", "swap", "unrolled")),
    "ise_kept": ("BENCH_KEPT", ("loop", "unrolled")),
}
# Two further forms, in which a single instruction computes a round. The form `ise_vmem` also uses vector loads and
# stores. Only `lab.bench.sets` measures these two forms.
ROUND_FORMS = {"ise_fused": "BENCH_FUSED", "ise_vmem": "BENCH_VMEM"}
# Maps each instruction set on wider registers to its value of BENCH_WIDE in lab/bench/firmware/wide_rounds.h.
WIDE = {"ptlu_64": "WIDE_PTLU_64", "ptlu_128": "WIDE_PTLU_128", "zvkned": "WIDE_ZVKNED"}
FORMS |= dict.fromkeys(WIDE, ("BENCH_WIDER", ("unrolled",)))
# The default simulated board lacks these instruction sets. Maps each of them to a configuration that contains it.
CONFIGURATIONS = dict.fromkeys(("zkn", "byte_set", "word_set", "rom_rounds", "ptlu"), "comparators")
CONFIGURATIONS |= dict.fromkeys(WIDE, "wide_comparators")
WORKING_SET = cases.WORKING_SETS["buffer, cached"]


def program(form: str, style: str) -> Family:
    """Return the program that computes rounds in the given form, in the given style of C code. The form is one of the
    keys of `FORMS` or `ROUND_FORMS`.
    """
    wide = (f"-DBENCH_WIDE={WIDE[form]}",) if form in WIDE else ()
    constant = ROUND_FORMS[form] if form in ROUND_FORMS else FORMS[form][0]
    return Family(
        f"papers_{form}_{style}",
        ("variants_papers.c",),
        (f"-DBENCH_FORM={constant}", f"-DBENCH_STYLE=CL_C_{style.upper()}", *wide),
        form,
        style,
        KEY_BITS,
        ("ecb",),
        configuration=CONFIGURATIONS.get(form),
    )


def families() -> tuple[Family, ...]:
    """Return the programs to measure: one for each form of a round in `FORMS`, in each style of C code that `FORMS`
    lists for the form.
    """
    return tuple(program(form, style) for form, (_, styles) in FORMS.items() for style in styles)


def code_bytes(sizes: dict[str, int], direction: str, key_bits: int) -> int:
    """Return the size in bytes of the code that processes one block. If this code calls functions for single rounds,
    the size includes these functions.
    """
    rounds = sum(sizes.get(f"{part}_{direction}", 0) for part in ("round", "last"))
    return sizes[f"block_{direction}_{key_bits}"] + rounds


def ecb(board: BenchBoard, measure: str, decrypt: bool, key_bits: int, code: int) -> cases.Record:
    """Measure ECB over 2 KB of data in the data cache: the fastest of three passes.

    More blocks would cost the same a block.
    """
    found = board.measure("ecb", decrypt=decrypt, key_bits=key_bits, size=WORKING_SET, passes=4)
    values = {
        "memory": "buffer, cached",
        "code_bytes": code,
        "key_cycles": found.key_cycles,
        **cases.rates(found.shortest, WORKING_SET),
    }
    return cases.record(board, measure, "ecb", decrypt, key_bits, **values)


def one_block_at_a_time(board: BenchBoard) -> Iterator[cases.Record]:
    """Measure a program that `families` returns, in both directions and with all key lengths."""
    sizes = cases.symbol_sizes(board.elf)
    for decrypt in (False, True):
        for key_bits in board.family.key_bits:
            yield ecb(
                board, MEASURE, decrypt, key_bits, code_bytes(sizes, "decrypt" if decrypt else "encrypt", key_bits)
            )


def side_by_side(board: BenchBoard) -> Iterator[cases.Record]:
    """Measure the engine `ise` in ECB on the same 2 KB of data as the other programs. This engine keeps eight blocks
    and all round keys in the vector unit.
    """
    sizes = cases.symbol_sizes(board.elf)
    for decrypt in (False, True):
        for key_bits in board.family.key_bits:
            name = f"ise_ecb_{'decrypt' if decrypt else 'encrypt'}_{key_bits}"
            yield ecb(board, "eight blocks side by side", decrypt, key_bits, sizes[name])


def plan() -> list[tuple[Family, tuple]]:
    """Return pairs of a program and the functions that measure it."""
    eight = next(family for family in ISE_FAMILIES if family.engine == "ise")
    eight = Family("papers_eight", eight.sources, eight.defines, "ise", "unrolled", KEY_BITS, ("ecb",))
    return [(family, (one_block_at_a_time,)) for family in families()] + [(eight, (side_by_side,))]
