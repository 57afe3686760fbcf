# SPDX-License-Identifier: BSD-2-Clause
"""Draw the plots for the pages, and return the data of each plot as a table."""

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from io import StringIO

from cipherlane_base.wire.layout import HEADER

from lab.explore.members import PEERS
from lab.results import kept, papers
from lab.results.papers import activity
from lab.results.tables import (
    bench_eth,
    bench_lte,
    bench_sets,
    bench_udp,
    bitstream,
    explore,
    explore_lte,
    headline,
    instruction_sets,
)
from pictures import plots, soc, timing, vector_unit
from pictures.frame import Line
from pictures.points import Point, points

FOLDER = "lab/results"
PICTURES = "docs/pictures"
# The reference board. The plots about bitstreams show this board's bitstreams.
REFERENCE = "ecpix5"
SBOXES = activity.SBOXES | {"block_ram": "block RAM"}
UNITS = {
    "vector_unit": "vector unit",
    "ctr_service": "CTR service",
    "fast_path": "fast path",
    "cpu": "CPU",
    "ethernet": "Ethernet",
    "snow3g": "SNOW 3G",
}


@dataclass(frozen=True)
class Plot:
    """A plot: its picture as SVG, and its data as a table. `columns` are the headings of the table; the values in
    `rows` are not rounded.
    """

    svg: str
    columns: Sequence[str]
    rows: Sequence[Sequence]

    def csv(self) -> str:
        """Return the rows as the text of a CSV file (RFC 4180, but lines end with a line feed)."""
        output = StringIO()
        csv.writer(output, lineterminator="\n").writerows([self.columns, *self.rows])
        return output.getvalue()


def speeds() -> Plot:
    """Plot three speeds of each engine in Mbps (engine, record and link speed), and the limit of gigabit Ethernet."""
    data = kept.load(headline.TABLE.sources, headline.TABLE.command)
    found = headline.speeds(data)
    names, kind = headline.columns(found)
    rows = tuple((engine, r["figure"], names[speed]) for engine, row in found.items() for speed, r in row.items())
    most, record_bytes = headline.wire_limit(data)
    limit = Line(most, f"1 Gb/s Ethernet with records of {record_bytes} bytes carries {most:.0f} Mbps")
    svg = plots.values("Speed of each engine, AES-128-CTR", f"Mbps ({kind})", rows, log=True, limit=limit)
    table = [(engine, speed, mbps, kind) for engine, mbps, speed in rows]
    return Plot(
        svg, ("engine", "speed", "Mbps", "kind"), [*table, ("limit of the wire", "link speed", most, "computed")]
    )


# Maps the abilities of a core (see `explore.abilities`) to its marker in the plot `cores`.
ABILITIES = {
    "encryption, keys loaded before": "o",
    "both directions, keys loaded before": "s",
    "encryption, a new key with each block": "^",
}


def cores() -> Plot:
    """Plot area and Mbps of AES cores on one FPGA part: public cores, and our cores with only one AES-128 key."""
    contents = kept.load(explore.TABLE.sources, explore.TABLE.command)
    records = explore.built(contents)
    device, speed = max((r["device"], r["speed"]) for r in records)
    drawn, rows = [], []
    for r in records:
        ours = r["core"] not in PEERS
        if (r["device"], r["speed"]) != (device, speed) or (ours and (r["slots"], r["key_lengths"]) != (1, [128])):
            continue
        label = SBOXES[r["sbox"]] + (f" x {r['engines']}" if r["engines"] > 1 else "") if ours else r["core"]
        width = r["datapath"] if r["datapath"] == "pipelined" else f"{r['datapath']} bits"
        decrypts, any_key = explore.abilities(r["core"])
        marker = tuple(ABILITIES)[1 if decrypts else 2 if any_key else 0]
        drawn.append(Point(label, r["lut4"], r["mbps"], width if ours else "public cores", marker))
        rows.append((r["core"], r["datapath"], r["sbox"], r["engines"], r["lut4"], r["bram"], r["fmax_mhz"], r["mbps"]))
        rows[-1] += ("yes" if decrypts else "no", "yes" if any_key else "no", contents[explore.LAST]["kind"])
    kind = contents[explore.LAST]["kind"]
    title = f"AES-128 encryption by one core, {device}, speed grade {speed} ({kind})"
    x_name = f"LUT4 ({kind}); S-boxes in block RAM take none"
    svg = points(title, x_name, f"Mbps, engine speed ({kind})", (("", tuple(drawn)),), markers=tuple(ABILITIES))
    columns = ("core", "datapath", "S-box", "engines", "LUT4", "block RAM", "MHz", "Mbps", "decrypts")
    return Plot(svg, (*columns, "new key with each block", "kind"), rows)


