"""Streams and records between the fast path's modules, where several of them share one."""

from liteeth.common import eth_udp_user_description
from litex.soc.interconnect import stream

from gateware.net import WORD_BITS
from gateware.net.events import EVENT_BITS

LENGTH_BITS = 16
CHECKSUM_BITS = 16

STATION_LAYOUT = [("ip_address", 32), ("mac_address", 48)]
DESTINATION_LAYOUT = [("waits", 1), *STATION_LAYOUT]


def datagram_layout() -> stream.EndpointDescription:
    """LiteEth's `eth_udp_user_description(32)`, and the checksum as a number."""
    layout = eth_udp_user_description(WORD_BITS)
    return stream.EndpointDescription(layout.payload_layout, [*layout.param_layout, ("checksum", CHECKSUM_BITS)])


def packet_layout(slot_bits: int) -> stream.EndpointDescription:
    """Data of a packet, and what it is encrypted with: key slot, T1, blocks to skip, bytes."""
    return stream.EndpointDescription(
        [("data", WORD_BITS)],
        [("slot", slot_bits), ("initial", 128), ("index", 64), ("length", LENGTH_BITS)],
    )


def job_layout(row_bits: int, slot_bits: int) -> list[tuple[str, int]]:
    """What a reply needs besides the data."""
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
    """Whether a job's reply must be dropped, and the `Event` that this then is."""
    return [("damaged", 1), ("code", EVENT_BITS)]
