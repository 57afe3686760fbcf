"""The README's table: each engine's three speeds at AES-128."""

from results.kept import Content, ResultsError
from results.tables import Table, table

ENGINES = {
    "table": "C with tables, on the core",
    "ise": "vector unit, two instructions a round, as in the paper",
    "ise_fused": "vector unit, one instruction a round",
    "ise_vmem": "the same with vector loads and stores",
    "accelerator": "AES-CTR with its own DMA",
    "fastpath": "data records in hardware, no CPU in their way",
}
# Name of the kept file, and of its figure in Mbps.
SPEEDS = {"engine": ("bench", "mbps"), "record": ("demo", "mbps"), "link": ("bench-udp", "goodput_mbps")}
KEY_BITS = 128


def speeds(kept: dict[str, Content]) -> dict[str, dict[str, dict]]:
    """By engine and speed, the record of encryption at AES-128, with its Mbps as `figure`."""
    found: dict[str, dict[str, dict]] = {}
    for engine in ENGINES:
        for speed, (name, figure) in SPEEDS.items():
            for r in kept[name]["records"]:
                if (r["engine"], r["key_bits"], r.get("direction", "encrypt")) == (engine, KEY_BITS, "encrypt"):
                    found.setdefault(engine, {})[speed] = {**r, "figure": r[figure]}
    return found


def conditions(found: dict[str, dict[str, dict]]) -> str:
    """Clock and kind of all figures.

    Raises
    ------
    ResultsError
        They were measured under different ones, so that they do not stand in one table.
    """
    different = {f"{r['clock_hz'] / 1e6:g} MHz ({r['kind']})" for row in found.values() for r in row.values()}
    if len(different) != 1:
        shown = ", ".join(sorted(different))
        raise ResultsError(f"engine, record and link speed are of {shown}: measure them on one board")
    return different.pop()


def render(kept: dict[str, Content]) -> list[str]:
    """A row for each engine."""
    found = speeds(kept)

    def cell(row: dict[str, dict], speed: str) -> str:
        if speed not in row:
            return "-"
        cycles = row[speed].get("cycles_per_block")
        return f"{row[speed]['figure']:.1f}" + (f" ({cycles:.1f})" if cycles else "")

    rows = [[f"`{e}`", ENGINES[e], *(cell(row, speed) for speed in SPEEDS)] for e, row in found.items()]
    limit = kept["bench-udp"]["records"][0]["record_bytes"]
    return [
        f"AES-128-CTR, Mbps and in brackets cycles a block, {conditions(found)}; link: records of {limit} bytes over "
        "UDP on 1 Gb/s, there and back:",
        "",
        *table(["engine", "what it is", *(f"{speed} speed" for speed in SPEEDS)], rows),
    ]


TABLE = Table(
    name="headline",
    page="README.md",
    sources=tuple(f"{name}.json" for name, _ in SPEEDS.values()),
    command="make demo",
    render=render,
)