def luts() -> Plot:
    """Plot how many LUT4 each unit takes in the reference board's bitstreams. Omit bitstreams without these numbers."""
    reports = kept.load((f"bitstream-{REFERENCE}*.json",), bitstream.TABLE.command).values()
    counted = [r for r in reports if "shares" in r]
    units = [*dict.fromkeys(unit for r in counted for unit in r["shares"] if unit != "rest"), "rest"]
    wholes = tuple(
        (
            r["board"],
            tuple((UNITS.get(unit, unit), r["shares"][unit]["lut4"]) for unit in units if unit in r["shares"]),
        )
        for r in sorted(counted, key=lambda r: r["lut4"])
    )
    kinds = ", ".join(dict.fromkeys(r["kind"] for r in counted))
    svg = plots.shares(
        f"LUT4 of each unit in the bitstreams of {REFERENCE} ({kinds})", f"LUT4 ({kinds})", wholes, rest="rest"
    )
    rows = [
        (r["board"], unit, *(r["shares"][unit][used] for used in bitstream.USED), r["kind"])
        for r in counted
        for unit in r["shares"]
    ]
    return Plot(svg, ("bitstream", "unit", "LUT4", "FF", "block RAM", "DSP", "kind"), rows)


def instructions() -> Plot:
    """Plot cycles and area of the AES instruction sets. Mark the sets that are on a Pareto front."""
    found = instruction_sets.built(kept.load(instruction_sets.TABLE.sources, instruction_sets.TABLE.command))
    panels, rows = [], []
    for heading, blocks in instruction_sets.FRONTS.items():
        inside = tuple(
            Point(one.short, one.area, one.cycles[blocks], one.family, on_front=one.on_front[blocks])
            for one in found
            if one.area
        )
        (software,) = [one.cycles[blocks] for one in found if not one.area]
        panels.append((f"{heading}; C with tables and no unit takes {software:,.0f}", inside))
    for one in found:
        area = (one.lut4, one.bram, one.area) if one.area else (0, 0, 0)
        fronts = ("yes" if one.on_front[blocks] else "no" for blocks in instruction_sets.FRONTS.values())
        rows.append((one.name.replace("`", ""), *one.cycles.values(), *area, *fronts))
    area = f"LUT4 of the unit (est), a block RAM counted as {instruction_sets.LUTS_A_BLOCK_RAM}"
    title = "AES-128 encryption by instruction set, on one core"
    svg = points(title, area, "cycles a block (sim)", tuple(panels), front="Pareto front: fewer cycles cost more area")
    cycles = [f"cycles a block (sim), {blocks} a call" for blocks in bench_sets.BLOCKS]
    columns = ("instructions", *cycles, "LUT4 (est)", "block RAM (est)", "priced area")
    return Plot(
        svg, (*columns, *(f"on the front of {name.split(',')[0].lower()}" for name in instruction_sets.FRONTS)), rows
    )


def ciphers_of_lte() -> Plot:
    """Plot area and switching activity of SNOW 3G and AES cores with different S-boxes. The AES cores compute round
    keys on the fly.
    """
    content = kept.load(explore_lte.TABLE.sources, explore_lte.TABLE.command)["explore-lte"]
    drawn, rows = [], []
    for r in activity.of_one_part(content["records"]):
        label = activity.sboxes(r) + (f" x {r['engines']}" if r["engines"] > 1 else "")
        series = activity.family(r) if r["algorithm"] == "snow3g" else f"AES-128, {activity.family(r)}"
        drawn.append(Point(label, r["lut4"], r["toggles_a_byte"], series))
        rows.append((series, activity.sboxes(r), r["engines"], r["lut4"], r["toggles_a_byte"]))
    title = "Area and activity of the ciphers of LTE, by S-boxes and engines"
    y_name = "toggles a byte (sim); over ns a byte, toggles a ns"
    svg = points(title, "LUT4 (est)", y_name, (("", tuple(drawn)),))
    return Plot(svg, ("cipher", "S-boxes", "engines", "LUT4 (est)", "toggles a byte (sim)"), rows)


def layer2() -> Plot:
    """Plot the time of a transport block (y axis) against the time that the cipher takes per byte (x axis). The plot is
    our equivalent of Figure 5 in Hessel et al.
    """
    records = kept.load(bench_lte.TABLE.sources, bench_lte.TABLE.command)["bench-lte"]["records"]
    stack = {r["mbps"]: r for r in records if r["engine"] is None}
    drawn, rows = [], []
    for r in records:
        if r["engine"] and r["mbps"] in bench_lte.RATES_MBPS:
            ns, ms = bench_lte.ns_a_byte(r, stack), bench_lte.milliseconds(r)
            drawn.append(Point(r["engine"], ns, ms, f"{r['mbps']} Mbit/s"))
            rows.append((r["engine"], r["cipher"], r["mbps"], ns, ms, r["kind"]))
    mhz = f"{records[0]['clock_hz'] / 1e6:g} MHz ({records[0]['kind']})"
    title = "LTE's layer 2: time for the transport block of 1 ms, by engine"
    limit = Line(bench_lte.TTI_MS, "a transport block comes each 1 ms")
    svg = points(
        title,
        f"ns a byte that the engine adds ({records[0]['kind']})",
        f"ms at {mhz}",
        (("", tuple(drawn)),),
        limit=limit,
        joined=True,
    )
    return Plot(svg, ("engine", "cipher", "Mbit/s", "ns a byte", "ms", "kind"), rows)


