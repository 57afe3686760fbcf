# SPDX-License-Identifier: BSD-2-Clause
"""The results of `make bench-eth`: the fast path at line rate."""

from itertools import pairwise

from lab.results.kept import Content, ResultsError, select
from lab.results.tables import Table, table

FIELDS = ("payload", "key_bits", "sessions", "core", "clock_hz", "kind", "rx_mbps", "tx_mbps", "wire_limit_mbps")
FIELDS += ("share", "latency_cycles", "cause")
PROTECTED_FIELDS = (*FIELDS, "protection", "suite", "clock_met_by", "added_in_ns", "added_out_ns")


def keep(content: Content) -> Content:
    """Return the results that the table shows: "records" without MACsec, and "protected" with MACsec. Each pair of
    payload and key length was measured with one session and with many sessions; keep only the slower measurement.
    Without MACsec, keep only results with the same core and clock as the first result in the file. These are the core
    and clock of the boards.
    """
    protected = [r for r in content["records"] if r["suite"]]
    bare = [r for r in content["records"] if not r["suite"]]
    chosen = [r for r in bare if (r["core"], r["clock_hz"]) == (bare[0]["core"], bare[0]["clock_hz"])]
    sessions = sorted({r["sessions"] for r in chosen})
    return {
        "sessions": sessions,
        "records": select(_lowest(chosen), FIELDS),
        "protected": select(_lowest(protected), PROTECTED_FIELDS),
    }


def _lowest(records: list[dict]) -> list[dict]:
    lowest: dict[tuple, dict] = {}
    for r in records:
        case = r["payload"], r["key_bits"]
        lowest[case] = min(lowest.get(case, r), r, key=lambda r: (r["share"], r["tx_mbps"], -r["latency_cycles"]))
    return [lowest[case] for case in sorted(lowest)]


def latency_cycles(content: Content, payload: int, clock_hz: int) -> float:
    """Return the latency with AES-128: cycles from the first bit of a frame to the first bit of the board's answer.

    The answer begins when the whole frame has arrived, so the cycles grow with the payload. They are interpolated
    between the two nearest sizes that were measured.

    Raises
    ------
    ResultsError
        No smaller or no larger payload was measured at that clock.
    """
    found = sorted((r["payload"], r["latency_cycles"]) for r in content["records"] if _is(r, clock_hz))
    for (small, least), (large, most) in pairwise(found):
        if small <= payload <= large:
            return least + (most - least) * (payload - small) / (large - small)
    raise ResultsError(f"bench-eth.json has no latency for {payload} bytes at {clock_hz} Hz: run `make bench-eth`")


def _is(record: dict, clock_hz: int) -> bool:
    return (record["key_bits"], record["clock_hz"]) == (128, clock_hz)


def render(kept: dict[str, Content]) -> list[str]:
    """Return two tables in Markdown: without MACsec and with MACsec. Each row is a payload size and a key length."""
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
        f"**Link speed** of the fast path only (`make bench-eth`): a core of {first['core']} bits at "
        f"{first['clock_hz'] / 1e6:g} MHz, datagrams back to back, both directions at once, 1 Gb/s. Each row is the "
        f"lower result of {' and '.join(map(str, content['sessions']))} sessions. Mbps count the UDP payload, which "
        "includes a record's header. Latency: cycles from the first bit of a frame to the first bit of its answer. "
        "Cause: the part that limits a size below 99 % of the limit; `-` where there is none:",
        "",
        *table(["payload", "key bits", "in Mbps", "out Mbps", "limit", "share of the limit", "latency", "cause"], rows),
        "",
        *_protected(content["protected"]),
    ]


def _protected(records: list[dict]) -> list[str]:
    first = records[0]
    by = first["clock_met_by"]
    met = f"place-and-route of {by} met" if by else "**no place-and-route has met with MACsec yet**"
    rows = [
        [
            r["payload"],
            r["suite"],
            r["rx_mbps"],
            r["tx_mbps"],
            r["wire_limit_mbps"],
            f"{r['share']:.1%} ({r['kind']})",
            r["added_in_ns"],
            r["added_out_ns"],
            r["cause"] or "-",
        ]
        for r in records
    ]
    return [
        f"**The same through MACsec**, with a core of {first['core']} bits for the SecY and the fast path, at "
        f"{first['clock_hz'] / 1e6:g} MHz, which {met}. The limit is what the wire leaves after SecTAG and ICV. The "
        "keys of records have as many bits as the suite's. Added: the time by which MACsec delays a datagram on its "
        "way in, and the answer on its way out, because it takes in a frame as a whole:",
        "",
        *table(
            [
                "payload",
                "suite",
                "in Mbps",
                "out Mbps",
                "limit",
                "share of the limit",
                "added in, ns",
                "out, ns",
                "cause",
            ],
            rows,
        ),
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
    takes="8 minutes",
)
