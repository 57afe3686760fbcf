# SPDX-License-Identifier: BSD-2-Clause
"""Our equivalents of Figures 6 to 12 of Hessel et al. 2009: LUT4 and transitions, from `make explore-lte`."""

from lab.results.kept import Content
from lab.results.papers import activity
from lab.results.tables import Table, of_seeds, picture, table
from lab.results.tables.bench_lte import POINTS_NS


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table in Markdown: a row for each core, in the order of the paper's figures."""
    content = kept["explore-lte"]
    records = activity.of_one_part(content["records"])
    rows = []
    for r in sorted(records, key=lambda r: (r["engines"], r["algorithm"] == "aes", r["datapath"], r["lut4"])):
        per_byte = (r["toggles_a_byte"], activity.cost_of_a_byte(r))
        reached = [ns if activity.reaches(r, ns) else None for ns in POINTS_NS]
        figures = [f"{each / ns:.0f}" if ns else "-" for each in per_byte for ns in reached]
        rows.append([activity.family(r), r["engines"], activity.sboxes(r), r["lut4"], r["least_ns_a_byte"], *figures])
    headings = ["core", "engines", "S-boxes", "LUT4", "least ns a byte"]
    headings += [f"{what} at {ns} ns" for what in ("toggles a ns", "times kLUT4") for ns in POINTS_NS]
    part = f"{records[0]['device']}, speed grade {records[0]['speed']}"
    return [
        f"`make explore-lte`, {part}: SNOW 3G (Figures 6 and 7), and AES-128 with round keys on the fly by one engine "
        "(8 and 9) and by two (10 and 11). The last columns show activity times area (12). Least ns a byte: at the "
        f"clock of place-and-route, {of_seeds(content['seeds'])} (est). A core has no figure at a time that it does "
        "not reach. Toggles are counted in the mapped netlist (sim): they show activity, not power.",
        "",
        *table(headings, rows),
        "",
        *picture("Area and activity of the ciphers of LTE", "../activity"),
    ]


TABLE = Table(
    name="activity",
    page="lab/results/papers/hessel.md",
    sources=("explore-lte.json",),
    command="make explore-lte",
    render=render,
)
