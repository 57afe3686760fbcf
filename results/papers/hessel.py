"""What of ours stands beside the values of Hessel et al. 2009."""

from results.kept import Content
from results.papers import Ours

SOURCES = ("explore-lte.json",)
# As explore-lte names them, and as the values of the paper do.
MEMBERS = {("snow3g", 32): "SNOW 3G 32 bits", ("aes", 32): "AES 32 bits", ("aes", 64): "AES 64 bits"}
MEMBERS |= {("aes", 128): "AES 128 bits"}
ALONE = "one block with its loading, round keys on the fly, simulated as mapped"
MESSAGE = "messages of 1000 bytes"
NOT_DRAWN = "the curves have no values in the text that was at hand; ours are in the tables of `make explore-lte`"
NOT_BUILT = "the LTE layer-2 experiment, transport blocks through MAC, RLC and PDCP, is not built"
REASONS = {
    "table1": "inputs of the standard, the same for all; nothing to measure",
    "table2": "a width of the standard, not a measurement",
    "table2: SNOW 3G 32 bits, cycles a keystream": "ours gives a word a cycle too; counted is a message: cycles a byte",
    "architectures": "how theirs is built; cycles with loading, which ours are counted with, are in Table II",
    "platform": NOT_BUILT,
    "figure5": NOT_BUILT,
    "figure5_floor": "arithmetic of rates alone, the same for every engine; the stack's own time is not measured",
    "synthesis": "their cells and conditions; ours are LUTs of an ECP5",
    "figures6_11": NOT_DRAWN,
    "figure12": f"{NOT_DRAWN}; activity there is no power",
}


def ours(data: dict[str, Content]) -> dict[str, dict[str, Ours]]:
    """Our values by entry and name."""
    found = {(r["algorithm"], r["datapath"]): r for r in data["explore-lte"]["records"]}
    table2, clocks = {}, {}
    for key, name in MEMBERS.items():
        record = found[key]
        if key[0] == "aes":
            table2[f"{name}, cycles a keystream"] = Ours(record["cycles_first"], "explore-lte", ALONE, "sim")
        table2[f"{name}, cycles a byte"] = Ours(record["cycles_a_byte"], "explore-lte", MESSAGE, "sim")
        for ns, mhz in record["mhz_for_ns_a_byte"].items():
            clocks[f"{name}, at {ns} ns"] = Ours(mhz, "explore-lte", "cycles a byte over ns a byte", "sim")
    aes = [found["aes", datapath]["cycles_a_byte"] for datapath in (32, 64, 128)]
    return {
        "table2": table2,
        "table2_check": {
            "snow3g": Ours(found["snow3g", 32]["cycles_a_byte"], "explore-lte", MESSAGE, "sim"),
            "aes": Ours(aes, "explore-lte", MESSAGE, "sim"),
        },
        "clocks": clocks,
    }
