# SPDX-License-Identifier: BSD-2-Clause
"""Compute our values to compare with the paper of Jenkins et al. 2007."""

from statistics import mean

from gateware.isa.instructions import INSTRUCTIONS
from lab.results.kept import Content, ResultsError
from lab.results.papers import Ours

SOURCES = ("bench-papers.json", "explore-isa.json", "explore-sets.json")
COMMAND = "make bench-papers explore-isa explore-sets"
KEY_BITS = (128, 192, 256)
STYLES = ("loop", "swap", "unrolled")
DIRECTIONS = {"encryption": "encrypt", "decryption": "decrypt"}
ONE, EIGHT = "one block at a time", "eight blocks side by side"
# One thread of the paper's processor runs at 74.85 MHz. We compute our Mbps for a clock of 75 MHz, to compare them with
# the paper's Mbps.
MHZ = 75
SAME = "the same style of C, rounds replaced by instructions; the state passes through memory except in unrolled code"
REASONS = {
    "table1": "our instructions work in place, with register numbers as fields: no operands to compare",
    "table2": "the processor that they simulated; ours is VexRiscv with caches of 4 KB",
    "table4_check": "a check of their values; we measured both factors, see swap",
    "text": "how theirs is built or used: nothing to compare with ours",
    "related": "hardware of other authors: not built here",
    "thread": "a conversion of clocks and rates; our cycles are in the page's table",
    "table3_shares: rest": "a lane's multiplexers share LUTs with its parts, so the rest cannot be separated",
}


class Cycles:
    """Looks up programs in the results of `make bench-papers`. The results contain the cycles per block and the code
    bytes of each program.
    """

    def __init__(self, data: Content):
        self._found = {
            (r["measure"], r["engine"], r["style"], r["direction"], r["key_bits"]): r for r in data["records"]
        }

    def record(self, engine: str, style: str, direction="encrypt", key_bits=128, measure=ONE) -> dict:
        """Return the record of a program, or raise `ResultsError` if it was not measured."""
        case = measure, engine, style, direction, key_bits
        if case not in self._found:
            raise ResultsError(f"bench-papers.json lacks {case}: run `make bench-papers`, then `make readme`")
        return self._found[case]

    def cycles(self, *case, **values) -> float:
        """Return the cycles per block of a program."""
        return self.record(*case, **values)["cycles_per_block"]

    def speed_up(self, case: tuple[str, str], base: tuple[str, str], direction="encrypt", measure=ONE) -> float:
        """Return the speed-up of the program `case` over the program `base`, averaged over the key lengths. The
        speed-up is the cycles of `base` divided by the cycles of `case`.

        Case and base are an engine and a style each.
        """
        ratios = [
            self.cycles(*base, direction, bits) / self.cycles(*case, direction, bits, measure) for bits in KEY_BITS
        ]
        return round(mean(ratios), 2)

    def mbps(self, *case, **values) -> float:
        """Return the throughput of a program in Mbps at a clock of `MHZ`."""
        return round(128 * MHZ / self.cycles(*case, **values), 1)


def parts(*data: Content) -> dict[str, dict]:
    """Return the number of LUTs and the delay in ns of each hardware unit. If a measured unit contains the logic of
    four lanes, its number of LUTs is divided by four. The keys are the paper's names of the units.
    """
    found = {part["part"]: part for content in data for part in content["parts"]}
    ours = {
        "(Inv)SubBytes": ("SubBytes, ecp5", 4),
        "(Inv)MixColumns": ("MixColumns", 4),
        "RoundXOR": ("RoundXOR", 4),
        "AES VPE": ("lane, ecp5", 1),
        "shuffle": ("shuffle", 1),
        "multiplier": ("multiplier 16x16", 1),
    }
    if missing := [part for part, _ in ours.values() if part not in found]:
        raise ResultsError(f"explore-sets.json lacks {', '.join(missing)}: run `make explore-sets`, then `make readme`")
    named = {
        name: {"delay_ns": found[part]["delay_ns"], "lut4": found[part]["lut4"] / lanes}
        for name, (part, lanes) in ours.items()
    }
    lane, shuffle = named["AES VPE"], named["shuffle"]
    named["total (calculated)"] = {"delay_ns": lane["delay_ns"], "lut4": 4 * lane["lut4"] + shuffle["lut4"]}
    return named


