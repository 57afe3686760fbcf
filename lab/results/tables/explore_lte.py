# SPDX-License-Identifier: BSD-2-Clause
"""The results of `make explore-lte`: SNOW 3G and AES with round keys on the fly, compared with Hessel et al. 2009."""

from lab.results.kept import Content, select
from lab.results.papers import hessel
from lab.results.tables import Table, median_mhz, of_seeds, table

FIELDS = (
    "algorithm",
    "datapath",
    "sbox",
    "s_q",
    "engines",
    "device",
    "speed",
    "lut4",
    "ff",
    "fmax_mhz",
    "fmax_least_mhz",
)
FIELDS += ("fmax_most_mhz", "cycles_first", "cycles_a_byte", "mbps", "mbps_per_lut", "least_ns_a_byte")
FIELDS += ("mhz_for_ns_a_byte", "toggles_a_byte")
NAMES = {"snow3g": "SNOW 3G", "aes": "AES-128"}


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs."""
    return {"kind": content["kind"], "seeds": content["seeds"], "records": select(content["records"], FIELDS)}


def render(kept: dict[str, Content]) -> list[str]:
    """Return tables in Markdown. The first table shows the cycles and the required clocks of each cipher and datapath.
    Then each FPGA part has a table of cores, the smallest core first.
    """
    content = kept["explore-lte"]
    records = content["records"]
    cycles = {(r["algorithm"], r["datapath"]): r for r in records if r["engines"] == 1}
    times = list(records[0]["mhz_for_ns_a_byte"])
    rows, table2 = [], hessel.table2()
    for key, r in sorted(cycles.items(), reverse=True):
        unit, byte = table2[key]
        mhz = [r["mhz_for_ns_a_byte"][ns] for ns in times]
        alone = f"{r['cycles_first']}, then 1" if r["algorithm"] == "snow3g" else r["cycles_first"]
        paper = f"33, then {unit}" if r["algorithm"] == "snow3g" else unit
        rows.append([NAMES[r["algorithm"]], r["datapath"], alone, paper, f"{r['cycles_a_byte']:.3f}", byte, *mhz])
    headings = [
        "cipher",
        "datapath",
        "cycles",
        "Hessel",
        "cycles a byte",
        "Hessel",
        *(f"MHz for {ns} ns" for ns in times),
    ]
    lines = [
        "**Engine speed** (`make explore-lte`): keystream only, without counter and XOR, by one engine; two engines "
        "need half the clock. Cycles: for AES a single block with its loading, round keys made on the fly; for SNOW 3G "
        "from taking key and initialisation vector to its first word. Cycles a byte: in messages of 1000 bytes.",
        "",
        *table(headings, rows),
        "",
        f"Clocks are by {of_seeds(content['seeds'])}, with the least and the most of several seeds. Toggles are "
        "transitions of all cells' outputs in a simulation of the mapped netlist with unit delays. They show activity, "
        "not power. The authors' order of S-boxes holds for 90 nm standard cells.",
    ]
    headings = [
        "cipher",
        "datapath",
        "engines",
        "S-boxes",
        "LUT4",
        "FF",
        "MHz",
        "Mbps",
        "Mbps per LUT4",
        "ns a byte",
        "toggles a byte",
    ]
    for device, speed in sorted({(r["device"], r["speed"]) for r in records}, reverse=True):
        rows = [
            [
                NAMES[r["algorithm"]],
                r["datapath"],
                r["engines"],
                f"{r['sbox']}, {r['s_q']}" if r["s_q"] else r["sbox"],
                r["lut4"],
                r["ff"],
                median_mhz(r, content["seeds"]),
                f"{r['mbps']:.0f} ({content['kind']})",
                f"{r['mbps_per_lut']:.3f}",
                r["least_ns_a_byte"],
                r["toggles_a_byte"],
            ]
            for r in sorted(records, key=lambda r: (r["algorithm"], r["datapath"], r["engines"], r["lut4"]))
            if (r["device"], r["speed"]) == (device, speed)
        ]
        lines += ["", f"{device}, speed grade {speed}:", "", *table(headings, rows)]
    return lines


TABLE = Table(
    name="explore-lte",
    page="lab/snow3g/CIPHERS.md",
    sources=("explore-lte.json",),
    command="make explore-lte",
    render=render,
    keep=keep,
    shows="SNOW 3G and AES with round keys on the fly, by datapath and S-boxes: cycles, resources, clock, activity",
    speed="engine",
    takes="2 hours",
)
