# SPDX-License-Identifier: BSD-2-Clause
"""Explain why different measurements of the engine `ise` have different cycle counts. A table lists the cycle counts of
AES-128, and the work that each count includes.
"""

from lab.bench import limits
from lab.results.kept import Content
from lab.results.tables import Table, table
from lab.results.tables.calls import PREFIX, lengths

ENGINE, KEY_BITS = "ise", 128
BLOCK_BYTES, GROUP_BLOCKS = limits.BLOCK_BYTES, 8


def _one(content: Content, **wanted) -> dict:
    same = {"engine": ENGINE, "key_bits": KEY_BITS, **wanted}
    return next(r for r in content["records"] if all(r[name] == value for name, value in same.items()))


def _date(content: Content) -> str:
    return content["provenance"]["date"][:10]


def _call(size: int) -> str:
    blocks = size // BLOCK_BYTES
    single = blocks % GROUP_BLOCKS
    return f"calls of {size} bytes: the cost of a call is spread over {blocks} blocks" + (
        f"; {single} of these go through the unit one by one, because a group has {GROUP_BLOCKS}" if single else ""
    )


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table in Markdown: a row for each cycle count, the lowest first."""
    slots = limits.issue_slots(ENGINE, KEY_BITS)
    refill = limits.floor(ENGINE, KEY_BITS, "buffer") - slots
    warm = {mode: _one(kept["bench-sim"], mode=mode, direction="encrypt") for mode in ("ctr", "ecb")}
    bench, demo = _one(kept["bench"], mode="ctr"), _one(kept["demo"], mode="ctr", direction="encrypt")
    udp = _one(kept["bench-udp"])
    udp_blocks = udp["record_bytes"] // BLOCK_BYTES
    rows = [
        (slots, "-", "counted", "-", "instructions of a CTR block: counter, 2 a round, 4 loads, 4 moves, 4 stores"),
        (
            warm["ctr"]["cycles_per_block"],
            "engine",
            "`make bench`, CTR",
            _date(kept["bench-sim"]),
            "calls of 2 KB that the data cache holds from the pass before: loop, waits, and the call",
        ),
        (
            warm["ecb"]["cycles_per_block"],
            "engine",
            "`make bench`, ECB",
            _date(kept["bench-sim"]),
            "as above, but the data go into the unit and out of it; in CTR the unit makes the counter blocks itself",
        ),
        (
            bench["cycles_per_block"],
            "engine",
            "`cipherlane bench`",
            _date(kept["bench"]),
            f"one call for {bench['bytes']} bytes that are not in the data cache: {limits.LINE_CYCLES} cycles for each "
            f"line of {limits.LINE_BYTES} bytes, {refill:g} a block",
        ),
        *(
            (
                r["cycles_per_block"],
                "engine",
                f"`cipherlane bench --record-bytes {size}`",
                _date(kept[f"{PREFIX}{size}"]),
                f"as above, but in {_call(size)}",
            )
            for size, r in sorted(lengths(kept).items(), key=lambda item: item[1]["cycles_per_block"])
        ),
        (
            demo["cycles_per_block"],
            "record",
            "`make demo`",
            _date(kept["demo"]),
            "a call for each record over the UART; the service has just read the data to check them, so they can be in "
            "the data cache. The remaining difference was not analysed",
        ),
        (
            udp["packet_cycles"]["engine"] / udp_blocks,
            "record",
            "`make bench-udp`, stage `engine`",
            _date(kept["bench-udp"]),
            f"a call for each record of {udp['record_bytes']} bytes over UDP; a mean over all records, two of them "
            "without data, divided by the blocks of a full record: somewhat too low",
        ),
    ]
    shown = [[f"{cycles:.1f}", *rest] for cycles, *rest in rows]
    return [
        f"`{ENGINE}` at AES-{KEY_BITS}, cycles a block:",
        "",
        *table(["cycles/block", "speed", "measured by", "date", "what is in it"], shown),
    ]


TABLE = Table(
    name="ise-cycles",
    page="lab/results/README.md",
    sources=("bench-sim.json", "bench.json", "bench-call-*.json", "demo.json", "bench-udp.json"),
    command="make bench",
    render=render,
)
