"""`make explore-sets`: delay and resources of the units with the instruction sets of others."""

from results.kept import Content
from results.tables import Table, table
from results.tables.explore_isa import FIELDS, keep


def render(kept: dict[str, Content]) -> list[str]:
    """A row for each part."""
    report = kept["explore-sets"]
    rows = [[part[key] for key in FIELDS if key != "clock_to_output_ns"] for part in report["parts"]]
    return [
        f"`make explore-sets`: {report['device']}, seed {report['seed']}, each part alone between registers "
        f"({report['kind']}); S-boxes of LUTs, both directions:",
        "",
        *table(["part", "delay ns", "Fmax MHz", "LUT4", "FF", "block RAM"], rows),
    ]


TABLE = Table(
    name="explore-sets",
    page="gateware/explore/README.md",
    sources=("explore-sets.json",),
    command="make explore-sets",
    render=render,
    keep=keep,
    shows="the units with instruction sets of others placed and routed alone",
    takes="10 minutes",
)
