# SPDX-License-Identifier: BSD-2-Clause
"""Show one number in the README: the speed of the fast path, next to the speed of software and the wire's limit."""

from lab.results.kept import Content
from lab.results.tables import Table, headline

# Bytes on the wire around a UDP payload: preamble, Ethernet, IPv4, UDP, frame check sequence, and gap between frames.
AROUND = 8 + 14 + 20 + 8 + 4 + 12
RECORD_HEADER = 24
WIRE_MBPS = 1000


def render(kept: dict[str, Content]) -> list[str]:
    """Return the text, one paragraph of Markdown."""
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
