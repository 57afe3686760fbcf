# SPDX-License-Identifier: BSD-2-Clause
"""The results of `make explore-sets`: delay and resources of the units with instruction sets of other authors."""

from lab.results.kept import Content
from lab.results.tables import Table
from lab.results.tables.explore_isa import keep, of_parts


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table in Markdown: a row for each part."""
    return of_parts(TABLE.command, kept["explore-sets"], ", S-boxes of LUTs, both directions")


TABLE = Table(
    name="explore-sets",
    page="lab/isa/README.md",
    sources=("explore-sets.json",),
    command="make explore-sets",
    render=render,
    keep=keep,
    shows="the units with instruction sets of others placed and routed separately",
    takes="25 minutes",
)
