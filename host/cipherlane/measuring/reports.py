# SPDX-License-Identifier: BSD-2-Clause
"""Reports of a board's speed, which users send to the project: `cipherlane bench --report` writes them.

A report is JSON. It names the board, its build and the measurements, and nothing about its author or their machine: no
ports, addresses, paths or host names. `read` accepts nothing else, because strangers send reports.
"""

import contextlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from cipherlane_base import build_id, figures
from cipherlane_base.figures import KINDS, Measurement
from cipherlane_base.version import __version__
from cipherlane_base.wire.layout import Engine, Mode

from ..errors import FileError
from ..link.device import DIRECTIONS, KEY_BITS, Device
from .linkbench import LinkMeasurement, wire_limit_mbps

FORMAT = "cipherlane report 1"
MOST_BYTES = 1 << 20  # maximum size of a report
LINKS = ("serial", "udp")
_MOST_RECORDS = 1000
_MOST_COUNT = 1 << 63
_MOST_CLOCK_HZ = 1_000_000_000
_MOST_BITS_PER_CYCLE = 128  # maximum bits per cycle: no engine has a wider interface to memory
_MARGIN = 1.001  # tolerance factor, because the values in a report are rounded
_WORDS = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ,.:()_+-]{0,63}")
_VERSION = re.compile(r"[0-9a-z.+]{1,32}")
_COMMIT = re.compile(r"[0-9a-f]{7,40}(-dirty)?")
_ENGINES = tuple(engine.name.lower() for engine in Engine)
_MODES = tuple(mode.name.lower() for mode in Mode)
# The fields of a measurement in a report: `_MEMORY` for data in the board's memory, `_LINK` for records over the link.
_MEMORY = ("engine", "key_bits", "direction", "mode", "bytes", "blocks", "cycles", "key_cycles")
_LINK = (
    "engine",
    "key_bits",
    "record_bytes",
    "window_records",
    "bytes",
    "seconds",
    "goodput_mbps",
    "loss",
    "retransmissions",
)


@dataclass(frozen=True)
class Report:
    """A checked report: the board, the conditions of the measurement, and the measured values.

    `measured` holds `Measurement` or `LinkMeasurement` values; their derived figures were computed again. `selftest` is
    the number of known-answer tests that the board had passed just before. `date` is a day in UTC, as text. `commit` is
    the commit of the host tool's checkout; None if the tool was installed as a package.
    """

    board: str
    firmware: str
    build_id: str
    clock_hz: int
    kind: str
    link: str
    selftest: int
    date: str
    cipherlane: str
    commit: str | None
    measured: tuple[Measurement | LinkMeasurement, ...]


def text(device: Device, selftest: int, measured: Sequence[Measurement | LinkMeasurement]) -> str:
    """Return a report as JSON: a board's measurements, and `selftest`, the number of known-answer tests that passed."""
    info = device.info()
    report = {
        "format": FORMAT,
        "board": info.board,
        "firmware": f"{info.firmware} {info.firmware_version}",
        "build_id": info.build_id,
        "clock_hz": info.clock_hz,
        "kind": info.kind,
        "link": "udp" if device.link.transport.shared else "serial",
        "selftest": selftest,
        "date": datetime.now(UTC).date().isoformat(),
        "cipherlane": __version__,
        "commit": figures.commit(),
        "measured": [_fields(each) for each in measured],
    }
    return json.dumps(report, indent=1) + "\n"


def read(name: str, content: bytes) -> Report:
    """Return the report in `content`, the bytes of the file `name`.

    Raises:
        FileError: the file is not a whole report, or a value in it is impossible; the message names the value.
    """
    try:
        found = json.loads(content.decode("utf-8")) if len(content) <= MOST_BYTES else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise FileError(f"{name} is not a report: `cipherlane bench --report FILE` writes one")
    try:
        return _report(found)
    except _Refused as refused:
        raise FileError(f"{name}: {refused}: ask its author for the file that `cipherlane bench` wrote") from None


class _Refused(Exception):
    """A value in a report is missing or impossible; the message names the value."""


def _fields(measured: Measurement | LinkMeasurement) -> dict[str, Any]:
    names = _LINK if isinstance(measured, LinkMeasurement) else _MEMORY
    return {name: getattr(measured, name) for name in names}


def _report(found: Mapping[str, Any]) -> Report:
    _require_names(found, ("format", *Report.__dataclass_fields__))
    kind, link = _one_of(found, "kind", KINDS), _one_of(found, "link", LINKS)
    clock_hz = _count(found, "clock_hz", _MOST_CLOCK_HZ)
    records = found["measured"]
    if not isinstance(records, list) or not 0 < len(records) <= _MOST_RECORDS:
        raise _Refused(f"measured must be a list of 1 to {_MOST_RECORDS} measurements")
    return Report(
        board=_matching(found, "board", _WORDS),
        firmware=_matching(found, "firmware", _WORDS),
        build_id=_build(found),
        clock_hz=clock_hz,
        kind=kind,
        link=link,
        selftest=_count(found, "selftest", _MOST_COUNT),
        date=_day(found),
        cipherlane=_matching(found, "cipherlane", _VERSION),
        commit=None if found["commit"] is None else _matching(found, "commit", _COMMIT),
        measured=tuple(_measured(record, kind, clock_hz, link) for record in records),
    )


