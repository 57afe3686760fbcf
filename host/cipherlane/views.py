# SPDX-License-Identifier: BSD-2-Clause
"""Prints all output that is meant for people: tables and progress bars. No lower layer prints.

Text from outside passes through `plain`: it contains no markup and no terminal control.
"""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from cipherlane_base.figures import Measurement
from cipherlane_base.notices import diagnostics, one_line
from cipherlane_base.notices import show_warning as show_warning
from cipherlane_base.plain import plain
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.prompt import Confirm
from rich.table import Table
from rich.text import Text

from .errors import FileError
from .measuring.intervals import Interval
from .measuring.linkbench import PERCENTILES, STAGES, LinkMeasurement
from .tables import FittingTable, cell, title_text

_FEWEST_COLUMNS, _MOST_COLUMNS, _MOST_DIGITS = 20, 1000, 9


class _Console(Console):
    """A console that reports a closed pipe to its caller."""

    def on_broken_pipe(self) -> None:
        """Raise the current BrokenPipeError again. The method of the base class ends the process instead."""
        raise


class LinkRateColumn(ProgressColumn):
    """A column of the progress bar: the link's data rate in Mbps, measured with the host's clock."""

    def render(self, task: Task) -> Text:
        """Return the data rate of the transfer `task` as text."""
        speed = task.finished_speed or task.speed
        return Text("link   -   Mbps" if not speed else f"link {speed * 8 / 1e6:.3f} Mbps", style="cyan")


@contextmanager
def transfer_progress(
    description: str, total: int | None, *, start: int = 0, show: bool | None = None
) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on standard error. Yield a function that sets the number of bytes done so far.

    Args:
        description: text before the bar.
        total: bytes in all; None if unknown.
        start: bytes done before.
        show: True or False forces the bar on or off; None shows it on a terminal only.
    """
    console = _console(stderr=True, force_terminal=True if show else None)
    columns = (_description(), BarColumn(), DownloadColumn(), LinkRateColumn(), TimeRemainingColumn())
    hidden = show is False or not console.is_terminal
    with Progress(*columns, console=console, disable=hidden) as progress:
        task = progress.add_task(plain(description), total=total, completed=start)
        yield lambda done: progress.update(task, completed=done)


@contextmanager
def bench_progress(figures: int, show: bool | None = None) -> Iterator[Callable[[str], Callable[[int], None]]]:
    """Show on standard error how many of `figures` measurements are done.

    Yield a function. Call it with a figure's label to start that figure; it returns the function to call with the bytes
    done. `show` is as in `transfer_progress`.
    """
    console = _console(stderr=True, force_terminal=True if show else None)
    columns = (
        BarColumn(20),
        MofNCompleteColumn(),
        _description(),
        TextColumn("{task.fields[kb]} kB"),
    )
    with Progress(*columns, console=console, disable=show is False or not console.is_terminal) as progress:
        task = progress.add_task("", total=figures, kb=0)
        begun = -1

        def begin(label: str) -> Callable[[int], None]:
            nonlocal begun
            begun += 1
            progress.update(task, description=plain(label), completed=begun, kb=0)
            return lambda done: progress.update(task, kb=done // 1000)

        yield begin
        progress.update(task, completed=figures)


def measurement_table(measurements: Iterable[Measurement], title: str | None = None) -> FittingTable:
    """Return a table of measurements. A column shows the kind of each measurement, such as `sim`. If all measurements
    are in CTR, the table has no column for the mode.
    """
    measurements = tuple(measurements)
    modes = any(item.mode != "ctr" for item in measurements)
    headings = (
        "engine",
        *(["mode"] if modes else []),
        "key\nbits",
        "direction",
        "bytes",
        "cycles/\nblock",
        "bits/\ncycle",
        "Mbps",
        "kind",
        "verified",
    )
    rows = (
        (
            item.engine + _mark(item.interrupted),
            *([item.mode] if modes else []),
            str(item.key_bits),
            item.direction,
            str(item.bytes),
            _figure(item.cycles_per_block, 1),
            _figure(item.bits_per_cycle, 3),
            _figure(item.mbps, 2),
            item.kind,
            {True: "yes", False: "NO", None: "-"}[item.verified],
        )
        for item in measurements
    )
    words = ("verified", "kind", "direction", *(["mode"] if modes else []))
    return FittingTable(headings, rows, title, words, ("bits/\ncycle", "bytes", "direction"))


def link_table(measurements: Iterable[LinkMeasurement], title: str | None = None) -> FittingTable:
    """Return a table of link measurements."""
    shown = (PERCENTILES[0], PERCENTILES[-1])
    headings: tuple[str, ...] = (
        "engine",
        "record\nbytes",
        "win-\ndow",
        "goodput\nMbps",
        "kind",
        "of\n1 Gb/s",
        "a host core\nMbps",
    )
    headings += ("loss", *(f"p{part}\nms" for part in shown))
    rows = (
        (
            f"{item.engine} {item.key_bits}{_mark(item.interrupted)}",
            str(item.record_bytes),
            str(item.window_records),
            f"{item.goodput_mbps:.1f}",
            item.kind,
            f"{item.share:.1%}",
            f"{item.host_core_mbps:.0f}",
            f"{item.loss:.1%}",
            *(f"{item.latency_ms[f'p{part}']:.2f}" for part in shown),
        )
        for item in measurements
    )
    return FittingTable(
        headings, rows, title, ("kind",), ("a host core\nMbps", "of\n1 Gb/s", "win-\ndow", headings[-1])
    )


def interval_heading(label: str) -> tuple[str, str]:
    """Return two lines to print above the lines of `interval_line`: a title with `label`, and the columns' names."""
    words = ("seconds", "bytes sent", "Mbps", "bytes received", "Mbps", "sent again")
    return f"{label}, by the host's clock:", _interval_columns(*words)


