# SPDX-License-Identifier: BSD-2-Clause
"""Measures a stream of records over the link: goodput, loss, round trips and, with Ethernet, the board's cycles per
packet.
"""

import contextlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from cipherlane_base.wire.layout import HEADER, Engine, ErrorCode

from ..clock import Clock
from ..errors import BoardError, CipherlaneError, ReplyError, SharedBoardError
from ..link.counterblocks import MOST_STREAM, CounterBlocks
from ..link.device import Device
from ..link.session import Session
from ..link.transfer import Counts, Progress
from .intervals import Interval, Intervals

# Bytes that gigabit Ethernet needs in addition to a UDP payload: preamble, Ethernet header, IPv4 header, UDP header,
# FCS, and the gap between frames.
_WIRE_OVERHEAD = 8 + 14 + 20 + 8 + 4 + 12
_LEAST_PAYLOAD = 46 - 28  # minimum bytes for a UDP payload in a frame: Ethernet pads shorter payloads to this size
_WIRE_MBPS = 1000.0
PERCENTILES = (50, 90, 99)
_SELDOM = 3600.0  # seconds
STAGES = ("driver", "copy", "stack", "record", "engine")


def wire_limit_mbps(record_bytes: int) -> float:
    """Return the highest data rate in Mbps on gigabit Ethernet, for back-to-back records of `record_bytes` bytes."""
    payload = max(HEADER.size + record_bytes, _LEAST_PAYLOAD)
    return _WIRE_MBPS * record_bytes / (payload + _WIRE_OVERHEAD)


@dataclass(frozen=True)
class LinkMeasurement:
    """Measurement of one stream of records through the link.

    `goodput_mbps` counts each data bit once: in simulated time for a simulated board, otherwise by the host's clock.
    `loss` is the fraction of sent records assumed lost. `latency_ms` are percentiles of round trips by the host's
    clock; for a simulated board they show how fast the simulation runs. `host_core_mbps` divides the data bits, in
    millions, by the processor time of this process: the rate that one core can carry, whatever else the machine does.
    `packet_cycles` are the board's cycles for a data record, by stage; a stage is None if the board does not count it
    or spends no cycles. `intervals` are parts of the stream, if intervals were requested. If the run ended early,
    `interrupted` tells whether this stream was cut short; otherwise it is None.
    """

    engine: str
    key_bits: int
    record_bytes: int
    window_records: int
    bytes: int
    kind: str
    clock_hz: int
    seconds: float
    goodput_mbps: float
    host_core_mbps: float
    loss: float
    retransmissions: int
    latency_ms: dict[str, float]
    packet_cycles: dict[str, float] | None
    intervals: tuple[Interval, ...] = ()
    interrupted: bool | None = None

    @property
    def wire_limit_mbps(self) -> float:
        """The highest data rate in Mbps that gigabit Ethernet allows with records of this size."""
        return wire_limit_mbps(self.record_bytes)

    @property
    def share(self) -> float:
        """Goodput as a fraction of `wire_limit_mbps`, the limit of gigabit Ethernet."""
        return self.goodput_mbps / self.wire_limit_mbps

    def record(self) -> dict[str, Any]:
        """Return the measurement as a dictionary for JSON."""
        record = asdict(self)
        record["wire_limit_mbps"] = self.wire_limit_mbps
        record["share"] = self.share
        for name in ("seconds", "goodput_mbps", "host_core_mbps", "loss", "wire_limit_mbps", "share"):
            record[name] = round(record[name], 5)
        del record["intervals"]
        if self.interrupted is None:
            del record["interrupted"]
        if self.intervals:
            record["intervals"] = [each.record() for each in self.intervals]
        return record


class _Zeros:
    """A reader that returns `size` zero bytes, or fewer if `deadline` passes first."""

    def __init__(self, size: int, clock: Clock, deadline: float | None):
        self._left = size
        self._clock, self._deadline = clock, deadline
        self._zeros = bytes(1 << 16)

    def read(self, size: int, /) -> bytes:
        if self._deadline is not None and self._clock.now() >= self._deadline:
            self._left = 0
        size = min(size, self._left)
        self._left -= size
        return self._zeros[:size]


class _Nowhere:
    """A writer that discards its data."""

    def write(self, data: bytes, /) -> None:
        pass


@dataclass(frozen=True)
class Load:
    """The stream that a measurement sends.

    `blocks` supplies key and counter blocks. A record has `record_bytes` bytes of data, a multiple of 16, and at most
    `window_records` records are in flight; None stands for the largest value possible. The stream ends after `total`
    bytes, or `seconds` after its start, whichever comes first; it never exceeds the maximum length of a stream.
    """

    engine: Engine
    blocks: CounterBlocks
    record_bytes: int | None = None
    window_records: int | None = None
    total: int | None = None
    seconds: float | None = None