def _measured(record: Any, kind: str, clock_hz: int, link: str) -> Measurement | LinkMeasurement:
    if not isinstance(record, dict):
        raise _Refused("each measurement must be an object")
    return _of_link(record, kind, clock_hz, link) if "seconds" in record else _of_memory(record, kind, clock_hz)


def _of_memory(record: Mapping[str, Any], kind: str, clock_hz: int) -> Measurement:
    _require_names(record, _MEMORY)
    measured = Measurement(
        engine=_one_of(record, "engine", _ENGINES),
        key_bits=_one_of(record, "key_bits", KEY_BITS),
        direction=_one_of(record, "direction", DIRECTIONS),
        mode=_one_of(record, "mode", _MODES),
        bytes=_count(record, "bytes", _MOST_COUNT),
        blocks=_count(record, "blocks", _MOST_COUNT),
        cycles=_count(record, "cycles", _MOST_COUNT),
        key_cycles=_count(record, "key_cycles", _MOST_COUNT, least=0),
        kind=kind,
        clock_hz=clock_hz,
    )
    if measured.bytes > measured.blocks * 16:
        raise _Refused(f"{measured.blocks} blocks do not hold {measured.bytes} bytes")
    if measured.bytes * 8 > measured.cycles * _MOST_BITS_PER_CYCLE:
        raise _Refused(f"{measured.cycles} cycles are too few for {measured.bytes} bytes")
    return measured


def _of_link(record: Mapping[str, Any], kind: str, clock_hz: int, link: str) -> LinkMeasurement:
    _require_names(record, _LINK)
    measured = LinkMeasurement(
        engine=_one_of(record, "engine", _ENGINES),
        key_bits=_one_of(record, "key_bits", KEY_BITS),
        record_bytes=_count(record, "record_bytes", 1 << 16),
        window_records=_count(record, "window_records", 1 << 32),
        bytes=_count(record, "bytes", _MOST_COUNT),
        kind=kind,
        clock_hz=clock_hz,
        seconds=_number(record, "seconds", 1e9),
        goodput_mbps=_number(record, "goodput_mbps", 1e6),
        loss=_number(record, "loss", 1.0),
        retransmissions=_count(record, "retransmissions", _MOST_COUNT, least=0),
        host_core_mbps=0.0,
        latency_ms={},
        packet_cycles=None,
    )
    bits = measured.bytes * 8
    # Check this only for hardware. For a simulated board, the goodput uses simulated time, but `seconds` is the host's
    # time.
    if kind == "board" and abs(measured.goodput_mbps * measured.seconds * 1e6 - bits) > bits * (_MARGIN - 1):
        raise _Refused(f"{measured.bytes} bytes in {measured.seconds:g} s are not {measured.goodput_mbps:g} Mbps")
    if link == "udp" and kind == "board" and measured.goodput_mbps > wire_limit_mbps(measured.record_bytes) * _MARGIN:
        raise _Refused(f"{measured.goodput_mbps:g} Mbps are more than gigabit Ethernet carries")
    return measured


def _require_names(found: Mapping[str, Any], names: Sequence[str]) -> None:
    if missing := [name for name in names if name not in found]:
        raise _Refused(f"{missing[0]} is missing")
    if unknown := [name for name in found if name not in names]:
        raise _Refused(f"{unknown[0]!r:.40} is no field of a report")


def _one_of(found: Mapping[str, Any], name: str, values: Collection[str | int]) -> Any:
    value = found[name]
    if isinstance(value, (str, int)) and not isinstance(value, bool) and value in values:
        return value
    raise _Refused(f"{name} must be one of {', '.join(map(str, values))}")


def _matching(found: Mapping[str, Any], name: str, pattern: re.Pattern[str]) -> str:
    value = found[name]
    if isinstance(value, str) and pattern.fullmatch(value):
        return value
    raise _Refused(f"{name} has characters or a length that no board gives")


def _build(found: Mapping[str, Any]) -> str:
    value = found["build_id"]
    if isinstance(value, str) and build_id.is_text(value):
        return value
    raise _Refused("build_id is not a build id")


def _day(found: Mapping[str, Any]) -> str:
    value = found["date"]
    with contextlib.suppress(ValueError):
        if isinstance(value, str) and date.fromisoformat(value).isoformat() == value:
            return value
    raise _Refused("date must be a day such as 2026-11-27")


def _count(found: Mapping[str, Any], name: str, most: int, *, least: int = 1) -> int:
    value = found[name]
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    raise _Refused(f"{name} must be a number from {least} to {most}")


def _number(found: Mapping[str, Any], name: str, most: float) -> float:
    value = found[name]
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= most:
        return float(value)
    raise _Refused(f"{name} must be a number from 0 to {most:g}")
