# SPDX-License-Identifier: BSD-2-Clause
"""Compare AES instruction sets on one core in cycles, code and area: `make bench-sets` and `make explore-sets`."""

from dataclasses import dataclass

from lab.results.kept import Content, ResultsError
from lab.results.papers.jenkins import EIGHT, Cycles
from lab.results.tables import LUTS_A_BLOCK_RAM, Table, median_mhz, picture, table
from lab.results.tables.bench_sets import BLOCKS, by_blocks

BOARD = "ulx3s"  # its vector unit has no multiplier for GHASH, which AES does not need
PLACE = f"bitstream-{BOARD}"
SCALAR, LOOKUPS, WIDE = "on the CPU's registers", "table lookups", "Zvkned"
OURS, PLACED = "vector unit alone, S-boxes of LUTs", f"vector unit as placed in {BOARD}"
# The fields of an instruction set: name, short name in plots, engine, hardware and family. The hardware is the name of
# a unit that `make explore-isa` or `make explore-sets` places. BOARD stands for the vector unit in this board's
# bitstream. None stands for software.
SETS = (
    ("C with four tables", "C", "table", None, ""),
    ("ratified scalar: `aes32esmi` and its like", "ratified scalar", "zkn", "scalar unit", SCALAR),
    ("Bertoni et al., byte set", "byte set", "byte_set", "byte set", SCALAR),
    ("Bertoni et al., word set", "word set", "word_set", "word set", SCALAR),
    ("VexRiscv's AES plugin, its functions", "VexRiscv's plugin", "rom_rounds", "VexRiscv plugin", SCALAR),
    ("Fiskiran and Lee, `ptlu` of 32 bits", "ptlu, 32 bits", "ptlu", "ptlu, 32 bits", LOOKUPS),
    ("Fiskiran and Lee, `ptlu` of 64 bits", "ptlu, 64 bits", "ptlu_64", "ptlu, 64 bits", LOOKUPS),
    ("Fiskiran and Lee, `ptlu` of 128 bits", "ptlu, 128 bits", "ptlu_128", "ptlu, 128 bits", LOOKUPS),
    ("Zvkned: `vaesem` and its like", "Zvkned", "zvkned", "Zvkned", WIDE),
    ("vector unit, two instructions a round", "two a round", "ise_kept", "unit, ecp5", OURS),
    ("vector unit, one instruction a round", "one a round", "ise_fused", "unit, ecp5", OURS),
    ("vector unit, one a round, its own loads and stores", "own loads", "ise_vmem", "unit, ecp5", OURS),
    ("the same as placed, two instructions a round", "two a round", "ise_kept", BOARD, PLACED),
    ("the same as placed, one instruction a round", "one a round", "ise_fused", BOARD, PLACED),
    ("the same as placed, one a round, own loads and stores", "own loads", "ise_vmem", BOARD, PLACED),
)
# Maps the title of each Pareto front to a number of blocks per call. The front compares programs with this number.
FRONTS = {"Latency, one block a call": 1, "Throughput, eight independent blocks a call": 8}
# Name, kB/s and MHz of another core, quoted from its authors.
QUOTED = ("Karu64 (quoted): Zvkned, CTR by OpenSSL under Linux", 5589.0, 75)


def front(points: list[tuple[float, float]]) -> list[bool]:
    """Return a flag for each point (cycles, area): True if the point is on the Pareto front.

    A point is on the front unless another point is lower in one of the two values and not higher in the other.
    """
    return [
        not any(other != point and other[0] <= point[0] and other[1] <= point[1] for other in points)
        for point in points
    ]


@dataclass(frozen=True)
class Built:
    """The results of one instruction set.

    Names, engine and family come from `SETS`. `cycles` are cycles a block of AES-128 encryption by blocks a call.
    `area` is in LUT4, with `LUTS_A_BLOCK_RAM` for a block RAM. `mhz` is the clock of the unit by itself, if it was
    built so. `on_front` tells by blocks a call whether the set is on the front.
    """

    name: str
    short: str
    engine: str
    family: str
    cycles: dict[int, float]
    lut4: int
    bram: int
    area: int
    mhz: str
    on_front: dict[int, bool]


def best(records: dict[int, dict]) -> dict[int, float]:
    """For each number n of independent blocks, return the fewest cycles per block. Choose from all programs that
    process at most n blocks per call.
    """
    cycles = {blocks: record["cycles_per_block"] for blocks, record in records.items()}
    return {blocks: min(each for fewer, each in cycles.items() if fewer <= blocks) for blocks in BLOCKS}


