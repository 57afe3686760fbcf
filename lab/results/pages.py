# SPDX-License-Identifier: BSD-2-Clause
"""Make the pages from the figures (measured values) in `lab/results/data`: insert each table into its page, and list
all tables on one page.
"""

import os
import re
from pathlib import Path

from lab.results import drawings, kept, reported
from lab.results.kept import Content, ResultsError
from lab.results.tables import (
    Table,
    activity,
    bench,
    bench_dma,
    bench_eth,
    bench_lte,
    bench_lte_zephyr,
    bench_papers,
    bench_sdram,
    bench_sets,
    bench_sim,
    bench_udp,
    bench_udp_zephyr,
    bitstream,
    boards,
    calls,
    demo,
    explore,
    explore_fpgas,
    explore_ghash,
    explore_isa,
    explore_lte,
    explore_rgmii,
    explore_sets,
    headline,
    instruction_sets,
    ise_cycles,
    netlist,
    number,
    other_ciphers,
    papers,
    printed,
    public_keys,
    table,
    timing,
)

LIST_PAGE = "lab/results/README.md"
# Matches a version in a tool's output: two or more numbers separated by dots. After the numbers, `git describe` can add
# a number of commits and a hash.
VERSION = re.compile(r"\d+\.\d+(\.\d+)*(-\d+-g[0-9a-f]+)?")
# Maps names of tools in results files to the names that pages show.
TITLES = {"python": "Python", "yosys": "Yosys", "nextpnr-ecp5": "nextpnr", "ecppack": "Project Trellis"}
TITLES |= {"verilator": "Verilator"}
TABLES = (
    *(
        module.TABLE
        for module in (
            headline,
            number,
            printed,
            demo,
            bench,
            calls,
            bench_udp,
            bench_udp_zephyr,
            bench_sim,
            bench_papers,
            instruction_sets,
            bench_sets,
            other_ciphers,
            public_keys,
            activity,
            bench_sdram,
            bench_dma,
            bench_eth,
            bench_lte,
            bench_lte_zephyr,
            boards,
            bitstream,
            timing,
            netlist,
            explore_isa,
            explore,
            explore_ghash,
            explore_fpgas,
            explore_lte,
            explore_sets,
            explore_rgmii,
            ise_cycles,
        )
    ),
    boards.ADDED,
    reported.TABLE,
    *papers.TABLES,
)
MEASURED = tuple(each for each in TABLES if each.keep)


def table_list() -> list[str]:
    """Return a Markdown table that lists all tables of measured figures. A row shows a table's page, contents and kind
    of speed, the command that measures the figures, how long the command takes, and the dates of the figures.
    """
    rows = []
    for each in MEASURED:
        page = os.path.relpath(each.page, Path(LIST_PAGE).parent)
        contents = kept.load(each.sources, each.command).values()
        dates = ", ".join(sorted({content["provenance"]["date"][:10] for content in contents}))
        rows.append([f"[{each.page}]({page})", each.shows, each.speed, f"`{each.command}`", each.takes, dates])
    return table(["page", "what is in it", "speed", "command", "time on 2 cores", "figures of"], rows)


def origin(content: Content) -> str:
    """Return a sentence that names the command, the tools and the date of a measurement."""
    p = content["provenance"]
    if "note" in p:
        return f"`{p['command']}`, {p['date'][:10]}: {p['note']}."
    setup = [f"{name} {shown_setting(value)}" for name, value in p["configuration"].items()]
    setup += [tool_version(name, version) for name, version in p["tools"].items()]
    board = p["board"]
    board = f"no board: {board.removeprefix('none: ')}" if board.startswith("none: ") else f"board {board}"
    return f"`{p['command']}`, {p['date'][:10]}, commit `{p['commit']}`, {board}; {', '.join(setup)}."


def shown_setting(value) -> str:
    """Return the value of a setting as text. Lists and dicts are shown without brackets and quotes."""
    if isinstance(value, list):
        separator = " " if all(isinstance(each, str) for each in value) else ", "
        return separator.join(map(shown_setting, value))
    if isinstance(value, dict):
        return " ".join(f"{name} {shown_setting(each)}" for name, each in value.items())
    return str(value)


def tool_version(name: str, printed: str) -> str:
    """Return the name and version of a tool. `printed` is the text that the tool printed about its version.

    The kept file of figures contains all that it printed, such as the compiler and the paths of its build.
    """
    version = VERSION.search(printed)
    return f"{TITLES.get(name, name)} {version[0] if version else printed}"


def block(each: Table) -> list[str]:
    """Return the lines of a page for one table: the table, then a sentence about how its figures were measured."""
    contents = kept.load(each.sources, each.command)
    lines = each.render(contents)
    if each.keep:
        origins = dict.fromkeys(map(origin, contents.values()))
        lines += ["", *(f"<sub>{line}</sub>  " for line in origins)]
    return lines


def pages() -> dict[Path, str]:
    """Return a dict that maps the path of every page and picture to its text.

    Raises
    ------
    ResultsError
        A page, the place of a table in a page, or a file of figures is missing.
    """
    blocks: dict[str, dict[str, list[str]]] = {LIST_PAGE: {"list": table_list()}}
    for each in TABLES:
        blocks.setdefault(each.page, {})[each.name] = block(each)
    texts = {kept.ROOT / page: _filled(page, of_page) for page, of_page in blocks.items()}
    return texts | {kept.ROOT / path: text for path, text in drawings.files().items()}


def _filled(page: str, blocks: dict[str, list[str]]) -> str:
    """Return the text of a page. Insert the tables in `blocks` between their begin and end marks."""
    path = kept.ROOT / page
    if not path.exists():
        raise ResultsError(f"{page} is missing: restore it")
    text = path.read_text(encoding="utf-8")
    for name, lines in blocks.items():
        begin, end = f"<!-- {name}: begin, by `make readme` -->\n", f"<!-- {name}: end -->"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        filled = begin + "\n".join(lines) + "\n" + end
        text, count = pattern.subn(lambda _, filled=filled: filled, text)
        if count != 1:
            raise ResultsError(f"{page} has {count} places for {name}: it needs the lines {begin.strip()} and {end}")
    return text
