# SPDX-License-Identifier: BSD-2-Clause
"""The results of `make explore`: our AES cores (the family) and public cores, on each FPGA part."""

from lab.explore.bars import ABOVE
from lab.explore.members import DATAPATHS, FAMILY, PEERS
from lab.explore.records import DATA_RATES_MBPS, clock_mhz
from lab.results.kept import Content, select
from lab.results.papers import hessel
from lab.results.tables import LUTS_A_BLOCK_RAM, Table, median_mhz, table

# Name of the results file that the latest `make explore` wrote. If that run omitted a core, the results of the core
# come from the file of an earlier run.
LAST = "explore"
FIELDS = ("core", "datapath", "sbox", "engines", "key_lengths", "slots", "lut4", "ff", "bram", "fmax_mhz")
FIELDS += ("fmax_by_seed", "cycles_first", "cycles_per_block", "mbps", "mbps_per_lut", "bars", "device", "speed")


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs: AES-128 records of cores that could be built."""
    built = [r for r in content["records"] if r["status"] == "built" and r["key_bits"] == 128]
    return {"kind": content["kind"], "seeds": content["seeds"], "records": select(built, FIELDS)}


def built(kept: dict[str, Content]) -> list[dict]:
    """Return the records of all cores. If the latest run omitted a core, its record comes from an earlier run."""
    records = list(kept[LAST]["records"])
    for name in sorted(kept.keys() - {LAST}, reverse=True):
        there = [_what(record) for record in records]
        records += [record for record in kept[name]["records"] if _what(record) not in there]
    return records


def abilities(core: str) -> tuple[bool, bool]:
    """Return two flags for a public core. The first is True if the core can decrypt. The second is True if the core
    accepts a new key with each block without extra cycles.
    """
    peer = PEERS.get(core)
    return (peer.decrypts, peer.key_with_block) if peer else (False, False)


def _what(record: dict) -> list:
    same = ("core", "datapath", "sbox", "engines", "slots", "key_lengths", "device", "speed")
    return [record[field] for field in same]


def _clock(record: dict) -> str:
    """Return the median clock over the place-and-route seeds, as text. With several seeds, add minimum and maximum."""
    clocks = record["fmax_by_seed"].values()
    return median_mhz({**record, "fmax_least_mhz": min(clocks), "fmax_most_mhz": max(clocks)}, clocks)


def render(kept: dict[str, Content]) -> list[str]:
    """Return Markdown: a table of cores for each FPGA part, the fastest core first; then a table of required clocks."""
    content = kept[LAST]
    (iterative, area), (pipelined, pipelined_area) = ABOVE["128"], ABOVE["pipelined"]
    lines = [
        "**Engine speed** (`make explore`): AES-128 encryption by each core without a system around it. All cores, "
        "public ones included, pass through the same flow. The clock is the median of seeds "
        f"{', '.join(map(str, content['seeds']))}, with the least and the most. Cores that the last run left out come "
        "from an earlier run, as the lines below the tables report.",
        "",
        "- Single block: cycles from loading the block to its result, with the key loaded before.",
        "- Cycles/block and Mbps: in the steady state, where the next block enters meanwhile.",
        "- Bars: our targets for our cores with one engine. Each must take fewer cycles a block than the core of "
        "Hessel et al. 2009. On the 85F, with one key of AES-128, the 128-bit core must also exceed "
        f"{iterative} Mbps and {area:.2f} Mbps per LUT4, and the pipelined core {pipelined / 1000:g} Gbps and "
        f"{pipelined_area:.2f} Mbps per LUT4. No word: no target applies.",
        "- Cost: LUT4 and MHz that more keys and key lengths add to the same core with one key of AES-128.",
        "- New key with each block: without losing a cycle. Our cores take any key that they hold with each block. A "
        "new key is expanded before.",
        f"- Priced: with {LUTS_A_BLOCK_RAM} LUT4 for a block RAM.",
    ]
    headings = [
        "core",
        "datapath",
        "S-box",
        "engines",
        "decrypts",
        "new key with each block",
        "key bits",
        "keys held",
        "LUT4",
        "FF",
        "block RAM",
        "MHz",
    ]
    headings += ["single block", "cycles/block", "Mbps", "Mbps per LUT4", "priced", "bars; cost"]
    records = built(kept)
    for device, speed in sorted({(r["device"], r["speed"]) for r in records}, reverse=True):
        rows = [
            [
                r["core"],
                r["datapath"],
                r["sbox"].replace("_", " "),
                r["engines"],
                *("yes" if able else "no" for able in abilities(r["core"])),
                " ".join(map(str, r["key_lengths"])),
                *(r[key] for key in ("slots", "lut4", "ff", "bram")),
                _clock(r),
                r.get("cycles_first", "-"),
                f"{r['cycles_per_block']:g}",
                f"{r['mbps']:.0f} ({content['kind']})",
                f"{r['mbps_per_lut']:.3f}",
                f"{r['mbps'] / (r['lut4'] + LUTS_A_BLOCK_RAM * r['bram']):.3f}",
                r["bars"],
            ]
            for r in sorted(records, key=lambda r: -r["mbps"])
            if (r["device"], r["speed"]) == (device, speed)
        ]
        lines += ["", f"{device}, speed grade {speed}:", "", *table(headings, rows)]
    return [*lines, "", *_clocks(records)]


def _clocks(records: list[dict]) -> list[str]:
    """Return a table in Markdown: the clock in MHz that an AES engine needs for each data rate. Each row is a datapath.
    Each cell contains our engine's clock, then the clock of Hessel et al. if the paper has this datapath.
    """
    cycles = {r["datapath"]: r["cycles_per_block"] for r in records if (r["core"], r["engines"]) == (FAMILY, 1)}
    quoted = {str(width): each for (cipher, width), (each, _) in hessel.table2().items() if cipher == "aes"}
    rows = []
    for datapath in DATAPATHS:
        ours, theirs = cycles.get(datapath), quoted.get(datapath)
        if ours:
            needed = (
                " / ".join(f"{clock_mhz(rate, each):.1f}" for each in (ours, theirs) if each)
                for rate in DATA_RATES_MBPS
            )
            rows.append([datapath, f"{ours:g} / {theirs or '-'}", *needed])
    return [
        "Clock in MHz that a data rate needs, AES-128, one engine: ours / theirs, Hessel et al. 2009. Ours is the "
        "steady state with stored round keys, where the next block enters meanwhile. Theirs is a single block with "
        "round keys on the fly, computed from the cycles in Table II. "
        "[Ours on the fly](../../lab/snow3g/CIPHERS.md) has a page:",
        "",
        *table(["datapath", "cycles/block", *(f"{rate} Mbps" for rate in DATA_RATES_MBPS)], rows),
    ]


TABLE = Table(
    name="explore",
    page="docs/reference/cores.md",
    sources=("explore.*json",),
    command="make explore",
    render=render,
    keep=keep,
    shows="the family of AES cores synthesised, simulated as mapped, placed and routed, and public cores likewise",
    speed="engine",
    takes="hours; resumes where it stopped",
)
