# SPDX-License-Identifier: BSD-2-Clause
"""The results of `make bench-sets`: AES instruction sets with 1, 4 and 8 independent blocks a call."""

from lab.results.kept import Content, ResultsError, select
from lab.results.tables import Table, table

FIELDS = ("engine", "direction", "key_bits", "blocks", "side_by_side", "cycles_per_block", "code_bytes", "kind")
BLOCKS = (1, 4, 8)


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs."""
    return {"records": select(content["records"], FIELDS)}


def by_blocks(content: Content, engine: str, direction: str = "encrypt") -> dict[int, dict]:
    """Return the records of an instruction set as a dict. Its keys are numbers of blocks per call. If several programs
    have the same number of blocks per call, choose the fastest of these programs.

    Raises
    ------
    ResultsError
        A number of blocks was not measured.
    """
    records = [r for r in content["records"] if (r["engine"], r["direction"]) == (engine, direction)]
    found = {r["blocks"]: r for r in sorted(records, key=lambda r: -r["cycles_per_block"])}
    if missing := set(BLOCKS) - found.keys():
        raise ResultsError(f"bench-sets.json lacks {engine}, {missing}: run `make bench-sets`, then `make readme`")
    return found


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table in Markdown: a row for each instruction set."""
    content = kept["bench-sets"]
    rows = []
    for engine in dict.fromkeys(r["engine"] for r in content["records"]):
        ways = [by_blocks(content, engine, direction) for direction in ("encrypt", "decrypt")]
        cycles = (f"{way[blocks]['cycles_per_block']:.1f} ({way[blocks]['kind']})" for way in ways for blocks in BLOCKS)
        forms = (f"{ways[0][blocks]['side_by_side']}, {ways[0][blocks]['code_bytes']}" for blocks in BLOCKS)
        rows.append([f"`{engine}`", *cycles, *forms])
    headings = ["set", *(f"{way}, {blocks}" for way in ("encryption", "decryption") for blocks in BLOCKS)]
    headings += [f"side by side and code bytes, {blocks}" for blocks in BLOCKS]
    return [
        "**Engine speed** (`make bench-sets`): cycles a block of AES-128 by independent blocks a call, ECB over 2 KB "
        "that the data cache holds, the key schedule done before. Side by side: how many blocks of a call go through "
        "each round together, in the fastest way that was measured. Code bytes: one call in encryption.",
        "",
        *table(headings, rows),
    ]


TABLE = Table(
    name="bench-sets",
    page="lab/results/papers/INSTRUCTIONS.md",
    sources=("bench-sets.json",),
    command="make bench-sets",
    render=render,
    keep=keep,
    shows="AES instruction sets with 1, 4 and 8 independent blocks a call: latency and throughput",
    speed="engine",
    takes="10 minutes",
)
