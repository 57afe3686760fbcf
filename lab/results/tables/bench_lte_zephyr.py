# SPDX-License-Identifier: BSD-2-Clause
"""Further results of `make bench-lte`: LTE's layer 2 in Zephyr's threads, a transport block each millisecond."""

from lab.results.kept import Content, select
from lab.results.tables import Table, bench_lte, table
from lab.results.tables.bench_lte import RATES_MBPS, TTI_MS, in_time_until, milliseconds

FIELDS = ("cipher", "engine", "order", "mbps", "packets", "packet_bytes", "blocks", "shortest_cycles", "median_cycles")
FIELDS += ("cycles", "missed_ttis", "switches", "clock_hz", "kind")
# Maps each order of the threads' priorities to its name in the table, in the sequence of `enum threads_order` of the
# Zephyr application.
ORDERS = {"one": "one for all", "mac_first": "three, MAC first", "pdcp_first": "three, PDCP first"}


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs. A file with "costs" contains results of Zephyr's
    threads. Any other file contains results of bare metal.
    """
    if "costs" not in content:
        return bench_lte.keep(content)
    return {"costs": content["costs"], "records": select(content["records"], FIELDS)}


def _spread(record: dict) -> str:
    cycles = (record["shortest_cycles"], record["median_cycles"], record["cycles"])
    shown = " / ".join(f"{value / record['clock_hz'] * 1e3:.3f}" for value in cycles)
    return f"{shown} ({record['kind']})"


def _is_in_time(record: dict) -> bool:
    return milliseconds(record) <= TTI_MS and not record.get("missed_ttis")


def _bare_metal(engine: str | None, found: dict[tuple, dict], clock_hz: int) -> list[str]:
    """Return an engine's row for bare metal. The cycles were measured without Zephyr; the function converts them to
    times at the clock `clock_hz`.
    """
    at_clock = {mbps: {**record, "clock_hz": clock_hz} for (name, mbps), record in found.items() if name == engine}
    shown = [f"{milliseconds(at_clock[mbps]):.3f}" for mbps in RATES_MBPS]
    until = in_time_until({mbps: _is_in_time(record) for mbps, record in at_clock.items()})
    return [engine or "none: headers only", "bare metal", *shown, until, "-"]


def render(kept: dict[str, Content]) -> list[str]:
    """Return Markdown: a table with the time to process a transport block, and text with the cycles of kernel calls.
    The columns are data rates. Each engine has a row for each order of the thread priorities and, if measured, a row
    for bare metal.
    """
    content = kept["bench-lte_zephyr"]
    found: dict[tuple, dict[int, dict]] = {}
    for record in content["records"]:
        found.setdefault((record["engine"], record["order"]), {})[record["mbps"]] = record
    bare = {(record["engine"], record["mbps"]): record for record in kept["bench-lte"]["records"]}
    clock_hz, most = content["records"][0]["clock_hz"], RATES_MBPS[-1]
    rows = []
    for (engine, order), of_rate in found.items():
        if order == next(iter(ORDERS)) and (engine, most) in bare:
            rows.append(_bare_metal(engine, bare, clock_hz))
        shown = [_spread(of_rate[mbps]) for mbps in RATES_MBPS]
        switches = f"{of_rate[most]['switches']:g}"
        until = in_time_until({mbps: _is_in_time(record) for mbps, record in of_rate.items()})
        rows.append([engine or "none: headers only", ORDERS[order], *shown, until, switches])
    costs = content["costs"]
    alone = {order: found[None, order][most] for order in ORDERS}
    more = {
        order: (record["median_cycles"] - alone["one"]["median_cycles"]) / record["packets"]
        for order, record in alone.items()
    }
    headings = ["engine", "threads", *(f"{mbps} Mbit/s" for mbps in RATES_MBPS), "in time until Mbit/s"]
    return [
        "`make bench-lte`, on Zephyr: milliseconds from the hand-over of a block to its last packet, at "
        f"{clock_hz / 1e6:g} MHz, with a block each millisecond. A cell has the shortest, the median and the longest "
        "time. Rows of bare metal show the cycles of the table above at this clock:",
        "",
        *table([*headings, f"thread switches a block, {most} Mbit/s"], rows),
        "",
        f"The kernel by itself, measured by the same program, in cycles ({costs['kind']}): {costs['switch_cycles']} "
        f"from a thread to another that was ready; {costs['queue_cycles']} for a PDU into a queue and out of it. A PDU "
        f"to a thread that waits for it, and back, takes {costs['hand_over_cycles']}. With headers only, at {most} "
        f"Mbit/s, a packet takes {more['mac_first']:.0f} cycles more in three threads with MAC first than in one, "
        f"{more['pdcp_first']:.0f} with PDCP first.",
    ]


TABLE = Table(
    name="bench-lte-zephyr",
    page="lab/bench_lte/README.md",
    sources=("bench-lte_zephyr.json", "bench-lte.json"),
    command="make bench-lte",
    render=render,
    keep=keep,
    shows="the same in Zephyr's threads: time of a transport block by engine, threads and rate",
    takes="15 minutes",
)
