# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane doctor`: finds out why a board cannot be used, step by step, starting at the port."""

import argparse
import contextlib
import statistics
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from cipherlane_base.wire.codes import Engine, Kind

from .. import tables, views
from ..errors import BoardError, CipherlaneError, NoReplyError, PortError, ReplyError
from ..files.claims import ReadName
from ..link import cables, routes
from ..link.device import Device
from ..link.expected_build import expected, require
from ..transport import udp
from . import common

_TRIPS = 16
_DAMAGE = ("framing_errors", "crc_errors", "length_errors")
_CLOCK_SECONDS = 1.0
_CLOCK_TRIES = 3
_CLOCK_SHARE = 0.1  # maximum difference, as a fraction, between a board's reported clock and its measured clock


class Check(NamedTuple):
    """One check: its name, the outcome (True: good, False: bad, None: not checked), and the finding as text."""

    name: str
    passed: bool | None
    seen: str


class _SkippedError(Exception):
    """Raised when a check does not apply; the message gives the reason."""


def add_to(commands: Any) -> None:
    """Add the command `doctor` to the command-line parser."""
    parser = common.add_command(
        commands,
        "doctor",
        help="check port, address, board, link, clock, network and engines, and print advice",
        description="Check, in this order: the port opens; this machine's route to a board on a network; an attached "
        "JTAG cable; the board answers; its build is the one that --expect names; the link loses and damages "
        "nothing; the board's clock matches its firmware; its network counters; its MACsec; its engines compute known "
        "answers. Ends with the status of the first check that fails.",
    )
    parser.add_argument(
        "--expect",
        type=ReadName,
        metavar="ID",
        help="expected build id, or a file of that build (*.build_id, bitstream-*.json)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the checks and print the results."""
    checks: list[Check] = []
    status = 0
    for check, code in _checks(args):
        checks.append(check)
        status = status or code
    if args.json:
        views.show_json([check._asdict() for check in checks])
    else:
        words = {True: "ok", False: "fails", None: "-"}
        views.show(tables.text_table(("check", "", "seen"), ((each[0], words[each[1]], each[2]) for each in checks)))
    return status


def _checks(args: argparse.Namespace) -> Iterator[tuple[Check, int]]:
    """Yield each check and its exit status: 0 unless the check failed. If no board answers, omit all further checks."""
    wanted = expected(args.expect) if args.expect else ""
    try:
        device = common.open_device(args)
    except CipherlaneError as error:
        yield Check("port", False, str(error)), error.exit_code
        yield _cable(args.port)
        return
    yield Check("port", True, f"{args.port} is open"), 0
    if args.port.startswith(f"{udp.SCHEME}:"):
        yield _address(args.port), 0
    yield _cable(args.port)
    with contextlib.closing(device):
        try:
            info = device.connect()
        except CipherlaneError as error:
            yield Check("board", False, str(error)), error.exit_code
            return
        yield Check("board", True, f"{info.board}, {info.firmware} {info.firmware_version}, kind {info.kind}"), 0
        steps: dict[str, Callable[[Device], str]] = {
            "build": lambda device: _build(device, wanted),
            "link": _link,
            "clock": _clock,
            "network": _network,
            "macsec": _macsec,
            "engines": _engines,
        }
        for name, step in steps.items():
            try:
                yield Check(name, True, step(device)), 0
            except _SkippedError as reason:
                yield Check(name, None, str(reason)), 0
            except CipherlaneError as error:
                yield Check(name, False, str(error)), error.exit_code


def _address(port: str) -> Check:
    """Check the route to a board on a network: this machine should have an address in that network."""
    host, number = udp.resolve(*udp.parse(port))
    mine, through = routes.source(host, number), routes.gateway(host)
    if mine == host:
        return Check("address", True, f"{host} is this machine")
    if not through:
        return Check("address", True, f"{mine} of this machine reaches {host} without a gateway")
    hint = f"give a port of this machine an address in that network: `sudo ip addr add {_neighbour(host)}/24 dev ...`"
    return Check(
        "address", None, f"{mine} of this machine reaches {host} through gateway {through}; if nobody answers, {hint}"
    )


def _neighbour(host: str) -> str:
    """Return an example of an address in the same network as `host`. It differs from `host` in the last number only."""
    network, _, last = host.rpartition(".")
    return f"{network}.{'101' if last == '100' else '100'}"


def _cable(port: str) -> tuple[Check, int]:
    """Check whether this user can open the JTAG cable, which is needed only to flash a board.

    The check fails if a cable is attached, this user may open none, and the port is local.
    """
    found = cables.attached()
    if found is None:
        return Check("cable", None, "this system does not list attached cables"), 0
    if not found:
        return Check("cable", None, "no JTAG cable is attached: only flashing needs one"), 0
    names = ", ".join(
        f"{each.usb} {each.title}" + (f' (it calls itself "{each.product}")' if each.product else "") for each in found
    )
    if any(each.usable for each in found):
        return Check("cable", True, names), 0
    local = not port.startswith("sim") and "://" not in port
    seen = f"{names}, which this user may not open: {cables.REMEDY}"
    return Check("cable", False if local else None, seen), PortError.exit_code if local else 0


def _build(device: Device, wanted: str) -> str:
    seen = device.info().build_id
    if wanted:
        require(seen, wanted)
        return f"{seen}, as expected"
    if not seen:
        raise _SkippedError("the board has no build id")
    return f"{seen}; compare it with --expect ID"


def _trip(device: Device) -> tuple[float, dict[str, int]]:
    """Send one request, without retransmission; return its round-trip time in seconds, and the board's link counters.

    The time-out is as long as for an unknown board, so that a reply still counts if this machine is busy.
    """
    device.link.forget_round_trips()
    begin = device.clock.now()
    counters = device.counters(attempts=1)
    return device.clock.now() - begin, counters


def _link(device: Device) -> str:
    trips = []
    for _ in range(_TRIPS):
        with contextlib.suppress(NoReplyError):
            trips.append(_trip(device))
    lost = _TRIPS - len(trips)
    damaged = sum(trips[-1][1][name] - trips[0][1][name] for name in _DAMAGE) if trips else 0
    if lost or damaged:
        raise NoReplyError(
            f"of {_TRIPS} requests, {lost} got no answer and {damaged} were damaged: {device.link.transport.advice}"
        )
    times = [1000 * seconds for seconds, _ in trips]
    return f"{_TRIPS} requests, none lost or damaged, {statistics.median(times):.1f} ms each, {max(times):.1f} at most"


def _clock(device: Device) -> str:
    info = device.info()
    if info.kind != Kind.BOARD.name.lower():
        raise _SkippedError(f"a board of kind {info.kind} has no clock of its own")
    if not info.memory_engines or not info.bench_bytes:
        raise _SkippedError("the board has no engine or no buffer to measure with")
    slowest = max(info.memory_engines, key=lambda engine: engine.traits.rank)
    # If the measured clock differs from the reported clock, measure again: this process may have been paused.
    for _ in range(_CLOCK_TRIES):
        seen = _seen_hz(device, slowest)
        if abs(seen / info.clock_hz - 1) <= _CLOCK_SHARE:
            return f"{info.clock_hz / 1e6:g} MHz, {seen / 1e6:.1f} by this machine's time"
    raise ReplyError("info", f"{info.clock_hz / 1e6:g} MHz, but this machine measures {seen / 1e6:.1f}")


def _seen_hz(device: Device, engine: Engine) -> float:
    """Return the board's clock in Hz: the cycles of a benchmark, divided by the time that this machine measures."""
    trip = statistics.median(_trip(device)[0] for _ in range(_TRIPS))
    parts: list[int] = []
    begin = device.clock.now()
    measured = device.bench(engine, 128, seconds=_CLOCK_SECONDS, progress=parts.append)
    seconds = device.clock.now() - begin - trip * len(parts)
    return measured.cycles / seconds if seconds > 0 else 0.0


def _network(device: Device) -> str:
    try:
        counters = device.network()
    except BoardError as error:
        raise _SkippedError("the board has no network counters on this link") from error
    return ", ".join(f"{name} {count}" for name, count in counters.items() if count) or "nothing seen"


def _macsec(device: Device) -> str:
    state = device.macsec()
    if state is None:
        raise _SkippedError("the board has no MACsec")
    if state.closed and not state.agrees:
        raise NoReplyError(
            "no frame passes: the board requires MACsec, or it failed when keys changed; run `cipherlane pair`"
        )
    if state.closed:
        raise NoReplyError(
            "no peer has agreed on a key: start wpa_supplicant with the file that `cipherlane pair` wrote"
        )
    if state.suite is None:
        raise _SkippedError("off: all frames pass unprotected; `cipherlane pair` protects them")
    suite = state.suite.name.replace("_", "-")
    how = "encrypted" if state.encrypt else "protected against changes, but readable"
    return f"{suite}: frames are {how}; {state.failed()} frames were dropped"


def _engines(device: Device) -> str:
    if device.info().kind == Kind.NULL.name.lower():
        raise _SkippedError("a null board tests no engine: `cipherlane bench --link` uses it")
    outcome = device.selftest()
    names = ", ".join(engine.name.lower() for engine in outcome.failed_engines)
    if not outcome.passed:
        raise ReplyError("selftest", f"that {outcome.failed} of {outcome.tests} tests failed ({names or 'no engine'})")
    return f"{outcome.tests} known-answer tests passed"
