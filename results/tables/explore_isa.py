"""Show `make explore-isa`: delay and resources of the vector unit's parts, and the reasons for its S-boxes."""

from results.kept import Content, select
from results.tables import Table, median_mhz, of_seeds, table

FIELDS = ("part", "delay_ns", "clock_to_output_ns", "fmax_mhz", "fmax_least_mhz", "fmax_most_mhz", "lut4", "ff", "bram")


def keep(content: Content) -> Content:
    """Return the figures that the page shows."""
    (head,) = select([content], ("kind", "device", "speed_grade", "seeds"))
    return {**head, "parts": select(content["parts"], FIELDS)}


def of_parts(command: str, report: Content, remark: str = "") -> list[str]:
    """Return the sentence that tells how parts were built, and a row for each."""
    rows = [
        [
            part["part"],
            part["delay_ns"],
            median_mhz(part, report["seeds"]),
            *(part[resource] for resource in ("lut4", "ff", "bram")),
        ]
        for part in report["parts"]
    ]
    return [
        f"`{command}`: {report['device']}, each part by itself between registers{remark}; delay and clock by "
        f"{of_seeds(report['seeds'])}, in brackets the least and the most clock of several seeds ({report['kind']}):",
        "",
        *table(["part", "delay ns", "Fmax MHz", "LUT4", "FF", "block RAM"], rows),
    ]


def render(kept: dict[str, Content]) -> list[str]:
    """Return a row for each part, and the conclusions."""
    report = kept["explore-isa"]
    parts = {part["part"]: part for part in report["parts"]}
    lanes = {
        sbox: "{lut4} LUT4 and {delay_ns} ns".format(**parts[f"lane, {sbox}"]) for sbox in ("ecp5", "table", "canright")
    }
    ram, other = parts["SubBytes, block RAM"], parts["SubBytes, block RAM, LFE5UM timing"]
    return [
        *of_parts(TABLE.command, report),
        "",
        "On ECP5 the unit's S-boxes are `ecp5`, which instantiates LUTs and slice multiplexers: a lane takes "
        f"{lanes['ecp5']}. With `table`, which synthesis maps and simulation uses, it takes {lanes['table']}. With "
        f"`canright`, the smallest, it takes {lanes['canright']}, too slow for its pipeline stage. In block RAM the "
        f"S-boxes would take {ram['bram']} block RAMs and no LUT, but a block RAM reads at a clock edge. Its "
        f"{ram['clock_to_output_ns']} ns from clock to output ({other['clock_to_output_ns']} ns by the timing of the "
        "LFE5UM of the same grade) would be added to the stage of ShiftRows, MixColumns and AddRoundKey. Reading the "
        "state registers would take a stage of its own.",
    ]


TABLE = Table(
    name="explore-isa",
    page="docs/reference/vector-unit.md",
    sources=("explore-isa.json",),
    command="make explore-isa",
    render=render,
    keep=keep,
    shows="the vector unit and its parts placed and routed separately, and a multiplier likewise: delay and resources",
    takes="40 minutes",
)