def interval_line(interval: Interval, label: str = "") -> str:
    """Return the traffic of an interval as one line of text."""
    return _interval_columns(
        f"{label} {interval.start:.2f}-{interval.end:.2f}",
        str(interval.sent_bytes),
        f"{interval.sent_mbps:.1f}",
        str(interval.received_bytes),
        f"{interval.received_mbps:.1f}",
        str(interval.retransmissions),
    )


def _interval_columns(*words: str) -> str:
    return " ".join(word.rjust(width) for word, width in zip(words, (18, 14, 9, 14, 9, 10), strict=True))


def packet_table(measurements: Iterable[LinkMeasurement], title: str | None = None) -> FittingTable:
    """Return a table of the board's cycles per record, with one column for each stage of processing."""
    rows = (
        (
            f"{item.engine} {item.key_bits}",
            str(item.record_bytes),
            *(f"{item.packet_cycles[stage]:.0f}" for stage in STAGES),
            f"{sum(item.packet_cycles.values()):.0f}",
        )
        for item in measurements
        if item.packet_cycles
    )
    return FittingTable(("engine", "record\nbytes", *STAGES, "sum"), rows, title, least=("record\nbytes", "stack"))


def field_table(fields: dict[str, Any], title: str | None = None) -> Table:
    """Return a table of names and values."""
    table = Table(title=title_text(title), show_header=False)
    for name, value in fields.items():
        table.add_row(name, cell(", ".join(value) if isinstance(value, list | tuple) else str(value)))
    return table


def show(renderable: Any, *, stderr: bool = False) -> None:
    """Print a table, or one line of text."""
    text = isinstance(renderable, str)
    with diagnostics() if stderr else output():
        _console(stderr=stderr).print(cell(renderable) if text else renderable, highlight=False, soft_wrap=text)


def on_terminal() -> bool:
    """Return whether standard error is a terminal that shows progress bars."""
    return _console(stderr=True).is_terminal


def show_json(value: Any) -> None:
    """Print `value` as JSON on standard output."""
    with output():
        sys.stdout.write(json.dumps(value, indent=2) + "\n")


def show_error(text: str) -> None:
    """Print one line on standard error."""
    with diagnostics():
        sys.stderr.write(f"cipherlane: error: {one_line(text)}\n")


def ask(question: str) -> bool:
    """Ask `question` on the terminal; return whether the user answers yes. Return False without a terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    try:
        return Confirm.ask(cell(question), console=_console(stderr=True), default=False)
    except EOFError:
        return False


def _description() -> TextColumn:
    return TextColumn("{task.description}", markup=False)


def command_line(words: Sequence[str]) -> str:
    """Return `words` quoted for this system's shell."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def _mark(interrupted: bool | None) -> str:
    """Return " (part)" if the measurement was interrupted, otherwise no text. The result follows the engine's name."""
    return " (part)" if interrupted else ""


@contextmanager
def output() -> Iterator[None]:
    """A context for writing on standard output. At its end, flush the output, so that a failed write raises an error.

    Raises:
        FileError: the output cannot be written.
        BrokenPipeError: the reader has closed the pipe.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is closed"
        raise FileError(f"cannot write standard output: {reason}; send it to a file or pipe with room") from error


def _console(**options: Any) -> Console:
    """Return a console as wide as the terminal, or as the environment variable COLUMNS says (20 to 1000 columns)."""
    columns = os.environ.get("COLUMNS", "")
    given = columns.isascii() and columns.isdecimal() and len(columns) <= _MOST_DIGITS and int(columns) > 0
    others = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    width = min(max(int(columns), _FEWEST_COLUMNS), _MOST_COLUMNS) if given else None
    return _Console(width=width, _environ=others, **options)


def _figure(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
