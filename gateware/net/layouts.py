# SPDX-License-Identifier: BSD-2-Clause
"""Layouts of streams and records that several modules of the fast path share."""

from liteeth.common import eth_udp_user_description
from litex.soc.interconnect import stream

from . import WORD_BITS
from .events import EVENT_BITS

LENGTH_BITS = 16
CHECKSUM_BITS = 16

STATION_LAYOUT = [("ip_address", 32), ("mac_address", 48)]
DESTINATION_LAYOUT = [("waits", 1), *STATION_LAYOUT]


def datagram_layout() -> stream.EndpointDescription:
    """Return LiteEth's `eth_udp_user_description(32)` with one more field, the UDP checksum."""
    layout = eth_udp_user_description(WORD_BITS)
    return stream.EndpointDescription(layout.payload_layout, [*layout.param_layout, ("checksum", CHECKSUM_BITS)])


def packet_layout(slot_bits: int) -> stream.EndpointDescription:
    """Return the layout of a packet: data, key slot, initial counter block, blocks to skip, and length in bytes."""
    return stream.EndpointDescription(
        [("data", WORD_BITS)],
        [("slot", slot_bits), ("initial", 128), ("index", 64), ("length", LENGTH_BITS)],
    )


def job_layout(row_bits: int, slot_bits: int) -> list[tuple[str, int]]:
    """Return the layout of a job: all values that the reply to a record needs, except the data."""
    return [
        ("session", 32),
        ("offset", 64),
        ("token", 64),
        ("length", LENGTH_BITS),
        ("ip_address", 32),
        ("port", 16),
        ("mac_address", 48),
        ("row", row_bits),
        ("slot", slot_bits),
    ]


def outcome_layout() -> list[tuple[str, int]]:
    """Return the layout of an outcome: whether to drop the reply to a record, and if so, the `Event` to count."""
    return [("damaged", 1), ("code", EVENT_BITS)]
