# SPDX-License-Identifier: BSD-2-Clause
"""Compute our values to compare with the paper of Bertoni et al. 2006."""

from lab.isa import bertoni
from lab.results.kept import Content
from lab.results.papers import Ours
from lab.results.papers.jenkins import Cycles

SOURCES = ("bench-papers.json",)
COMMAND = "make bench-papers"
SETS = ("byte_set", "word_set")
STYLES = ("loop", "unrolled")
INSTRUCTIONS = {
    "SMix": bertoni.S_MIX,
    "Sbox": bertoni.SBOX,
    "SMixW": bertoni.S_MIX_W,
    "SubWord": bertoni.SUB_WORD,
    "KSFW": bertoni.KSFW,
}
CONDITIONS = "over the same style of our C with tables, mean of key lengths, encryption; operands are ours"
REASONS = {
    "instructions": "a role, which ours shares: no value to compare",
    "tables": "that part of the paper was not available: no values to compare",
    "related": "general instructions of other authors for other ciphers: not built here",
}


def ours(data: dict[str, Content]) -> dict[str, dict[str, Ours]]:
    """Return our values in a dict of dicts. Outer keys: the paper's tables and figures. Inner keys: names of values."""
    cycles = Cycles(data["bench-papers"])
    ups = {(one, style): cycles.speed_up((one, style), ("table", style)) for one in SETS for style in STYLES}
    lowest, highest = min(ups, key=lambda one: ups[one]), max(ups, key=lambda one: ups[one])

    def speed_up(case: tuple[str, str]) -> Ours:
        name = f"{case[0].replace('_', ' ')}, {case[1]}"
        return Ours(ups[case], "bench-papers", f"{name}; {CONDITIONS}", "sim")

    return {
        "instructions": {
            f"{name}, set": Ours("byte" if code in bertoni.BYTE_SET else "word", conditions="operands are ours")
            for name, code in INSTRUCTIONS.items()
        },
        "speed_up": {"lowest": speed_up(lowest), "highest": speed_up(highest)},
    }
