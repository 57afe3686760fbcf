# SPDX-License-Identifier: BSD-2-Clause
"""The results of `make bench-dma`: how much of the memory port's data rate the accelerator's DMA uses."""

from lab.results.kept import Content, select
from lab.results.tables import Table, table

FIELDS = ("datapath", "mode", "direction", "key_bits", "messages", "bytes", "offset_source", "offset_destination")
FIELDS += ("cycles_per_block", "port_ratio")
HEADINGS = ("core", "mode", "direction", "key bits", "messages", "bytes", "offsets of source, destination")


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs."""
    return {"records": select(content["records"], (*FIELDS, "kind"))}


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table in Markdown: a row for each core, mode, key length and alignment."""
    rows = [
        [
            r["datapath"],
            r["mode"].upper(),
            r["direction"],
            r["key_bits"],
            r["messages"],
            r["bytes"],
            f"{r['offset_source']}, {r['offset_destination']}",
            f"{r['cycles_per_block']:.2f} ({r['kind']})",
            f"{r['port_ratio']:.1%}",
        ]
        for r in kept["dma"]["records"]
    ]
    return [
        "**Engine speed** (`make bench-dma`): the accelerator by itself on the buffer memory, without a CPU, with one "
        "descriptor for each message. A GCM message has 16 bytes of additional data, and messages follow each other "
        "without a pause. The bytes are those of all messages. The memory's port carries 16 bytes a cycle, so a block "
        "takes at least 2 cycles, one in and one out:",
        "",
        *table([*HEADINGS, "cycles/block", "port share"], rows),
    ]


TABLE = Table(
    name="bench-dma",
    page="tests/gateware/dma/README.md",
    sources=("dma.json",),
    command="make bench-dma",
    render=render,
    keep=keep,
    shows="the accelerator by itself on its port of the buffer memory, with the pipelined core and the 128-bit one",
    speed="engine",
    takes="5 minutes",
)