def measure(
    device: Device,
    load: Load,
    *,
    progress: Progress | None = None,
    intervals: Intervals | None = None,
    keep: Callable[[LinkMeasurement], None] | None = None,
) -> LinkMeasurement:
    """Stream zeros through a new session.

    Args:
        device: a connected board.
        load: how many zeros, in which records, for which of the board's engines.
        progress: called with the bytes done so far.
        intervals: observes the stream; its intervals become part of the measurement.
        keep: called with the measurement so far, if there is any, when an exception ends the stream early.

    Raises:
        ArgumentError: records of that size are not possible.
        ReplyError: the board's counters stand still or run backwards.
        SharedBoardError: another client had a session at a simulated board, so the board reports no cycles.
        TransferError: the stream could not be completed.
    """
    link, clock = device.link, device.clock
    engine, blocks = load.engine, load.blocks
    length = MOST_STREAM if load.total is None else load.total
    iv = blocks.take(length)
    with device.open_session(blocks.key, iv, engine, length=length, record_bytes=load.record_bytes) as session:
        record_bytes = session.record_bytes
        size = link.transport.wire_size(HEADER.size + record_bytes)
        most = session.rx_window // size
        window_records = min(load.window_records or most, most)
        link.counters.round_trips.clear()
        sent, lost = link.counters.sent, link.flights.lost
        opened = network_of(session)
        counts = Counts()

        def look(now: Counts) -> float:
            nonlocal counts
            counts = now
            return intervals.watch(now) if intervals else _SELDOM

        if intervals:
            intervals.begin()
        started, busy = clock.now(), clock.busy()

        def measured(cause: BaseException | None = None) -> LinkMeasurement:
            taken, ran = clock.now() - started, clock.busy() - busy
            if intervals:
                intervals.finish()
            went, gone = link.counters.sent - sent, link.flights.lost - lost
            round_trips = sorted(link.counters.round_trips)
            closed = None if isinstance(cause, CipherlaneError) else network_of(session)
            clock_hz, bits = device.info().clock_hz, counts.received * 8
            goodput = _rate(bits, taken)
            packet_cycles, begun = None, opened
            if begun and closed and not closed["cycles"]:  # another client's session made the board stop counting
                if device.info().kind == "sim":
                    raise SharedBoardError
                begun = None  # compute the goodput from this machine's clock, not from the board's cycles
            if begun and closed and device.info().kind == "sim":
                goodput = _rate(bits * clock_hz, _grown(begun, closed, "cycles"))
            if begun and closed and not engine.traits.serves:
                # The board's record count includes two control records in addition to the data records.
                records = _grown(begun, closed, "records")
                cycles = {stage: closed[f"{stage}_cycles"] - begun[f"{stage}_cycles"] for stage in STAGES}
                packet_cycles = {stage: round(count / records, 1) for stage, count in cycles.items()}
            return LinkMeasurement(
                engine=engine.name.lower(),
                key_bits=blocks.key_bits,
                record_bytes=record_bytes,
                window_records=window_records,
                bytes=counts.received,
                kind=device.info().kind,
                clock_hz=clock_hz,
                seconds=taken,
                goodput_mbps=goodput,
                host_core_mbps=_rate(bits, ran),
                loss=gone / went if went else 0.0,
                retransmissions=counts.retransmissions,
                latency_ms={f"p{part}": round(_percentile(round_trips, part) * 1e3, 3) for part in PERCENTILES},
                packet_cycles=packet_cycles,
                intervals=tuple(intervals.found) if intervals else (),
                interrupted=True if cause else None,
            )

        try:
            session.transfer(
                _Zeros(length, clock, None if load.seconds is None else started + load.seconds),
                _Nowhere(),
                length=length if load.seconds is None else None,
                in_flight=window_records * size,
                progress=progress,
                watch=look,
            )
        except (KeyboardInterrupt, CipherlaneError) as error:
            # Simulated time comes from the board's counters. If the board does not answer, this time is unknown.
            known = isinstance(error, KeyboardInterrupt) or not opened or device.info().kind != "sim"
            if keep and counts.received and known:
                with contextlib.suppress(CipherlaneError):
                    keep(measured(error))
            raise
        done = measured()
    blocks.give_back(done.bytes)
    return done


def network_of(session: Session) -> dict[str, int] | None:
    """Return the result of `Session.network`; None if the board is not reached over Ethernet.

    A board counts an unknown request as rejected. So this sends nothing over a UART, and it does not ask a board again
    that does not know the request.
    """
    link = session.calls.link
    if not link.counts_network:
        return None
    try:
        return session.network()
    except BoardError as error:
        if error.code != ErrorCode.TYPE:
            raise
        link.counts_network = False
        return None


def _grown(opened: dict[str, int], closed: dict[str, int], name: str) -> int:
    """Return by how much the counter `name` grew during the stream; raise ReplyError if it did not grow."""
    growth = closed[name] - opened[name]
    if growth <= 0:
        raise ReplyError(
            "network", f"{name} {closed[name]} after {opened[name]}, although records were sent in between"
        )
    return growth


def _rate(bits: float, seconds: float) -> float:
    """Return the rate in millions of bits a second; 0 if no time passed."""
    return bits / seconds / 1e6 if seconds else 0.0


def _percentile(ordered: list[float], part: int) -> float:
    """Return the percentile `part` (0 to 100, nearest rank) of values in ascending order; 0 if there are no values."""
    return ordered[max(0, -(-len(ordered) * part // 100) - 1)] if ordered else 0.0
