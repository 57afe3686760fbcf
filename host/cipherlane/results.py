"""A measurement and the JSON record it becomes."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Measurement:
    """What an engine did, by the board's cycle counter.

    `bytes` is the length of the data; `processed_bytes` and `blocks` also count records that were repeated, and it is
    these that took `cycles`. `kind` is "sim" for a simulated board and "board" for hardware. The `link_` figures
    are the host's wall clock: of a simulated board they say how fast the simulation runs, and nothing about a board.
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

    @property
    def cycles_per_block(self) -> float | None:
        """Cycles for 16 bytes; None if nothing was processed, or cycles are not counted."""
        return self.cycles / self.blocks if self.blocks and self.cycles else None

    @property
    def bits_per_cycle(self) -> float | None:
        """Data bits for each cycle; None if nothing was processed."""
        return self._processed * 8 / self.cycles if self.cycles else None

    @property
    def mbps(self) -> float | None:
        """Millions of data bits a second at `clock_hz`; None if nothing was processed."""
        rate = self.bits_per_cycle
        return None if rate is None else rate * self.clock_hz / 1e6

    @property
    def link_wall_mbps(self) -> float | None:
        """Millions of data bits a second over the link by the host's clock."""
        return self.bytes * 8 / self.link_seconds / 1e6 if self.link_seconds else None

    @property
    def _processed(self) -> int:
        return self.bytes if self.processed_bytes is None else self.processed_bytes

    def record(self) -> dict[str, Any]:
        """Return the measurement as a record for JSON."""
        record = asdict(self)
        record["processed_bytes"] = self._processed
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
