# SPDX-License-Identifier: BSD-2-Clause
"""Compute our values to compare with the paper of Fiskiran and Lee."""

from lab.isa import lookup_tables
from lab.results.kept import Content
from lab.results.papers import Ours
from lab.results.papers.jenkins import Cycles
from lab.results.tables import other_ciphers, public_keys

SOURCES = ("bench-papers.json",)
COMMAND = "make bench-papers"
BINARY = "binary fields: the core has no carry-less multiplier; not measured"
POWERS = "not measured: with public keys we measured only RSA's power of a signature"
WIDER_MULTIPLIER = "no multiplier wider than 32 bits was built; for what the port would allow, see public keys below"
SHA1 = "in C, 2 KB with padding, a block of 512 bits; RV32IM has no rotation"
PAPER_HZ, BLOCK_BITS, MEGA = 400e6, 512, 2**20
REASONS = {
    "ptlu: instructions for 16 lookups without at least": "a property of their instruction set",
    "table1": "sizes from the ciphers' standards, the same for all",
    "table2": "sizes from the hashes' standards, the same for all",
    "table3": "which operations an algorithm has does not depend on the machine",
    "table5": "we did not measure time by operation",
    "table7": "properties of the algorithms, the same for all",
    "table8": POWERS,
    **{f"table8: {name}": BINARY for name in ("eDH", "eElGamal", "eDSA")},
    "table9": WIDER_MULTIPLIER,
    "table9: RSA, key bits": "compared at Table 10",
    "table9: RSA, bits 32": "the reference of its column",
    **{f"table9: eDH, {name}": BINARY for name in ("key bits", "bits 32", "bits 64", "bits 128")},
    "table9: eight way 32 bit superscalar": "the core begins one instruction a cycle",
    **{f"table10: eDH, {name}": BINARY for name in ("key bits", "speed up")},
    "figures5_6": "curves without values; handshakes were not measured",
    "table11: basic RISC 32 bits, speed up": "the reference of its column",
    "table12: basic RISC 32 bits, speed up": "the reference of its column",
}
PLAIN = "table C unrolled; caches of 4 KB that tables and code do not fit into"
LOOKUPS = "unrolled; tables written beforehand, not counted"
WIDER = f"{LOOKUPS}; round keys in the unit's registers"
OTHERS = "over our C of the cipher on the same core, with caches of 4 KB; tables written beforehand, not counted"
OF_CIPHER = {  # maps a cipher to a note about how we measured it for Table 6
    "des": "in C 2 KB of tables",
    "triple_des": "in C 2 KB of tables",
    "blowfish": "in C 4 KB of tables, so the cache cannot hold tables and data together",
    "mars": "in C 2 KB of tables; the core's nine bits of index are two lookups of `ptlu`",
    "twofish": "S-boxes of bytes as in Table 4, four lookups an instruction; MDS multiplied in C in both",
}
OF_COUNT = {  # maps a cipher to the reason why our number of lookups differs from Table 4
    "mars": "64 in mixing, 16 in the core; the paper does not name the 56 that it counts",
    "twofish": "4 for each of two functions in 16 rounds; the paper does not name the 48 that it counts",
}
OF_POWER = (
    f"the cycles of one Montgomery multiplication in C by `mul` and `mulhu`, times {public_keys.MULTIPLICATIONS}, over "
    f"the cycles of the power, in whole percents. The exponent has {public_keys.BITS} bits, and the Chinese remainder "
    "theorem is not used"
)
OF_HALVES = (
    "a Montgomery multiplication in C, on a core that begins one instruction a cycle. With `mulhu` and `mul`, "
    "over only `mul`, where C makes the high half from four products of half words"
)
# The ciphers in our measurements that the paper also measures.
_THEIRS = [cipher for cipher in other_ciphers.CIPHERS if cipher.is_theirs]
RECORD = (
    f"computed like theirs, from four blocks of AES as in Table 11, under its conditions, and SHA-1 ({SHA1}). The "
    "clock of 400 MHz is the paper's: no unit here was built for it"
)


