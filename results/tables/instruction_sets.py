"""`make bench-papers` and `make explore-sets`: AES instruction sets on one core, in cycles, code and area."""

from dataclasses import dataclass

from results.kept import Content, ResultsError
from results.papers.jenkins import EIGHT, KEY_BITS, ONE, Cycles
from results.tables import LUTS_A_BLOCK_RAM, Table, median_mhz, table

# Name, engine, style, measure; and the part of `make explore-isa` that has the instructions.
SETS = (
    ("C with four tables", "table", "unrolled", ONE, None),
    ("ratified scalar: `aes32esmi` and its like", "zkn", "unrolled", ONE, "scalar unit"),
    ("Bertoni et al., byte set", "byte_set", "unrolled", ONE, "byte set"),
    ("Bertoni et al., word set", "word_set", "unrolled", ONE, "word set"),
    ("VexRiscv's AES plugin, its functions", "rom_rounds", "unrolled", ONE, "VexRiscv plugin"),
    ("Fiskiran and Lee, `ptlu` of 32 bits", "ptlu", "unrolled", ONE, "ptlu, 32 bits"),
    ("Fiskiran and Lee, `ptlu` of 64 bits", "ptlu_64", "unrolled", ONE, "ptlu, 64 bits"),
    ("Fiskiran and Lee, `ptlu` of 128 bits", "ptlu_128", "unrolled", ONE, "ptlu, 128 bits"),
    ("Zvkned: `vaesem` and its like", "zvkned", "unrolled", ONE, "Zvkned"),
    ("vector unit, round keys loaded each round", "ise", "unrolled", ONE, "unit, ecp5"),
    ("vector unit, round keys in registers", "ise_kept", "unrolled", ONE, "unit, ecp5"),
    (f"vector unit, {EIGHT}", "ise", "unrolled", EIGHT, "unit, ecp5"),
)
# Quoted, of another core: name, kB/s, MHz.
QUOTED = ("Karu64 (quoted): Zvkned, CTR by OpenSSL under Linux", 5589.0, 75)


def _area(part: dict) -> int:
    return part["lut4"] + LUTS_A_BLOCK_RAM * part["bram"]


def front(points: list[tuple[float, float]]) -> list[bool]:
    """Of each (cycles, area) whether no other has as few of both and fewer of one: the Pareto front."""
    return [
        not any(other != point and other[0] <= point[0] and other[1] <= point[1] for other in points)
        for point in points
    ]


@dataclass(frozen=True)
class Built:
    """A set of instructions as it was measured: its row of `SETS`, figures, area in LUT4, and whether on the front."""

    name: str
    case: tuple[str, str]
    measure: str
    record: dict
    part: dict | None
    area: int
    on_front: bool


def built(kept: dict[str, Content]) -> list[Built]:
    """All of `SETS`.

    Raises
    ------
    ResultsError
        One was not measured or not built alone.
    """
    cycles = Cycles(kept["bench-papers"])
    built_alone = [kept[name] for name in ("explore-isa", "explore-sets")]
    parts = {part["part"]: {**part, "seeds": each["seeds"]} for each in built_alone for part in each["parts"]}
    if missing := {name for *_, name in SETS if name} - parts.keys():
        raise ResultsError(f"explore-sets.json lacks {', '.join(missing)}: run `make explore-sets`, then `make readme`")
    records = [cycles.record(engine, style, measure=measure) for _, engine, style, measure, _ in SETS]
    areas = [_area(parts[part]) if part else 0 for *_, part in SETS]
    points = [(r["cycles_per_block"], area) for r, area in zip(records, areas, strict=True)]
    return [
        Built(name, (engine, style), measure, record, parts.get(part), area, on_front)
        for (name, engine, style, measure, part), record, area, on_front in zip(
            SETS, records, areas, front(points), strict=True
        )
    ]


def render(kept: dict[str, Content]) -> list[str]:
    """A row for each set."""
    cycles = Cycles(kept["bench-papers"])
    rows = []
    for one in built(kept):
        series, decryption = (
            " / ".join(f"{cycles.cycles(*one.case, direction, bits, one.measure):.0f}" for bits in KEY_BITS)
            for direction in ("encrypt", "decrypt")
        )
        part = one.part or {"lut4": 0, "bram": 0}
        times = f"{one.record['cycles_per_block'] * one.area / 1e6:.2f}" if one.area else "-"
        cells = [
            part["lut4"],
            part["bram"],
            median_mhz(part, part["seeds"]) if one.part else "-",
            times,
            "yes" if one.on_front else "no",
        ]
        rows.append([one.name, series, decryption, one.record["key_cycles"], one.record["code_bytes"], *cells])
    name, kilobytes, mhz = QUOTED
    others = ["-"] * 7
    rows.append([name, f"{1000 * mhz * 16 / kilobytes:.0f} ({kilobytes} kB/s at {mhz} MHz)", *others, "-"])
    headings = ["instructions", "encryption, cycles a block", "decryption", "key schedule", "code bytes", "LUT4"]
    headings += ["block RAM", "MHz", "cycles x area / 10^6", "on the front"]
    return [
        "**Engine speed** (`make bench-papers`, `make explore-sets`): ECB one block a call, unrolled, the key "
        "schedule done before; cycles at AES-128/192/256 (sim); key schedule and code bytes of AES-128 encryption; of "
        "one block a quarter of the code bytes is its instructions. Area and clock of the unit alone, beside the core, "
        "which all have (est; the clock by the median of several seeds, with the least and the most): encryption and "
        "decryption, S-boxes of LUTs but in the plugin, where they are block RAM. "
        f"Area counts a block RAM as {LUTS_A_BLOCK_RAM} LUT4. On the front: nothing else has as few cycles of AES-128 "
        "encryption with as little area.",
        "",
        *table(headings, rows),
        "",
        "![Area and speed of the instruction sets](../instructions.svg)",
    ]


TABLE = Table(
    name="instruction-sets",
    page="results/papers/INSTRUCTIONS.md",
    sources=("bench-papers.json", "explore-isa.json", "explore-sets.json"),
    command="make bench-papers",
    render=render,
)
