"""Define one table a file: what it keeps of a command's figures, and the Markdown that shows them."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from results.kept import Content

# When areas are compared, a block RAM of 18 Kbit counts as this many LUT4 of 16 bits each.
LUTS_A_BLOCK_RAM = 1152


@dataclass(frozen=True)
class Table:
    """A block of a page.

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
    """Return the lines that show a picture and link its data. `path` is relative to the page and has no extension."""
    return [f"![{shown}]({path}.svg)", "", f"Data of this picture: [CSV]({path}.csv)."]


def median_mhz(record: Content, seeds: Collection) -> str:
    """Return the median clock over seeds of place-and-route, with the least and the most if there are several."""
    form = "{fmax_mhz} ({fmax_least_mhz} to {fmax_most_mhz})" if len(seeds) > 1 else "{fmax_mhz} (one seed)"
    return form.format(**record)


def of_seeds(seeds: Sequence[int]) -> str:
    """Tell which seeds of place-and-route a clock comes from."""
    return f"the median of seeds {', '.join(map(str, seeds))}" if len(seeds) > 1 else f"seed {seeds[0]}"
