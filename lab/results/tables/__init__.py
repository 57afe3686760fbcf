# SPDX-License-Identifier: BSD-2-Clause
"""Define the tables of the pages. Each module of this package selects the figures (measured values) that its table
shows, and makes the Markdown.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from lab.results.kept import Content

# In comparisons of area, one block RAM of 18 Kbit counts as 1,152 LUT4. A LUT4 stores 16 bits, so 1,152 LUT4 also store
# 18 Kbit.
LUTS_A_BLOCK_RAM = 1152


@dataclass(frozen=True)
class Table:
    """A table on a page, with the text that surrounds it.

    Attributes
    ----------
    name : str
        Name of the block, which stands between ``<!-- name: begin -->`` and ``<!-- name: end -->``.
    page : str
        Path of the Markdown file in the repository.
    sources : tuple of str
        Patterns for the names of its files of figures.
    command : str
        Command that writes the figures.
    render : callable
        Returns lines of Markdown from the files' contents by name. The lines do not tell how figures were measured.
    keep : callable or None
        Returns what to keep of a file in `build/results`. None if other tables keep the figures of this one.
    shows, speed, takes : str
        For the list of tables: what is in it; engine, record or link speed; how long the command takes on two cores.
    """

    name: str
    page: str
    sources: tuple[str, ...]
    command: str
    render: Callable[[dict[str, Content]], list[str]]
    keep: Callable[[Content], Content] | None = None
    shows: str = ""
    speed: str = "-"
    takes: str = ""


def table(headings: Iterable[str], rows: Iterable[Iterable]) -> list[str]:
    """Return the lines of a Markdown table."""
    headings = list(headings)
    lines = [headings, ["---"] * len(headings), *rows]
    return ["| " + " | ".join(map(str, line)) + " |" for line in lines]


def picture(shown: str, path: str) -> list[str]:
    """Return Markdown lines that show a picture and link to its data. `path` is relative to the page, without
    extension.
    """
    return [f"![{shown}]({path}.svg)", "", f"Data of this picture: [CSV]({path}.csv)."]


def median_mhz(record: Content, seeds: Collection) -> str:
    """Return the median clock over the place-and-route seeds, as text. With several seeds, add minimum and maximum."""
    form = "{fmax_mhz} ({fmax_least_mhz} to {fmax_most_mhz})" if len(seeds) > 1 else "{fmax_mhz} (one seed)"
    return form.format(**record)


def of_seeds(seeds: Sequence[int]) -> str:
    """Return a text about the place-and-route seeds of a clock, for example "the median of seeds 1, 2, 3"."""
    return f"the median of seeds {', '.join(map(str, seeds))}" if len(seeds) > 1 else f"seed {seeds[0]}"
