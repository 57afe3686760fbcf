# SPDX-License-Identifier: BSD-2-Clause
"""Defines a measurement and its JSON form, and writes results files. Each file states how its results were measured."""

import functools
import json
import os
import platform
import re
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .notices import show_warning
from .version import __version__

KINDS = {
    "board": "measured on hardware",
    "sim": "cycles of the simulated board, converted at its declared clock; nothing was measured on hardware",
    "est": "place-and-route's estimate",
    "null": "a program on the host instead of a board; its cycles are nanoseconds",
}

_GIT_TIMEOUT = 10.0
_REFUSED = re.compile(r"dubious ownership.*^\s*(git config --global --add safe\.directory [^\n]+)", re.S | re.M)


def commit(file: Path = Path(__file__)) -> str | None:
    """Return the commit of the git checkout that contains `file`. Append "-dirty" if the checkout has uncommitted
    changes.

    Return None without git or outside of a checkout. A copy of this package inside another project is not part of that
    project's checkout.
    """
    here = ("git", "-C", str(file.resolve().parent))
    said_so = {**os.environ, "LC_ALL": "C"}  # LC_ALL=C makes git write its messages in English; they are parsed below
    run = functools.partial(subprocess.run, capture_output=True, text=True, timeout=_GIT_TIMEOUT, env=said_so)
    try:
        listed = run([*here, "ls-files", "--error-unmatch", file.name])
        if listed.returncode:
            if refused := _REFUSED.search(listed.stderr):
                _warn_of_no_commit(refused[1].strip())
            return None
        described = run([*here, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"])
    except (OSError, subprocess.TimeoutExpired):
        return None
    return described.stdout.strip() or None


@functools.cache
def _warn_of_no_commit(command: str) -> None:
    """Warn, only once, that git refuses to report the commit. The text recommends the git command `command`."""
    show_warning(
        f"figures name no commit, because git refuses this checkout, which belongs to another user: `{command}` "
        "allows it"
    )


def document(
    content: Mapping[str, Any],
    *,
    command: str,
    board: str,
    configuration: Mapping[str, Any],
    tools: Mapping[str, str] | None = None,
    measured: str | None = None,
) -> str:
    """Return JSON text: first `provenance`, which tells how the figures were measured, then the figures in `content`.

    `provenance` holds date (UTC), commit, command, board, configuration and tools.

    Args:
        content: the figures.
        command: the command that measured them.
        board: the board that was measured.
        configuration: its settings, by name.
        tools: versions of the tools that built and measured it, in addition to the project and Python.
        measured: the `commit` that was measured, for long measurements during which the checkout may change; by default
            the current commit.
    """
    provenance = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": measured or commit(),
        "command": command,
        "board": board,
        "configuration": dict(configuration),
        "tools": {"cipherlane": __version__, "python": platform.python_version(), **(tools or {})},
    }
    return json.dumps({"provenance": provenance, **content}, indent=2) + "\n"


def write(path: Path, content: Mapping[str, Any], **circumstances: Any) -> None:
    """Write `content` to the file `path`, as the JSON text that `document` returns. Create the folder if it is missing.
    Replace an existing file in one step.

    Raises:
        OSError: the folder or the file cannot be created.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_text(document(content, **circumstances), encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@dataclass(frozen=True)
class Measurement:
    """A measurement of one engine with the board's cycle counter.

    `bytes` is the length of the data. `processed_bytes` and `blocks` include repeated records, and `cycles` is the time
    for all of these. `kind` is "sim" for a simulated board and "board" for hardware. The `link_` figures use the host's
    wall clock; for a simulated board they show how fast the simulation runs, and nothing about a board. If the run
    ended early, `interrupted` tells whether this figure was cut short; otherwise it is None. `mode` is "ctr" or "gcm".
    """

    engine: str
    key_bits: int
    direction: str
    bytes: int
    blocks: int
    cycles: int
    key_cycles: int
    kind: str
    clock_hz: int
    processed_bytes: int | None = None
    verified: bool | None = None
    link_seconds: float | None = None
    retransmissions: int | None = None
    interrupted: bool | None = None
    mode: str = "ctr"

    @property
    def cycles_per_block(self) -> float | None:
        """Cycles per block of 16 bytes; None if the board processed no block or does not count cycles."""
        return self.cycles / self.blocks if self.blocks and self.cycles else None

    @property
    def bits_per_cycle(self) -> float | None:
        """Data bits per cycle; None if nothing was processed."""
        return self._processed * 8 / self.cycles if self.cycles else None

    @property
    def mbps(self) -> float | None:
        """Millions of data bits a second at `clock_hz`; None if nothing was processed."""
        rate = self.bits_per_cycle
        return None if rate is None else rate * self.clock_hz / 1e6

    @property
    def link_wall_mbps(self) -> float | None:
        """Millions of data bits a second over the link by the host's clock; None if no transfer was measured."""
        return self.bytes * 8 / self.link_seconds / 1e6 if self.link_seconds else None

    @property
    def _processed(self) -> int:
        return self.bytes if self.processed_bytes is None else self.processed_bytes

    def record(self) -> dict[str, Any]:
        """Return the measurement as a dictionary for JSON."""
        record = asdict(self)
        record["processed_bytes"] = self._processed
        if self.interrupted is None:
            del record["interrupted"]
        for name, digits in (("cycles_per_block", 3), ("bits_per_cycle", 4), ("mbps", 3), ("link_wall_mbps", 3)):
            value = getattr(self, name)
            record[name] = None if value is None else round(value, digits)
        if self.link_seconds is not None:
            record["link_seconds"] = round(self.link_seconds, 3)
            record["link_note"] = "host wall clock, " + (
                "speed of the simulation, not of a board" if self.kind == "sim" else "transport included"
            )
        else:
            for name in ("link_seconds", "link_wall_mbps", "retransmissions"):
                del record[name]
        return record
