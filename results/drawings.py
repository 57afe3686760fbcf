"""The plots of the pages."""

from cipherlane import plots

from results import kept
from results.papers.jenkins import MHZ
from results.tables import bitstream, explore, headline, instruction_sets

FOLDER = "results"
# The board whose bitstreams are drawn.
REFERENCE = "ecpix5"
SBOXES = {"lut": "table", "block_ram": "block RAM", "onehot": "one-hot", "canright": "Canright"}


def speeds() -> str:
    """Mbps of each engine: engine, record and link speed."""
    found = headline.speeds(kept.load(headline.TABLE.sources, headline.TABLE.command))
    names, kind = headline.columns(found)
    rows = [(engine, r["figure"], names[speed]) for engine, row in found.items() for speed, r in row.items()]
    return plots.bars(f"AES-128-CTR, Mbps ({kind})", rows).file()


def cores() -> str:
    """Area and Mbps of the family's cores that hold one key of AES-128, and of public ones, on the first part."""
    content = kept.load(explore.TABLE.sources, explore.TABLE.command)["explore"]
    device, speed = max((r["device"], r["speed"]) for r in content["records"])
    rows = []
    for r in content["records"]:
        ours = r["core"] == "cipherlane"
        if (r["device"], r["speed"]) != (device, speed) or (ours and (r["slots"], r["key_lengths"]) != (1, [128])):
            continue
        label = SBOXES[r["sbox"]] + (f" x {r['engines']}" if r["engines"] > 1 else "") if ours else r["core"]
        width = r["datapath"] if r["datapath"] == "pipelined" else f"{r['datapath']} bits"
        rows.append((label, r["lut4"], r["mbps"], width if ours else "public cores"))
    title = f"AES-128 cores with one key by datapath and S-box, {device}, speed grade {speed} ({content['kind']})"
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


PLOTS = {"speeds.svg": speeds, "cores.svg": cores, "luts.svg": luts, "instructions.svg": instructions}
