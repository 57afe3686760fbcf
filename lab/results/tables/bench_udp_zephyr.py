# SPDX-License-Identifier: BSD-2-Clause
"""The results of `make bench-udp FIRMWARE=zephyr`: records over UDP with the firmware on Zephyr."""

from lab.results.kept import Content
from lab.results.tables import Table
from lab.results.tables.bench_udp import keep, stages


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table in Markdown: a caption, and a row for each engine."""
    records = kept["bench-udp_zephyr"]["records"]
    return [
        "`make bench-udp FIRMWARE=zephyr`, measured like the [table of bare metal](../../host/RESULTS.md), at "
        f"{records[0]['clock_hz'] / 1e6:g} MHz. Stages and sum are rounded separately. Time between two records "
        "counts for the Mbps, but for no stage:",
        "",
        *stages(records),
    ]


TABLE = Table(
    name="bench-udp-zephyr",
    page="firmware/zephyr/README.md",
    sources=("bench-udp_zephyr.json",),
    command="make bench-udp FIRMWARE=zephyr",
    render=render,
    keep=keep,
    shows="the same with the firmware on Zephyr",
    speed="link",
    takes="2 minutes",
)
