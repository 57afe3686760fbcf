# SPDX-License-Identifier: BSD-2-Clause
"""Results of `make explore-isa`: delay and resources of the vector unit's parts, and the reasons for the choice of
S-boxes.
"""

from lab.results.kept import Content, select
from lab.results.tables import Table, median_mhz, of_seeds, table

FIELDS = ("part", "delay_ns", "clock_to_output_ns", "fmax_mhz", "fmax_least_mhz", "fmax_most_mhz", "lut4", "ff", "bram")


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs."""
    (head,) = select([content], ("kind", "device", "speed_grade", "seeds"))
    return {**head, "parts": select(content["parts"], FIELDS)}


def of_parts(command: str, report: Content, remark: str = "") -> list[str]:
    """Return Markdown: a sentence that tells how the parts were built, and a table with a row for each part."""
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
    """Return the table in Markdown: a row for each part, then the reasons for the S-boxes of the vector unit."""
    report = kept["explore-isa"]
    parts = {part["part"]: part for part in report["parts"]}
    lanes = {
        sbox: "{lut4} LUT4 and {delay_ns} ns".format(**parts[f"lane, {sbox}"]) for sbox in ("ecp5", "table", "canright")
    }
    ram, other = parts["SubBytes, block RAM"], parts["SubBytes, block RAM, LFE5UM timing"]
    return [
        *of_parts(TABLE.command, report),
        "",
        "A board's file chooses the S-boxes of its unit (`cfu_sbox` in `gateware/boards`):",
        "",
        f"- `block_ram`, on most boards: {ram['bram']} block RAMs and no LUT. The block RAM's own register is the one "
        f"between the two pipeline stages. Its {ram['clock_to_output_ns']} ns from clock to output "
        f"({other['clock_to_output_ns']} ns by the timing of the LFE5UM of the same grade) count in the stage of "
        "MixColumns and AddRoundKey. The table has no unit with these S-boxes. "
        "[Instruction sets](../../lab/results/papers/INSTRUCTIONS.md) has its share of a bitstream.",
        f"- `ecp5`, on `ecpix5_eth_zephyr`, which has no block RAM to spare. It instantiates LUTs and slice "
        f"multiplexers. A lane takes {lanes['ecp5']}.",
        f"- `tower`, on a 25F: Canright's, the smallest; the table calls it `canright`. A lane takes "
        f"{lanes['canright']}, which makes its pipeline stage slow.",
        f"- `table`, on the simulated board. Synthesis maps it to {lanes['table']} a lane.",
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
