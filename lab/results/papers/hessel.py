# SPDX-License-Identifier: BSD-2-Clause
"""Compute our values to compare with the paper of Hessel et al. 2009."""

from lab.results.kept import Content
from lab.results.papers import Ours, activity, values
from lab.results.tables.bench_lte import POINTS_NS, RATES_MBPS, TTI_MS, milliseconds

SOURCES = ("explore-lte.json", "bench-lte.json", "bench-lte_zephyr.json")
COMMAND = "make explore-lte bench-lte"
# Maps a core of `make explore-lte`, given as (cipher, bits of the datapath), to its name in the paper.
MEMBERS = {("snow3g", 32): "SNOW 3G 32 bits", ("aes", 32): "AES 32 bits", ("aes", 64): "AES 64 bits"}
MEMBERS |= {("aes", 128): "AES 128 bits"}
ALONE = "a single block with its loading, round keys on the fly, simulated after mapping"
MESSAGE = "messages of 1000 bytes"
STACK = "with the time of our stack for the headers, at"
ONE_NETLIST = "ours is one netlist at every clock: LUTs and toggles a byte stay the same, so activity falls"
REASONS = {
    "table1": "inputs of the standard, the same for all; nothing to measure",
    "table2": "a width of the standard, not a measurement",
    "table2: SNOW 3G 32 bits, cycles a keystream": "ours makes a word a cycle too; for messages see cycles a byte",
    "architectures": "how theirs is built; Table II has the cycles with loading, as ours are counted",
    "platform": "settings of their experiment; for our results see Figure 5",
    "synthesis": "their cells and conditions; ours are LUTs of an ECP5",
    "figures6_11: power with more ns a byte": ONE_NETLIST,
    "figures6_11: area with more ns a byte": ONE_NETLIST,
    "figure12: first choice for LTE": "their choice by power; for ours see what agrees",
}


def table2() -> dict[tuple[str, int], tuple[int, float]]:
    """Return values from Table II of the paper. The keys are (cipher, bits of the datapath). The values are pairs:
    cycles per unit of keystream, and cycles per byte in messages of 1000 bytes.
    """
    printed = values("hessel")["table2"]["values"]
    return {
        key: (printed[f"{name}, cycles a keystream"], printed[f"{name}, cycles a byte"])
        for key, name in MEMBERS.items()
    }


def _lte(value: float | list, conditions: str) -> Ours:
    return Ours(value, "bench-lte", conditions, "sim")


def ours(data: dict[str, Content]) -> dict[str, dict[str, Ours]]:
    """Return our values in a dict of dicts. Outer keys: the paper's tables and figures. Inner keys: names of values."""
    records = data["explore-lte"]["records"]
    found = {(r["algorithm"], r["datapath"]): r for r in records if r["engines"] == 1}
    cycles, clocks = {}, {}
    for key, name in MEMBERS.items():
        record = found[key]
        if key[0] == "aes":
            cycles[f"{name}, cycles a keystream"] = Ours(record["cycles_first"], "explore-lte", ALONE, "sim")
        cycles[f"{name}, cycles a byte"] = Ours(record["cycles_a_byte"], "explore-lte", MESSAGE, "sim")
        for ns, mhz in record["mhz_for_ns_a_byte"].items():
            clocks[f"{name}, at {ns} ns"] = Ours(mhz, "explore-lte", "cycles a byte over ns a byte", "sim")
    layer2 = {(r["engine"], r["mbps"]): r for r in data["bench-lte"]["records"]}
    clock = f"{layer2[None, RATES_MBPS[0]]['clock_hz'] / 1e6:g} MHz"
    floor = {}
    for mbps in RATES_MBPS:
        stack = layer2[None, mbps]
        ms, size = milliseconds(stack), stack["packet_bytes"]
        floor[f"{mbps} Mbps, bytes"] = _lte(size, "bytes of packets, without headers")
        for ns in POINTS_NS:
            floor[f"{mbps} Mbps, ms at {ns} ns"] = _lte(round(ms + ns * size * 1e-6, 3), f"{STACK} {clock}")
        floor[f"{mbps} Mbps, ns a byte at 1 ms"] = _lte(round((TTI_MS - ms) / size * 1e6, 1), f"{STACK} {clock}")
    measured, eea1 = (
        [round(milliseconds(layer2[engine, mbps]), 3) for mbps in RATES_MBPS] for engine in ("accelerator", "snow3g")
    )
    by_snow3g = f"With 128-EEA1 by the SNOW 3G accelerator: {', '.join(f'{ms:.3f}' for ms in eea1)}"
    threads = {(r["engine"], r["order"], r["mbps"]): r for r in data["bench-lte_zephyr"]["records"]}
    in_threads = [threads["accelerator", "mac_first", mbps] for mbps in RATES_MBPS]
    shown = ", ".join(f"{milliseconds(record):.3f}" for record in in_threads)
    on_zephyr = f"In three of Zephyr's threads, at {in_threads[0]['clock_hz'] / 1e6:g} MHz: {shown}"
    conditions = f"ms at 100, 200 and 300 Mbit/s with the accelerator at {clock}. {by_snow3g}. {on_zephyr}"
    aes = [found["aes", datapath]["cycles_a_byte"] for datapath in (32, 64, 128)]
    return {
        "table2": cycles,
        "table2_check": {
            "snow3g": Ours(found["snow3g", 32]["cycles_a_byte"], "explore-lte", MESSAGE, "sim"),
            "aes": Ours(aes, "explore-lte", MESSAGE, "sim"),
        },
        "clocks": clocks,
        "figure5": {"": _lte(measured, conditions)},
        "figure5_floor": floor,
        **activity.compared(records, POINTS_NS),
    }
