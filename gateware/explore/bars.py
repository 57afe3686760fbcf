"""What the family is to reach, and what switching key lengths and holding more keys costs.

Cycles of a block hold for every member with one engine. Throughput, and throughput for area, are asked of the members
that hold one key of AES-128, on one part. Where the figures come from: cycles are below those of Hessel et al. 2009,
Table II (45, 23 and 12); throughput is above that of the public cores usselmann (iterative) and tiny_aes (pipelined) as
this flow measures them.
"""

from gateware.explore.members import FAMILY, KEY_SETS

Record = dict
PART = ("LFE5UM5G-85F", 8)
# Cycles a block, at most, by datapath and bits of the key.
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
# Mbps, and Mbps a LUT4, to be above.
ABOVE = {"128": (1439, 0.35), "pipelined": (23900, 0.60)}


def missed(record: Record) -> list[str] | None:
    """What a built record falls short of; None if nothing is asked of it."""
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
    """Whether the core of a record holds one key, of AES-128 alone."""
    return record["slots"] == 1 and record["key_lengths"] == list(KEY_SETS["128"])


def cost(record: Record, records: list[Record]) -> str:
    """What more keys, and key lengths, cost: LUT4s and clock beside the same core with one key of AES-128 alone.

    Nothing where that core is not among the records, or is this one.
    """
    same = ("core", "datapath", "sbox", "engines", "device", "speed")
    if record["core"] != FAMILY or record["status"] != "built" or is_smallest(record):
        return ""
    for other in records:
        if other["status"] == "built" and is_smallest(other) and all(other[key] == record[key] for key in same):
            return f"{record['lut4'] - other['lut4']:+d} LUT4, {record['fmax_mhz'] - other['fmax_mhz']:+.0f} MHz"
    return ""


def verdict(record: Record, records: list[Record]) -> str:
    """Both in a few words: bars met or missed, and what more keys cost."""
    short = missed(record)
    words = [] if short is None else [f"missed: {', '.join(short)}" if short else "met"]
    return "; ".join([*words, *filter(None, [cost(record, records)])])
