"""The plots of the pages."""

from functools import partial

from cipherlane import plots

from results import kept, papers
from results.papers import activity
from results.papers.jenkins import MHZ
from results.tables import bench_lte, bitstream, explore, explore_lte, headline, instruction_sets

FOLDER = "results"
# The board whose bitstreams are drawn.
REFERENCE = "ecpix5"
SBOXES = activity.SBOXES | {"block_ram": "block RAM"}


def speeds() -> str:
    """Mbps of each engine: engine, record and link speed."""
    found = headline.speeds(kept.load(headline.TABLE.sources, headline.TABLE.command))
    names, kind = headline.columns(found)
    rows = [(engine, r["figure"], names[speed]) for engine, row in found.items() for speed, r in row.items()]
    return plots.bars(f"AES-128-CTR, Mbps ({kind})", rows).file()


def cores() -> str:
    """Area and Mbps of the family's cores that hold one key of AES-128, and of public ones, on the first part."""
    contents = kept.load(explore.TABLE.sources, explore.TABLE.command)
    records = explore.built(contents)
    device, speed = max((r["device"], r["speed"]) for r in records)
    rows = []
    for r in records:
        ours = r["core"] == "cipherlane"
        if (r["device"], r["speed"]) != (device, speed) or (ours and (r["slots"], r["key_lengths"]) != (1, [128])):
            continue
        label = SBOXES[r["sbox"]] + (f" x {r['engines']}" if r["engines"] > 1 else "") if ours else r["core"]
        width = r["datapath"] if r["datapath"] == "pipelined" else f"{r['datapath']} bits"
        rows.append((label, r["lut4"], r["mbps"], width if ours else "public cores"))
    kind = contents[explore.LAST]["kind"]
    title = f"AES-128 cores with one key by datapath and S-box, {device}, speed grade {speed} ({kind})"
    return plots.points(title, "LUT4; S-boxes in block RAM take none", "Mbps, engine speed", rows).file()


def luts() -> str:
    """LUT4 of each unit of the reference board's bitstreams that count them."""
    reports = kept.load((f"bitstream-{REFERENCE}*.json",), bitstream.TABLE.command).values()
    counted = [r for r in reports if "shares" in r]
    units = dict.fromkeys(unit for r in counted for unit in r["shares"])
    rows = [
        (unit.replace("_", " "), r["shares"][unit]["lut4"], r["board"])
        for unit in units
        for r in counted
        if unit in r["shares"]
    ]
    boards, kinds = (", ".join(dict.fromkeys(r[field] for r in counted)) for field in ("board", "kind"))
    return plots.bars(f"LUT4 of each unit, {boards} ({kinds})", rows).file()


def instructions() -> str:
    """Area and Mbps of the instruction sets, and which are on the Pareto front."""
    found = instruction_sets.built(kept.load(instruction_sets.TABLE.sources, instruction_sets.TABLE.command))
    rows = [
        (
            one.name.replace("`", ""),
            one.area,
            128 * MHZ / one.record["cycles_per_block"],
            "on the Pareto front" if one.on_front else "behind it",
        )
        for one in found
        if one.area
    ]
    area = f"LUT4 of the unit alone (est), a block RAM as {instruction_sets.LUTS_A_BLOCK_RAM}"
    return plots.points("AES-128 encryption by instruction set", area, f"Mbps at {MHZ} MHz (sim)", rows).file()


def ciphers_of_lte() -> str:
    """Area and activity of SNOW 3G and of AES with round keys on the fly, by S-boxes."""
    content = kept.load(explore_lte.TABLE.sources, explore_lte.TABLE.command)["explore-lte"]
    rows = []
    for r in activity.of_one_part(content["records"]):
        label = activity.sboxes(r) + (f" x {r['engines']}" if r["engines"] > 1 else "")
        series = activity.family(r) if r["algorithm"] == "snow3g" else f"AES-128, {activity.family(r)}"
        rows.append((label, r["lut4"], r["toggles_a_byte"], series))
    title = "Area and activity of the ciphers of LTE, by S-boxes and engines"
    return plots.points(title, "LUT4 (est)", "toggles a byte (sim); over ns a byte, toggles a ns", rows).file()


def layer2() -> str:
    """Hessel's Figure 5: time of a transport block over what its cipher takes for a byte."""
    records = kept.load(bench_lte.TABLE.sources, bench_lte.TABLE.command)["bench-lte"]["records"]
    stack = {r["mbps"]: r for r in records if r["engine"] is None}
    rows = []
    for r in records:
        if r["engine"] and r["mbps"] in bench_lte.RATES_MBPS:
            rows.append((r["engine"], bench_lte.ns_a_byte(r, stack), bench_lte.milliseconds(r), f"{r['mbps']} Mbit/s"))
    mhz = f"{records[0]['clock_hz'] / 1e6:g} MHz ({records[0]['kind']})"
    title = "LTE's layer 2: time of the transport block of 1 ms, which is to be clearly below 1 ms"
    return plots.points(title, "ns a byte that the engine adds", f"ms at {mhz}", rows).file()


# Of each paper, what its page begins with: title, entry and end of the names of its values.
BESIDE = {
    "jenkins": ("Table 4: speed-up by instructions over the same style of C", "table4", ""),
    "bertoni": ("Speed-up over C, of all sets and styles", "speed_up", ""),
    "fiskiran_lee": ("Table 6: speed-up by ptlu of 32 bits over C", "table6", "speed up"),
    "hessel": ("Table II: cycles a byte, round keys on the fly", "table2", "cycles a byte"),
}


def beside(paper: str) -> str:
    """Values of a paper, and ours."""
    title, entry, end = BESIDE[paper]
    found = [r for r in papers.records(paper, papers.load(paper)) if r["entry"] == entry and r["value"].endswith(end)]
    kinds = ", ".join(dict.fromkeys(r["kind"] for r in found if r["kind"]))
    rows = [
        (r["value"].removesuffix(f", {end}"), r[whose], whose)
        for r in found
        if r["ratio"] is not None
        for whose in ("theirs", "ours")
    ]
    return plots.bars(f"{title}; ours: {kinds}", rows).file()


PLOTS = {
    "speeds.svg": speeds,
    "cores.svg": cores,
    "luts.svg": luts,
    "instructions.svg": instructions,
    "activity.svg": ciphers_of_lte,
    "layer2.svg": layer2,
    **{f"{paper}.svg": partial(beside, paper) for paper in BESIDE},
}