def ours(data: dict[str, Content]) -> dict[str, dict[str, Ours]]:
    """Return our values in a dict of dicts. Outer keys: the paper's tables and figures. Inner keys: names of values."""
    cycles, found = Cycles(data["bench-papers"]), parts(data["explore-isa"], data["explore-sets"])

    def sim(value: float, conditions: str) -> Ours:
        return Ours(value, "bench-papers", conditions, "sim")

    def est(part: str, value: float, conditions: str, comparable=True) -> Ours:
        source = "explore-sets" if part == "RoundXOR" else "explore-isa"
        return Ours(value, source, conditions, "est", comparable)

    table3 = {}
    for name, part in found.items():
        if name != "multiplier":
            table3[f"{name}, delay ns"] = est(name, part["delay_ns"], "ECP5, between registers, wires included")
            table3[f"{name}, area um2"] = est(name, round(part["lut4"]), "LUT4 of an ECP5, not um2", comparable=False)
    lane = found["AES VPE"]["lut4"]
    shares = {"sub bytes": "(Inv)SubBytes", "mix columns": "(Inv)MixColumns", "round xor": "RoundXOR"}
    table4, table5 = {}, {}
    for style in STYLES:
        for name, direction in DIRECTIONS.items():
            table4[f"{style}, {name}"] = sim(cycles.speed_up(("ise", style), ("table", style), direction), SAME)
            for form, engine in (("c", "table"), ("instructions", "ise")):
                code = cycles.record(engine, style, direction)["code_bytes"]
                table5[f"{style}, {name} {form}"] = sim(
                    code, "RV32 without compressed instructions; tables not counted"
                )
    base = ("byte", "loop")
    over_bytes = [cycles.speed_up(("ise", style), base) for style in STYLES]
    same_core = "over our C by bytes on the same core; encryption"
    entry = "our form of Bertoni's `SMix`, which also returns an entry of a T-table; unrolled, AES-128"
    return {
        "related": {
            "Nadehara et al. 2004, cycles a block 128": sim(round(cycles.cycles("byte_set", "unrolled"), 1), entry),
            "Nadehara et al. 2004, mbps on sb3010": sim(cycles.mbps("byte_set", "unrolled"), f"{entry}, {MHZ} MHz"),
        },
        "table1": {
            f"{i.paper}, does": Ours(f"{i.name}: {i.operation}", conditions="two operands, in place")
            for i in INSTRUCTIONS
            if i.paper
        },
        "table3": table3,
        "table3_shares": {
            name: est(part, round(found[part]["lut4"] / lane, 3), "LUT4 of a part by itself over the LUT4 of a lane")
            for name, part in shares.items()
        },
        "table4": table4,
        "table5": table5,
        "figure9": {
            "reference": sim(cycles.speed_up(base, base), "our C by bytes, in a loop"),
            "instructions lowest": sim(min(over_bytes), same_core),
            "instructions highest above": sim(max(over_bytes), same_core),
        },
        "figure9_bounds": {
            "c loop": sim(cycles.speed_up(("table", "loop"), base), same_core),
            "c swap": sim(cycles.speed_up(("table", "swap"), base), same_core),
            "c unrolled above": sim(cycles.speed_up(("table", "unrolled"), base), same_core),
            "instructions swap": sim(over_bytes[STYLES.index("swap")], same_core),
        },
        "text": {
            "opcodes": Ours(sum(bool(i.paper) for i in INSTRUCTIONS), conditions="only the paper's"),
            "lane over 16x16 multiplier": est(
                "AES VPE", round(lane / found["multiplier"]["lut4"], 2), "LUT4 over LUT4"
            ),
            "mbps best software": sim(cycles.mbps("table", "unrolled"), f"table C unrolled, AES-128, {MHZ} MHz"),
            "mbps required at aes256": sim(
                cycles.mbps("ise", "unrolled", key_bits=256), f"one block, unrolled, round keys loaded, {MHZ} MHz"
            ),
            "mbps hoped for": sim(
                cycles.mbps("ise_kept", "unrolled", key_bits=256), f"AES-256, one block, round keys held, {MHZ} MHz"
            ),
            "swap gain c percent": sim(_gain(cycles, "table"), "swap over loop, encryption, mean of key lengths"),
            "swap gain instructions percent": sim(
                _gain(cycles, "ise"), "swap over loop, encryption, mean of key lengths"
            ),
        },
    }


def _gain(cycles: Cycles, engine: str) -> float:
    """Return how many percent faster an engine encrypts in the style `swap` than in the style `loop`."""
    ratios = [
        cycles.cycles(engine, "loop", "encrypt", b) / cycles.cycles(engine, "swap", "encrypt", b) for b in KEY_BITS
    ]
    return round(100 * (mean(ratios) - 1), 1)
