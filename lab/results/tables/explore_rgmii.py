# SPDX-License-Identifier: BSD-2-Clause
"""The results of `make explore-rgmii`: the clock of gigabit RGMII on the slowest speed grade, by MAC."""

from lab.results.kept import Content, select
from lab.results.tables import Table, table

FIELDS = ("mac", "required_mhz", "median_mhz", "least_mhz", "most_mhz")


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs."""
    kept = {name: content[name] for name in ("kind", "device", "seeds")}
    return {**kept, "records": select(content["records"], FIELDS)}


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table in Markdown: a row for each MAC."""
    content = kept["explore-rgmii"]
    records = content["records"]
    rows = [
        [
            r["mac"],
            f"{r['median_mhz']} ({content['kind']})",
            f"{r['least_mhz']} to {r['most_mhz']}",
            "yes" if r["least_mhz"] >= r["required_mhz"] else "no" if r["most_mhz"] < r["required_mhz"] else "by some",
        ]
        for r in records
    ]
    return [
        f"`make explore-rgmii`: {content['device']}, RGMII's clock with only LiteEth's PHY and a MAC on the board's "
        f"pins, seeds {', '.join(map(str, content['seeds']))}:",
        "",
        *table(["MAC", "MHz, median", "over seeds", f"{records[0]['required_mhz']:g} MHz met"], rows),
    ]


TABLE = Table(
    name="explore-rgmii",
    page="docs/reference/rgmii.md",
    sources=("explore-rgmii.json",),
    command="make explore-rgmii",
    render=render,
    keep=keep,
    shows="the clock of gigabit RGMII on a part of the slowest speed grade, by MAC",
    takes="10 minutes",
)