def ours(data: dict[str, Content]) -> dict[str, dict[str, Ours]]:
    """Return our values in a dict of dicts. Outer keys: the paper's tables and figures. Inner keys: names of values."""
    cycles = Cycles(data["bench-papers"])
    plain, lookups = cycles.cycles("table", "unrolled"), cycles.cycles("ptlu", "unrolled")
    speed_up = Ours(round(plain / lookups, 2), "bench-papers", f"{LOOKUPS}; over {PLAIN}", "sim")
    wider = {bits: cycles.cycles(f"ptlu_{bits}", "unrolled") for bits in (64, 128)}
    wider_ups = {
        bits: Ours(round(plain / each, 2), "bench-papers", f"{WIDER}; over {PLAIN}", "sim")
        for bits, each in wider.items()
    }
    sha1 = other_ciphers.hashes(data["bench-papers"])["sha1"]["cycles_per_block"]
    block = {"basic RISC 32 bits": plain, "ptlu 32 bits": lookups}
    block |= {f"ptlu {bits} bits": each for bits, each in wider.items()}
    of_record = {name: 4 * each + sha1 for name, each in block.items()}
    kilobytes = {bits: lookup_tables.ENTRIES * bits // 8192 for bits in (32, 64, 128)}
    byte = Ours((16 - 1).bit_length(), conditions="a byte of a word of 128 bits; of 64 bits 3, of 32 bits 2")
    return {
        "ptlu": {
            "tables": Ours(lookup_tables.TABLES),
            "entries": Ours(lookup_tables.ENTRIES),
            "lookups at most": Ours(lookup_tables.LOOKUPS),
            "field table bits": Ours((lookup_tables.TABLES - 1).bit_length()),
            "field offset bits": byte,
            "field step bits": byte,
            "entry bits": Ours("the word's"),
            "latency cycles": Ours(1, conditions="of the units of 64 and 128 bits"),
            "instructions for 16 lookups 128 bit": Ours(16 // lookup_tables.LOOKUPS),
            **{f"{bits} bits, table kb": Ours(each) for bits, each in kilobytes.items()},
            **{f"{bits} bits, all kb": Ours(lookup_tables.TABLES * each) for bits, each in kilobytes.items()},
        },
        "table4": _looked_up(),
        "table6": {
            "AES, speed up": speed_up,
            **{
                f"{cipher.title}, speed up": Ours(
                    other_ciphers.speed_up(data["bench-papers"], cipher.name),
                    "bench-papers",
                    "; ".join([OTHERS, *filter(None, [OF_CIPHER.get(cipher.name)])]),
                    "sim",
                )
                for cipher in _THEIRS
            },
        },
        "table8": {
            "RSA signature": Ours(public_keys.share(data["bench-papers"]), "bench-papers", OF_POWER, "sim"),
        },
        "table10": {
            "RSA, key bits": Ours(public_keys.BITS),
            "RSA, speed up": Ours(
                public_keys.speed_up(data["bench-papers"], "multiply"), "bench-papers", OF_HALVES, "sim"
            ),
        },
        "figure3": {"AES, bits 32": speed_up, **{f"AES, bits {bits}": each for bits, each in wider_ups.items()}},
        "table11": {
            "basic RISC 32 bits, cycles": Ours(round(plain, 1), "bench-papers", PLAIN, "sim"),
            "ptlu 32 bits, cycles": Ours(round(lookups, 1), "bench-papers", LOOKUPS, "sim"),
            "ptlu 32 bits, speed up": speed_up,
            **{
                f"ptlu {bits} bits, cycles": Ours(round(each, 1), "bench-papers", WIDER, "sim")
                for bits, each in wider.items()
            },
            **{f"ptlu {bits} bits, speed up": each for bits, each in wider_ups.items()},
            "sha1 cycles about": Ours(round(sha1), "bench-papers", SHA1, "sim"),
        },
        "table12": {
            f"{name}, mbps": _record(round(PAPER_HZ * BLOCK_BITS / each / MEGA, 2)) for name, each in of_record.items()
        }
        | {
            f"{name}, speed up": _record(round(of_record["basic RISC 32 bits"] / each, 2))
            for name, each in of_record.items()
            if name != "basic RISC 32 bits"
        },
        "table12_formula": {
            "sha1 cycles": Ours(round(sha1), "bench-papers", SHA1, "sim"),
            "cycles 512 bits": _record([round(each) for each in of_record.values()]),
        },
        "figures7_8": {
            "ptlu 128 bits 64 kbps, mhz": _record(round(of_record["ptlu 128 bits"] * 64 * 1024 / BLOCK_BITS / 1e6, 3)),
            **{
                f"{name} 54 Mbps, mhz": _record(round(of_record[name] * 54 * MEGA / BLOCK_BITS / 1e6))
                for name in ("basic RISC 32 bits", "ptlu 128 bits")
            },
        },
    }


def _looked_up() -> dict[str, Ours]:
    """Return our values for Table 4. For each cipher, they are the bits in a block, the number and the sizes of the
    lookup tables, and the lookups and table writes per block.
    """
    rounds = "AES-128: T0 to T3, and S in the last round; with `ptlu`, S is in T4 to T7"
    found = {
        "AES, block bits": Ours(128),
        "AES, tables": Ours(4, conditions=rounds),
        "AES, index bits": Ours(8),
        "AES, entry bits": Ours(32),
        "AES, lookups": Ours(160, conditions=rounds),
    }
    for each in _THEIRS:
        fields = {
            "block bits": each.bits,
            "tables": each.tables,
            "index bits": each.index_bits,
            "entry bits": each.entry_bits,
        }
        found |= {f"{each.title}, {name}": Ours(value) for name, value in fields.items()}
        found[f"{each.title}, lookups"] = Ours(each.lookups, conditions=OF_COUNT.get(each.name, ""))
        if each.writes:
            found[f"{each.title}, writes"] = Ours(each.writes)
    return found


def _record(value: float | list) -> Ours:
    return Ours(value, "bench-papers", RECORD, "sim")
