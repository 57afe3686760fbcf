# SPDX-License-Identifier: BSD-2-Clause
"""Show the README's one number: the fast path's speed, next to software on the same CPU and the limit of the wire."""

from lab.results.kept import Content
from lab.results.tables import Table, headline

# Bytes on the wire around a UDP payload: preamble, Ethernet, IPv4, UDP, frame check sequence, gap between frames.
AROUND = 8 + 14 + 20 + 8 + 4 + 12
RECORD_HEADER = 24
WIRE_MBPS = 1000


def render(kept: dict[str, Content]) -> list[str]:
    """Return the text, one paragraph."""
    found = headline.speeds(kept)
    fast, software = found["fastpath"]["link"], found["table"]["link"]
    size = fast["record_bytes"]
    limit = WIRE_MBPS * size / (size + RECORD_HEADER + AROUND)
    return [
        f"**One number: {fast['figure']:.0f} Mbps.** The fast path encrypts that much AES-128-CTR on gigabit Ethernet, "
        f"in records of {size:,} bytes.",
        f"The wire itself could carry {limit:.0f} Mbps of such data. C with tables on the same RISC-V CPU reaches "
        f"{software['figure']:.1f} Mbps.",
        f"All three speeds are of kind `{fast['kind']}`: simulated, not measured on hardware.",
    ]


TABLE = Table(
    name="number",
    page="README.md",
    sources=headline.TABLE.sources,
    command="make bench-udp",
    render=render,
)