# The engines in the plot `record`, and the names of the processing stages in the plot.
WALKED = ("ise", "ise_vmem", "accelerator")
STAGES = {
    "driver": "registers of the MAC",
    "copy": "copies and checksums",
    "stack": "Ethernet, IP, UDP",
    "record": "record service",
    "engine": "AES engine",
}
ON_WIRE, OFF_WIRE = "wire to the board", "wire to the host"


def record() -> Plot:
    """Plot the cycles that a record over UDP spends in each stage: on the wire to the board, in the stages inside the
    board, and on the wire to the host.
    """
    data = kept.load((*bench_udp.TABLE.sources, *bench_eth.TABLE.sources), bench_udp.TABLE.command)
    found = {r["engine"]: r for r in data["bench-udp"]["records"]}
    mbps, record_bytes = headline.wire_limit(data)
    clock, kind = found["fastpath"]["clock_hz"], found["fastpath"]["kind"]
    wire = 8 * record_bytes / mbps * clock / 1e6
    courses = {
        engine: {ON_WIRE: wire, **{STAGES[stage]: r["packet_cycles"][stage] for stage in STAGES}, OFF_WIRE: wire}
        for engine, r in found.items()
        if r["packet_cycles"]
    }
    # The measured latency is the time from the first bit of a frame to the first bit of its answer. The answer begins
    # only after the whole frame has arrived. So the latency contains the frame's time on the wire, `wire`. Subtract
    # `wire`, because the plot shows it as a separate stage.
    through = bench_eth.latency_cycles(data["bench-eth"], record_bytes + HEADER.size, clock)
    courses["fastpath"] = {ON_WIRE: wire, "fast path": through - wire, OFF_WIRE: wire}
    shown = tuple((engine, tuple(courses[engine].items())) for engine in (*WALKED, "fastpath"))
    title = f"One record of {record_bytes:,} bytes, from the wire through the board and back, by engine"
    svg = plots.waterfall(title, f"cycles at {clock / 1e6:g} MHz ({kind}; the wire's are computed)", shown)
    rows = [
        (engine, stage, cycles, "computed" if stage in (ON_WIRE, OFF_WIRE) else kind)
        for engine, stages in courses.items()
        for stage, cycles in stages.items()
    ]
    return Plot(svg, ("engine", "stage", "cycles", "kind"), rows)


# Maps each paper to the plot at the top of its page: the plot's title, the table or figure of the paper to plot, and a
# suffix. The plot shows only the values whose names end with the suffix.
BESIDE = {
    "jenkins": ("Table 4: speed-up by instructions over the same style of C", "table4", ""),
    "bertoni": ("Speed-up over C, of all sets and styles", "speed_up", ""),
    "fiskiran_lee": ("Table 6: speed-up by ptlu of 32 bits over C", "table6", "speed up"),
    "hessel": ("Table II: cycles a byte, round keys on the fly", "table2", "cycles a byte"),
}


def beside(paper: str) -> Plot:
    """Plot values from a paper, each next to our value."""
    title, entry, end = BESIDE[paper]
    found = [r for r in papers.records(paper, papers.load(paper)) if r["entry"] == entry and r["value"].endswith(end)]
    found = [r for r in found if r["ratio"] is not None]
    kinds = ", ".join(dict.fromkeys(r["kind"] for r in found if r["kind"]))
    rows = tuple((r["value"].removesuffix(f", {end}"), r[whose], whose) for r in found for whose in ("theirs", "ours"))
    table = [(r["value"], r["theirs"], r["theirs_kind"], r["ours"], r["kind"]) for r in found]
    return Plot(
        plots.values(title, f"ours: {kinds}", rows),
        ("value", "theirs", "kind of theirs", "ours", "kind of ours"),
        table,
    )


PLOTS: dict[str, Callable[[], Plot]] = {
    f"{FOLDER}/speeds": speeds,
    f"{FOLDER}/cores": cores,
    f"{FOLDER}/luts": luts,
    f"{FOLDER}/instructions": instructions,
    f"{FOLDER}/activity": ciphers_of_lte,
    f"{FOLDER}/layer2": layer2,
    **{f"{FOLDER}/{paper}": partial(beside, paper) for paper in BESIDE},
    f"{PICTURES}/record": record,
}
DIAGRAMS = {
    f"{PICTURES}/soc": cache(soc.picture),
    f"{PICTURES}/vector-unit": cache(vector_unit.picture),
    f"{PICTURES}/timing-instructions": cache(timing.instructions),
    f"{PICTURES}/timing-keystream": cache(timing.keystream),
}


def files() -> dict[str, str]:
    """Return a dict with all pictures and the data files of the plots. It maps paths in the repository to texts."""
    found = {f"{name}.svg": draw() for name, draw in DIAGRAMS.items()}
    for name, draw in PLOTS.items():
        plot = draw()
        found |= {f"{name}.svg": plot.svg, f"{name}.csv": plot.csv()}
    return found
