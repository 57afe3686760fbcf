"""`make explore-snow3g`: SNOW 3G by S-boxes, beside Table II of Hessel et al. 2009."""

from results.kept import Content, select
from results.tables import Table, table

FIELDS = ("s_r", "s_q", "device", "speed", "lut4", "ff", "bram", "fmax_mhz", "fmax_least_mhz", "fmax_most_mhz")
FIELDS += ("cycles_a_message", "cycles_a_byte", "mbps", "mbps_per_lut", "least_ns_a_byte", "mhz_for_ns_a_byte")
FIELDS += ("toggles_a_byte",)
# Of Hessel et al. 2009, Table II: a message of 1000 bytes.
HESSEL_CYCLES_A_BYTE = 0.282


def keep(content: Content) -> Content:
    """The figures that the page shows."""
    return {"kind": content["kind"], "seeds": content["seeds"], "records": select(content["records"], FIELDS)}


def render(kept: dict[str, Content]) -> list[str]:
    """A row for each member on each part, the smallest first."""
    content = kept["explore-snow3g"]
    records = sorted(content["records"], key=lambda r: (r["device"] != "LFE5UM5G-85F", r["lut4"]))
    first = records[0]
    clocks = ", ".join(f"{mhz} MHz for {ns} ns" for ns, mhz in first["mhz_for_ns_a_byte"].items())
    rows = [
        [
            r["s_r"],
            r["s_q"],
            f"{r['device']}, {r['speed']}",
            r["lut4"],
            r["ff"],
            f"{r['fmax_mhz']} ({r['fmax_least_mhz']} to {r['fmax_most_mhz']})",
            f"{r['mbps']:.0f} ({content['kind']})",
            f"{r['mbps_per_lut']:.3f}",
            r["least_ns_a_byte"],
            r["toggles_a_byte"],
        ]
        for r in records
    ]
    headings = ["S_R", "S_Q", "part", "LUT4", "FF", "MHz", "Mbps", "Mbps per LUT4", "ns a byte", "toggles a byte"]
    return [
        f"**Engine speed** (`make explore-snow3g`): the keystream alone, in messages of 1000 bytes of "
        f"{first['cycles_a_message']} cycles each, {first['cycles_a_byte']:.3f} a byte (Hessel et al. 2009: "
        f"{HESSEL_CYCLES_A_BYTE}, without the key's loading and the discarded word's clock); the median clock of seeds "
        f"{', '.join(map(str, content['seeds']))}, least and most. Clocks wanted: {clocks} a byte. Toggles are "
        "transitions of all cells' outputs in a simulation of the mapped netlist with unit delays: activity, no power.",
        "",
        *table(headings, rows),
    ]


TABLE = Table(
    name="explore-snow3g",
    page="gateware/explore/README.md",
    sources=("explore-snow3g.json",),
    command="make explore-snow3g",
    render=render,
    keep=keep,
    shows="SNOW 3G by S-boxes: resources, clock, ns a byte and switching activity",
    speed="engine",
    takes="20 minutes",
)
