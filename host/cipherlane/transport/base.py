# SPDX-License-Identifier: BSD-2-Clause
"""The interface of a transport: it sends and receives whole records. Framing, if any, is the transport's task."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType, TracebackType
from typing import Self

from ..clock import REAL, Clock
from ..protocol.datarun import Run


@dataclass(frozen=True)
class Pace:
    """Time-outs of a link in seconds, and how many times the host sends a record before it gives up.

    `first` applies until a round trip has been measured. Afterwards the time-out follows the measured round trips,
    between `minimum` and `maximum`. If `calls` attempts to reach a board fail, nobody is assumed to be there.
    """

    first: float
    minimum: float
    maximum: float
    attempts: int
    calls: int = 3

    @classmethod
    def fixed(cls, seconds: float, attempts: int = 4) -> "Pace":
        """Return a `Pace` with a time-out of `seconds` for every reply."""
        return cls(seconds, seconds, seconds, attempts)


HARDWARE = Pace(first=1.0, minimum=0.25, maximum=4.0, attempts=6)
SIMULATED = Pace(first=20.0, minimum=10.0, maximum=20.0, attempts=4)
WRITE_TIMEOUT = 20.0  # seconds

Address = tuple[str, int]  # IPv4 address and UDP port


class Transport(ABC):
    """A transport sends and receives records; on the way, records can be lost, repeated or reordered.

    `ordered` means that records never overtake each other, and `pace` holds the initial time-outs. If the link is
    `shared` with others, the host learns how much it may keep in flight, and assumes that a record is lost once a few
    later ones are answered. All waits use `clock`; sending waits at most `write_timeout` seconds. `simulated` means
    that the board is simulated, whatever it reports. `advice` tells what to check if nobody answers. `tools` maps the
    names of the tools that made the board to their versions. `largest_record` is the maximum size in bytes of a record
    with its header on the way to the board.
    """

    ordered: bool = False
    shared: bool = False
    pace: Pace = HARDWARE
    clock: Clock = REAL
    write_timeout: float = WRITE_TIMEOUT
    simulated: bool = False
    largest_record: int = 65535
    advice: str = "check the board's power, cable and --port"
    tools: Mapping[str, str] = MappingProxyType({})

    def pace_of(self, kind: str) -> Pace:
        """Return the time-outs for a board of `kind`, "sim" or "board"."""
        return SIMULATED if kind == "sim" else HARDWARE

    @abstractmethod
    def send(self, record: bytes) -> None:
        """Send one record.

        Raises:
            PortError: the port disappeared or accepts no data.
        """

    @abstractmethod
    def receive(self, timeout: float) -> bytes | None:
        """Return the next record, or None if none arrives within `timeout` seconds.

        Raises:
            PortError: the port disappeared.
        """

    def send_many(self, records: Sequence[bytes], to: Address | None = None) -> None:
        """Send records one after the other. Raises the same errors as `send`.

        On a network, `to` may name another address of the board.
        """
        for record in records:
            self.send(record)

    def send_run(self, run: Run, to: Address | None = None) -> None:
        """Send the records of `run`, which holds them as one byte string. Raises the same errors as `send`."""
        self.send_many(run.records(), to)

    def receive_run(self, timeout: float, most: int) -> Run | None:
        """Return records that have arrived, or None after `timeout` seconds. Raises the same errors as `receive`.

        Collect at most `most` records.
        """
        record = self.receive(timeout)
        return None if record is None else Run(record, len(record))

    def run_records(self, record_size: int) -> int:
        """Return how many records of `record_size` bytes to send in one call for the highest speed."""
        return 1

    @abstractmethod
    def wire_size(self, record_size: int) -> int:
        """Return the maximum number of bytes that a record of this size occupies in the board's receive window."""

    @abstractmethod
    def resync(self) -> None:
        """Make the board discard a record that may have arrived only in part, so that the next record is intact."""

    @abstractmethod
    def strays(self) -> int:
        """Return the number of bytes received so far that did not belong to a record."""

    @abstractmethod
    def close(self) -> None:
        """Release the port; closing twice is allowed."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self.close()
