# SPDX-License-Identifier: BSD-2-Clause
"""Checks whether our AES cores meet performance targets. Computes what a core's additional key lengths and key slots
cost in LUT4s and MHz.

The limits of cycles per block hold for every member with one engine. The limits of throughput, and of throughput per
area, hold for members with one key of AES-128, on one part. The cycles must be below those of Hessel et al. 2009, Table
II (45, 23 and 12). The throughput must exceed the public cores usselmann (iterative) and tiny_aes (pipelined), as
measured by this flow.
"""

from lab.explore.members import FAMILY, KEY_SETS

Record = dict
PART = ("LFE5UM5G-85F", 8)
# Targets for cores with one engine. Maps (datapath, key length in bits) to the largest permitted number of cycles per
# block.
MOST_CYCLES = {
    ("32", 128): 44,
    ("64", 128): 22,
    ("128", 128): 11,
    ("pipelined", 128): 1,
    ("32", 256): 60,
    ("64", 256): 30,
    ("128", 256): 15,
    ("pipelined", 256): 1,
}
# Maps a datapath to two targets: the throughput in Mbps, and the throughput per area in Mbps per LUT4. A core must
# exceed both targets.
ABOVE = {"128": (1439, 0.35), "pipelined": (23900, 0.60)}


def missed(record: Record) -> list[str] | None:
    """Returns the performance targets that a record's core misses; None if no target applies to this core."""
    asked = False
    found = []
    most = MOST_CYCLES.get((record["datapath"], record["key_bits"]))
    if record["core"] != FAMILY or record["engines"] != 1 or record["status"] != "built":
        return None
    if most is not None:
        asked = True
        if record["cycles_per_block"] > most:
            found.append(f"more than {most} cycles")
    if is_smallest(record) and record["datapath"] in ABOVE and (record["device"], record["speed"]) == PART:
        asked = True
        mbps, mbps_per_lut = ABOVE[record["datapath"]]
        if record["mbps"] <= mbps:
            found.append(f"not above {mbps} Mbps")
        if record["mbps_per_lut"] <= mbps_per_lut:
            found.append(f"not above {mbps_per_lut:.2f} Mbps a LUT4")
    return found if asked else None


def is_smallest(record: Record) -> bool:
    """Returns True if the core of a record stores only one key and supports only AES-128."""
    return record["slots"] == 1 and record["key_lengths"] == list(KEY_SETS["128"])


def cost(record: Record, records: list[Record]) -> str:
    """Compares a core with its variant that stores only one AES-128 key. Returns the differences in LUT4s and MHz.

    The result is empty if that core is not among the records, or is this one.
    """
    same = ("core", "datapath", "sbox", "engines", "device", "speed")
    if record["core"] != FAMILY or record["status"] != "built" or is_smallest(record):
        return ""
    for other in records:
        if other["status"] == "built" and is_smallest(other) and all(other[key] == record[key] for key in same):
            return f"{record['lut4'] - other['lut4']:+d} LUT4, {record['fmax_mhz'] - other['fmax_mhz']:+.0f} MHz"
    return ""


def verdict(record: Record, records: list[Record]) -> str:
    """Returns a short text: whether the core meets its targets, and what its additional keys and key lengths cost."""
    short = missed(record)
    words = [] if short is None else [f"missed: {', '.join(short)}" if short else "met"]
    return "; ".join([*words, *filter(None, [cost(record, records)])])
