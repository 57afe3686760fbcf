"""One table a file: what is kept of a command's figures, and the Markdown that shows them."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from results.kept import Content

# What a block RAM of 18 Kbit counts as in LUT4 of 16 bits each, where one area is to be compared with another.
LUTS_A_BLOCK_RAM = 1152


@dataclass(frozen=True)
class Table:
    """A block of a page.

    Attributes
    ----------
    name : str
        Of the block: it stands between ``<!-- name: begin -->`` and ``<!-- name: end -->``.
    page : str
        Path of the Markdown file in the repository.
    sources : tuple of str
        Patterns of the names of its files of figures.
    command : str
        What writes them.
    render : callable
        Gives lines of Markdown from the files' contents by name, without what they were measured with.
    keep : callable or None
        Gives of the content of a file in `build/results` what is kept; None of a table of what others keep.
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
    """The lines of a Markdown table."""
    headings = list(headings)
    lines = [headings, ["---"] * len(headings), *rows]
    return ["| " + " | ".join(map(str, line)) + " |" for line in lines]


def picture(shown: str, path: str) -> list[str]:
    """The lines that show a picture, and offer its data; `path` is without its end, seen from the page."""
    return [f"![{shown}]({path}.svg)", "", f"Data of this picture: [CSV]({path}.csv)."]


def median_mhz(record: Content, seeds: Collection) -> str:
    """The median clock of seeds of place-and-route, with the least and the most if there are several."""
    form = "{fmax_mhz} ({fmax_least_mhz} to {fmax_most_mhz})" if len(seeds) > 1 else "{fmax_mhz} (one seed)"
    return form.format(**record)


def of_seeds(seeds: Sequence[int]) -> str:
    """Which seeds of place-and-route a clock is of."""
    return f"the median of seeds {', '.join(map(str, seeds))}" if len(seeds) > 1 else f"seed {seeds[0]}"
