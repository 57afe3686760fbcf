# SPDX-License-Identifier: BSD-2-Clause
"""The results of `make bench-papers`: AES in the styles of C that the papers compare, one block at a time."""

from lab.results.kept import Content, select
from lab.results.papers.jenkins import EIGHT, KEY_BITS, MHZ, ONE, Cycles
from lab.results.tables import Table, table

FIELDS = (
    "measure",
    "engine",
    "style",
    "direction",
    "key_bits",
    "cycles_per_block",
    "code_bytes",
    "key_cycles",
    "clock_met_by",
    "kind",
)
DIRECTIONS = ("encrypt", "decrypt")
ROWS = (
    ("C by bytes", "byte", ("loop",), ONE),
    ("C with four tables", "table", ("loop", "swap", "unrolled"), ONE),
    ("instructions, rounds replaced", "ise", ("loop", "swap", "unrolled"), ONE),
    ("instructions, state in its register", "ise_kept", ("loop",), ONE),
    ("instructions, round keys in registers too", "ise_kept", ("unrolled",), ONE),
    (EIGHT, "ise", ("unrolled",), EIGHT),
)


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs."""
    return {"records": select(content["records"], FIELDS)}


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table in Markdown: one row for each program and style, with the speed-up over engine `table`."""
    cycles = Cycles(kept["bench-papers"])
    rows = []
    for name, engine, styles, measure in ROWS:
        for style in styles:
            series = [
                " / ".join(f"{cycles.cycles(engine, style, d, bits, measure):.0f}" for bits in KEY_BITS)
                for d in DIRECTIONS
            ]
            mbps = " / ".join(f"{cycles.mbps(engine, style, 'encrypt', bits, measure):.1f}" for bits in KEY_BITS)
            ups = [cycles.speed_up((engine, style), ("table", style), d, measure) for d in DIRECTIONS]
            code = [cycles.record(engine, style, d, 128, measure)["code_bytes"] for d in DIRECTIONS]
            rows.append([name, style, *series, f"{ups[0]:.2f}, {ups[1]:.2f}", f"{code[0]}, {code[1]}", mbps])
    headings = ["rounds", "style", "encryption, cycles a block", "decryption", "over the same style of table C"]
    headings += ["code bytes", f"Mbps at {MHZ} MHz"]
    return [
        "**Engine speed** (`make bench-papers`): ECB, one block a call except in the last row. Round keys are expanded "
        "before, and the data cache holds the 2 KB of data. Cycles a block at AES-128/192/256 (sim). Speed-up: the "
        "mean over key lengths, for encryption and for decryption. Code bytes: AES-128 encryption and decryption, "
        "without tables.",
        "",
        "In loop and swap, a round is a function that is called. Loop copies the state back after each round. Swap "
        "exchanges two pointers by three XORs. With instructions, each round writes its key into one register. The "
        f"clock of {MHZ} MHz is the clock of one thread in the paper.",
        "",
        *table(headings, rows),
    ]


TABLE = Table(
    name="bench-papers",
    page="lab/results/papers/jenkins.md",
    sources=("bench-papers.json",),
    command="make bench-papers",
    render=render,
    keep=keep,
    shows="the styles of C and of instructions that the papers compare, one block at a time",
    speed="engine",
    takes="10 minutes",
)
