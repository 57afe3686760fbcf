# SPDX-License-Identifier: BSD-2-Clause
"""Finds the best speed of each engine in files of measurements, and the change of this speed since the previous run."""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ..measuring import plots
from .figures import MOST_BARS, Figures, Row, is_figure, printable, records
from .sources import Source
from .words import engine, three

_KEY_BITS = 128
# options that do not affect the speeds that a command measures
_APART = ("--results", "--port", "--log", "--csv")
_Case = tuple[str, str, str]  # engine, series and board
_SAME = 0.0005  # a smaller relative change of a speed is reported as no change


@dataclass(frozen=True)
class Best:
    """The best speed of an engine in a command's newest run. `before` is the best speed in the previous run, if any."""

    engine: str
    speed: str
    mbps: float
    kind: str
    board: str
    clock_mhz: float | None
    date: str
    file: str
    before: float | None = None

    @property
    def series(self) -> str:
        """Return the name of the data series for this speed in a plot, for example "engine speed, sim, 50 MHz"."""
        return f"{self.speed}, {self.kind}" + (f", {self.clock_mhz:g} MHz" if self.clock_mhz else "")

    @property
    def change(self) -> str:
        """Return the relative change since the previous run, as text."""
        if self.before is None:
            return "first run"
        if not self.before or abs(self.mbps / self.before - 1) < _SAME:
            return "none"
        return f"{'+' if self.mbps > self.before else '-'}{three(abs(self.mbps / self.before - 1) * 100)} %"


def best(sources: Iterable[Source]) -> list[Best]:
    """Return the best AES-128 speeds of each engine: one for each combination of board, clock, kind of measurement
    (such as `sim`) and kind of speed (engine, record or link).

    Runs are compared with runs of the same command. If several commands measured an engine, the one with the best
    newest run counts.
    """
    runs: dict[_Case, dict[str, list[Best]]] = {}
    for source in sources:
        of_file: dict[_Case, Best] = {}
        for one in _of(source):
            case = (one.engine, one.series, one.board)
            of_file[case] = max(one, of_file.get(case, one), key=lambda each: each.mbps)
        for case, one in of_file.items():
            runs.setdefault(case, {}).setdefault(_command(source), []).append(one)
    found = [max(map(_newest, commands.values()), key=lambda each: each.mbps) for commands in runs.values()]
    return sorted(found, key=lambda each: (each.speed, -each.mbps))


def _newest(runs: list[Best]) -> Best:
    """Return the newest of `runs`. Its field `before` is the speed of the previous run; None if there is none."""
    *earlier, newest = sorted(runs, key=lambda each: each.date)
    return replace(newest, before=earlier[-1].mbps if earlier else None)


def table(found: list[Best]) -> Figures | None:
    """Return the best speeds as a table with a plot; None for fewer than two engines."""
    if len({each.engine for each in found}) < 2:
        return None
    rows: list[Row] = [
        {
            "engine": printable(f"{engine(each.engine)} ({each.engine})"),
            "speed": each.speed,
            "mbps": each.mbps,
            "since the run before": each.change,
            "kind": each.kind,
            "board": each.board,
            "clock_hz": each.clock_mhz * 1e6 if each.clock_mhz else None,
            "measured": each.date[:10],
            "file": each.file,
        }
        for each in found
    ]
    drawn = [(printable(each.engine), each.mbps, printable(each.series)) for each in found]
    title = "The best of each engine with AES-128, Mbps"
    few = len({series for *_, series in drawn}) <= len(plots.COLOURS) and len(drawn) <= MOST_BARS
    return Figures(title, tuple(rows[0]), rows, {}, plots.bars(title, drawn) if few else None)


def _of(source: Source) -> Iterator[Best]:
    words = source.provenance["command"].split()
    speed = {"bench": "engine", "demo": "record"}.get(words[1] if words[0:1] == ["cipherlane"] and words[1:] else "")
    for row in records(source.content.get("records")) or ():
        link = "goodput_mbps" in row
        mbps = row.get("goodput_mbps" if link else "mbps")
        if not (speed or link) or row.get("key_bits") != _KEY_BITS or not is_figure(mbps):
            continue
        clock = row.get("clock_hz")
        yield Best(
            str(row.get("engine")),
            f"{'link' if link else speed} speed" + (", GCM" if row.get("mode") == "gcm" else ""),
            mbps,
            str(row.get("kind")),
            str(source.provenance.get("board") or "-"),
            clock / 1e6 if is_figure(clock) else None,
            source.provenance["date"],
            source.title,
        )


def _command(source: Source) -> str:
    """Return the command without options such as --port, which do not affect the measured speeds."""
    text = source.provenance["command"]
    try:
        words = shlex.split(text)
    except ValueError:
        return str(text)
    left, skip = [], False
    for word in words:
        if not skip and word.partition("=")[0] not in _APART:
            left.append(word)
        skip = word in _APART
    return shlex.join(left)
