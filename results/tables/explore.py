"""`make explore`: the family of AES cores, and public ones, on each part."""

from gateware.explore.bars import ABOVE
from results.kept import Content, select
from results.tables import Table, table

FIELDS = ("core", "datapath", "sbox", "engines", "key_lengths", "slots", "lut4", "ff", "bram", "fmax_mhz")
FIELDS += ("cycles_per_block", "mbps", "mbps_per_lut", "bars", "device", "speed")


def keep(content: Content) -> Content:
    """What was built, at AES-128."""
    built = [r for r in content["records"] if r["status"] == "built" and r["key_bits"] == 128]
    return {"kind": content["kind"], "seeds": content["seeds"], "records": select(built, FIELDS)}


def render(kept: dict[str, Content]) -> list[str]:
    """A table for each part, the fastest core first."""
    content = kept["explore"]
    (iterative, area), (pipelined, pipelined_area) = ABOVE["128"], ABOVE["pipelined"]
    lines = [
        f"**Engine speed** (`make explore`): AES-128 encryption by the core alone, at the clock that place-and-route "
        f"gives it, seed {', '.join(map(str, content['seeds']))}; one flow for all, public cores included. Bars: "
        f"{iterative} Mbps and {area:.2f} Mbps per LUT4 iterative, {pipelined / 1000:g} Gbps and {pipelined_area:.2f} "
        "pipelined, on the 85F, and fewer cycles than Hessel et al. 2009; cost: of more keys and key lengths, beside "
        "the same core with one key of AES-128.",
    ]
    headings = ["core", "datapath", "S-box", "engines", "key bits", "keys held", "LUT4", "FF", "block RAM", "MHz"]
    headings += ["cycles/block", "Mbps", "Mbps per LUT4", "bars; cost"]
    records = content["records"]
    for device, speed in sorted({(r["device"], r["speed"]) for r in records}, reverse=True):
        rows = [
            [
                r["core"],
                r["datapath"],
                r["sbox"].replace("_", " "),
                r["engines"],
                " ".join(map(str, r["key_lengths"])),
                *(r[key] for key in ("slots", "lut4", "ff", "bram", "fmax_mhz")),
                f"{r['cycles_per_block']:g}",
                f"{r['mbps']:.0f} ({content['kind']})",
                f"{r['mbps_per_lut']:.3f}",
                r["bars"],
            ]
            for r in sorted(records, key=lambda r: -r["mbps"])
            if (r["device"], r["speed"]) == (device, speed)
        ]
        lines += ["", f"{device}, speed grade {speed}:", "", *table(headings, rows)]
    return lines


TABLE = Table(
    name="explore",
    page="gateware/explore/README.md",
    sources=("explore.json",),
    command="make explore",
    render=render,
    keep=keep,
    shows="the family of AES cores synthesised, simulated as mapped, placed and routed, beside public cores",
    speed="engine",
    takes="hours; goes on where it stopped",
)