def _parts(kept: dict[str, Content]) -> dict[str | None, dict]:
    """Return the FPGA resources and the clock of each part that `SETS` names."""
    alone = [kept[name] for name in ("explore-isa", "explore-sets")]
    found = {part["part"]: {**part, "mhz": median_mhz(part, each["seeds"])} for each in alone for part in each["parts"]}
    board = kept[PLACE]
    (clock,) = [c["achieved_mhz"] for c in board["clocks"] if c["name"] == "sys"]
    placed = {**board["shares"]["vector_unit"], "mhz": f"{clock:.1f} (whole board)"}
    return {None: {"lut4": 0, "bram": 0, "mhz": "-"}, **found, BOARD: placed}


def built(kept: dict[str, Content]) -> list[Built]:
    """Return the results of every instruction set in `SETS`.

    Raises
    ------
    ResultsError
        One was not measured or not built.
    """
    parts = _parts(kept)
    if missing := {part for *_, part, _ in SETS} - parts.keys():
        raise ResultsError(f"explore-sets.json lacks {', '.join(missing)}: run `make explore-sets`, then `make readme`")
    sets = []
    for name, short, engine, part, family in SETS:
        records = by_blocks(kept["bench-sets"], engine)
        cycles = best(records)
        lut4, bram, mhz = (parts[part][field] for field in ("lut4", "bram", "mhz"))
        sets.append((name, short, engine, family, cycles, lut4, bram, lut4 + LUTS_A_BLOCK_RAM * bram, mhz))
    fronts = {
        blocks: front([(cycles[blocks], area) for *_, cycles, _, _, area, _ in sets]) for blocks in FRONTS.values()
    }
    return [Built(*values, {blocks: on[n] for blocks, on in fronts.items()}) for n, values in enumerate(sets)]


def _key_schedule(cycles: Cycles, engine: str) -> int:
    """Return the cycles of the AES-128 key schedule. On the vector unit, the key schedule uses the unit's own
    instructions.
    """
    if engine.startswith("ise"):
        return cycles.record("ise", "unrolled", measure=EIGHT)["key_cycles"]
    return cycles.record(engine, "unrolled")["key_cycles"]


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table with a row for each instruction set, and the text around it."""
    cycles = Cycles(kept["bench-papers"])
    rows = []
    for one in built(kept):
        decryption = best(by_blocks(kept["bench-sets"], one.engine, "decrypt"))
        rows.append(
            [
                one.name,
                *(f"{one.cycles[blocks]:.1f}" for blocks in BLOCKS),
                " / ".join(f"{decryption[blocks]:.1f}" for blocks in BLOCKS),
                _key_schedule(cycles, one.engine),
                by_blocks(kept["bench-sets"], one.engine)[1]["code_bytes"],
                one.lut4,
                one.bram,
                one.mhz,
                *("yes" if on else "no" for on in one.on_front.values()),
            ]
        )
    name, kilobytes, mhz = QUOTED
    quoted = f"{1000 * mhz * 16 / kilobytes:.0f} ({kilobytes} kB/s at {mhz} MHz)"
    rows.append([name, "-", "-", quoted, *["-"] * 8])
    headings = ["instructions", *(f"{blocks} block{'s' if blocks > 1 else ''}" for blocks in BLOCKS), "decryption"]
    headings += ["key schedule", "code bytes", "LUT4", "block RAM", "MHz", "front of latency", "front of throughput"]
    board = kept[PLACE]["shares"]["cpu"]
    return [
        "**Engine speed** (`make bench-sets`): cycles a block of AES-128 encryption (sim), by how many independent "
        "blocks there are. A program takes that many blocks a call, or fewer where that is "
        "[faster](#by-blocks-a-call). Decryption: likewise, for 1 / 4 / 8 blocks. The key schedule is done before. Key "
        "schedule and code bytes: AES-128 encryption with one block a call.",
        "",
        "Area and clock: the unit without the core (est). Each unit is built by itself (`make explore-isa`, `make "
        "explore-sets`), with S-boxes of LUTs except in VexRiscv's plugin. The clock is the median of several seeds, "
        f"with the least and the most. As placed: the unit's share of the bitstream of `{BOARD}` (`make bitstream`), "
        "with S-boxes in block RAM and without the multiplier for GHASH, which AES does not need. "
        f"The CPU takes {board['lut4']} LUT4 and {board['bram']} block RAM there.",
        "",
        "On a front: no other row has as few cycles with as little area. A block RAM counts as "
        f"{LUTS_A_BLOCK_RAM} LUT4.",
        "",
        *table(headings, rows),
        "",
        *picture("Cycles and area of the instruction sets, with the Pareto fronts", "../instructions"),
    ]


TABLE = Table(
    name="instruction-sets",
    page="lab/results/papers/INSTRUCTIONS.md",
    sources=(
        "bench-sets.json",
        "bench-papers.json",
        "explore-isa.json",
        "explore-sets.json",
        f"bitstream-{BOARD}.json",
    ),
    command="make bench-sets",
    render=render,
)
