# SPDX-License-Identifier: BSD-2-Clause
"""The results of `make bitstream`: clocks and resources of the boards with a bitstream."""

from lab.results.kept import Content, select
from lab.results.tables import Table, table

USED = ("lut4", "ff", "bram", "dsp")


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs."""
    (head,) = select([content], ("board", "device", "speed_grade", "kind", "seed", *USED))
    parts = {name: content[name] for name in ("shares", "units") if name in content}
    return {**head, **parts, "clocks": content["clocks"]}


def render(kept: dict[str, Content]) -> list[str]:
    """Return three tables in Markdown: the clocks of each board, the FPGA resources of each board, and the resources of
    the units on each board. The first table marks clocks that are slower than required.
    """
    clocks, area, parts = [], [], []
    for report in kept.values():
        board = report["board"]
        for c in report["clocks"]:
            missed = ", **missed**" if c["achieved_mhz"] < c["required_mhz"] else ""
            reached = f"{c['achieved_mhz']:.2f}{missed}"
            clocks.append([board, c["name"], f"{c['required_mhz']:g}", reached, report["seed"]])
        area.append([board, *(report[key] for key in USED)])
        alone = {f"{part}, synthesised separately": used for part, used in report.get("units", {}).items()}
        shares = {**report.get("shares", {}), **alone}
        shown = (f"{part} {' / '.join(str(used[key]) for key in USED)}" for part, used in shares.items())
        parts.append([board, "; ".join(shown).replace("_", " ")])
    kinds = dict.fromkeys(report["kind"] for report in kept.values())
    return [
        f"`make bitstream BOARD=... CONFIG=...` ({', '.join(kinds)}); a build that misses a clock reports an error:",
        "",
        *table(["board", "clock", "required MHz", "achieved MHz", "seed"], clocks),
        "",
        *table(["board", "LUT4", "FF", "block RAM", "DSP"], area),
        "",
        "The parts of each board, counted by the names of cells. A LUT between two parts may count for either. `rest` "
        "is everything else: bus, memories, UART, timer and, where there is one, the SDRAM's controller. In "
        "`ecpix5_sdram` most cells could not be assigned, so they count as `rest`.",
        "",
        *table(["board", "its parts: LUT4 / FF / block RAM / DSP"], parts),
    ]


TABLE = Table(
    name="bitstream",
    page="docs/reference/clocks.md",
    sources=("bitstream-*.json",),
    command="make bitstream BOARD=ecpix5",
    render=render,
    keep=keep,
    shows="clocks and resources of the boards' bitstreams",
    takes="some minutes a board",
)
