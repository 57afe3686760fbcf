"""`make bench-eth`: the fast path at line rate."""

from results.kept import Content, select
from results.tables import Table, table

FIELDS = ("payload", "key_bits", "sessions", "core", "clock_hz", "kind", "rx_mbps", "tx_mbps", "wire_limit_mbps")
FIELDS += ("share", "latency_cycles", "cause")


def keep(content: Content) -> Content:
    """At the boards' clock with the boards' core, the lower of one session and many."""
    first = content["records"][0]
    chosen = [r for r in content["records"] if (r["core"], r["clock_hz"]) == (first["core"], first["clock_hz"])]
    lowest: dict[tuple, dict] = {}
    for r in chosen:
        case = r["payload"], r["key_bits"]
        lowest[case] = min(lowest.get(case, r), r, key=lambda r: (r["share"], r["tx_mbps"], -r["latency_cycles"]))
    sessions = sorted({r["sessions"] for r in chosen})
    return {"sessions": sessions, "records": select((lowest[case] for case in sorted(lowest)), FIELDS)}


def render(kept: dict[str, Content]) -> list[str]:
    """A row for each size of datagram and key length."""
    content = kept["bench-eth"]
    rows = [
        [
            r["payload"],
            r["key_bits"],
            r["rx_mbps"],
            r["tx_mbps"],
            r["wire_limit_mbps"],
            f"{r['share']:.1%} ({r['kind']})",
            r["latency_cycles"],
            r["cause"] or "-",
        ]
        for r in content["records"]
    ]
    first = content["records"][0]
    return [
        f"**Link speed** of the fast path alone (`make bench-eth`): a core of {first['core']} bits at "
        f"{first['clock_hz'] / 1e6:g} MHz, datagrams back to back, both ways at once, the lower of "
        f"{' and '.join(map(str, content['sessions']))} sessions; Mbps of UDP payload, a record's header among it, on "
        "1 Gb/s, and cycles from the first bit of a frame to the first bit of its answer:",
        "",
        *table(["payload", "key bits", "in Mbps", "out Mbps", "limit", "of the limit", "latency", "cause"], rows),
    ]


TABLE = Table(
    name="bench-eth",
    page="tests/bench_eth/README.md",
    sources=("bench-eth.json",),
    command="make bench-eth",
    render=render,
    keep=keep,
    shows="the UDP fast path between the two sides of a GMII at 1 Gb/s: goodput, latency",
    speed="link",
    takes="2 minutes",
)
