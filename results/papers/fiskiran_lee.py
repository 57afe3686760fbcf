"""What of ours stands beside the values of Fiskiran and Lee."""

from gateware.isa import lookup_tables
from results.kept import Content
from results.papers import Ours
from results.papers.jenkins import Cycles

SOURCES = ("bench-papers.json",)
COMMAND = "make bench-papers"
WIDER = "ptlu on words of 64 and 128 bits is not built; on 32 it is"
PUBLIC_KEY = "public keys: an instruction on this port gives one word of 32 bits, no wider multiplier; not measured"
NO_SHA = "there is no SHA-1 here to take beside AES"
REASONS = {
    "ptlu": "of words of 64 and 128 bits, which are not built, or how theirs is built",
    "table1": "sizes that the ciphers' standards give, the same for all",
    "table2": "sizes that the hashes' standards give, the same for all",
    "table3": "which operations an algorithm has does not depend on the machine",
    "table4": "lookups that the algorithm has, whatever the machine",
    "table5": "time was not taken apart by operation",
    "table6": "of these ciphers there is no software here to measure",
    "figure3": WIDER,
    "table7": PUBLIC_KEY,
    "table8": PUBLIC_KEY,
    "table9": PUBLIC_KEY,
    "table10": PUBLIC_KEY,
    "figures5_6": PUBLIC_KEY,
    "table11": WIDER,
    "table11: basic RISC 32 bits, speed up": "the reference of its column",
    "table11: sha1 cycles about": NO_SHA,
    "table12": NO_SHA,
    "table12_formula": NO_SHA,
    "figures7_8": NO_SHA,
}
PLAIN = "table C unrolled; caches of 4 KB that tables and code do not fit into"
LOOKUPS = "unrolled; tables written beforehand, not counted"


def ours(data: dict[str, Content]) -> dict[str, dict[str, Ours]]:
    """Our values by entry and name."""
    cycles = Cycles(data["bench-papers"])
    plain, lookups = cycles.cycles("table", "unrolled"), cycles.cycles("ptlu", "unrolled")
    speed_up = Ours(round(plain / lookups, 2), "bench-papers", f"{LOOKUPS}; over {PLAIN}", "sim")
    kilobytes = lookup_tables.ENTRIES * 4 // 1024
    byte = Ours((4 - 1).bit_length(), conditions="a byte of a word of 32 bits")
    return {
        "ptlu": {
            "tables": Ours(lookup_tables.TABLES),
            "entries": Ours(lookup_tables.ENTRIES),
            "lookups at most": Ours(lookup_tables.LOOKUPS),
            "field table bits": Ours((lookup_tables.TABLES - 1).bit_length()),
            "field offset bits": byte,
            "field step bits": byte,
            "32 bits, table kb": Ours(kilobytes),
            "32 bits, all kb": Ours(lookup_tables.TABLES * kilobytes),
        },
        "table6": {"AES, speed up": speed_up},
        "figure3": {"AES, bits 32": speed_up},
        "table11": {
            "basic RISC 32 bits, cycles": Ours(round(plain, 1), "bench-papers", PLAIN, "sim"),
            "ptlu 32 bits, cycles": Ours(round(lookups, 1), "bench-papers", LOOKUPS, "sim"),
            "ptlu 32 bits, speed up": speed_up,
        },
    }
