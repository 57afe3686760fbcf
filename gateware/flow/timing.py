"""The clocks that a target reaches over several seeds: ``python -m gateware.flow.timing ecpix5 eth`` (`make timing`).

::

    SoC ─► Yosys ─► netlist ─┬─► nextpnr, seed 1, each database ─► records ─┐
                             └─► nextpnr, seed 2 ...                        ┴─► timing-<target>.json

One seed proves nothing: what counts is the median of all, and of nextpnr's databases the slower. They differ in the
block RAM's clock-to-output, 1.42 ns for an LFE5UM5G and 4.26 ns for an LFE5U of the same grade. Each seed is a task of
its own (`place`), whose records are kept under the netlist, the options and the tools: a run that was broken off goes
on where it stopped.
"""

import argparse
import json
import os
import re
import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from cipherlane.results import write
from rich.console import Console
from rich.table import Table

from gateware import boards, targets
from gateware.configurations import CONFIGURATIONS, DEFAULT
from gateware.flow import bitstream, carries, constraints, toolchain
from gateware.flow.cache import Stamp, digest
from gateware.flow.firmware import REPOSITORY, FirmwareError, build_firmware
from gateware.flow.zephyr import ZephyrError
from gateware.targets import Target

SEEDS = 8
# Options that name a part, for that of each database: the board's, and the same without its transceivers.
DATABASES = {"LFE5UM5G": "--um5g-85k", "LFE5U": "--85k"}
# What synthesis and packing put behind the name of a register or memory.
_SUFFIX = re.compile(r"(_TRELLIS_FF|_LUT4|_CCU2C|_PFUMX|_L6MUX21|_DP16KD|_TRELLIS_DPR16X4|\$|\.\d).*$")
Records = list[dict]


class TimingError(RuntimeError):
    """Synthesis failed, or what was asked for cannot be timed."""


def place(folder: Path, seed: int, options: Sequence[str]) -> Records:
    """The records of one seed: of what it was placed and routed for earlier, or anew.

    Parameters
    ----------
    folder : Path
        Where the command is run, and the records are kept.
    seed : int
        nextpnr's.
    options : sequence of str
        All others of nextpnr's, with the names of its files, which are seen from the folder.

    Returns
    -------
    list of dict
        `seed` and what `records` gives; only `error`, if nextpnr gave no report.
    """
    kept = folder / f"{seed}-{digest([], *options)[:16]}.json"
    if not kept.exists():
        report, log = kept.with_suffix(".report"), kept.with_suffix(".log")
        report.unlink(missing_ok=True)
        command = ["nextpnr-ecp5", *options, "--seed", str(seed), "--timing-allow-fail", "--report", report.name]
        environment = toolchain.environment(REPOSITORY / "build" / "tools")
        with log.open("wb") as output:
            status = bitstream.run(command, folder, environment, output)
        if report.exists():
            found = records(json.loads(report.read_text()))
        elif status is None:
            found = [{"error": f"not done after {bitstream.LIMIT_S // 3600} hours"}]
        else:
            found = [{"error": bitstream.failure(log)}]
        partial = kept.with_suffix(".partial")
        partial.write_text(json.dumps(found))
        os.replace(partial, kept)
    return [{"seed": seed, **record} for record in json.loads(kept.read_text())]


def records(report: dict) -> Records:
    """Of each clock in nextpnr's report: `clock`, `required_mhz`, `achieved_mhz`, and the path that ends it.

    `path_from` and `path_to` are its cells, `path_nets` the nets between them in their order, `logic_ns` and
    `routing_ns` its delays, clock-to-output and set-up being logic.
    """
    found = []
    for net, clock in sorted(report["fmax"].items()):
        edges = {f"{edge} {net}" for edge in ("posedge", "negedge")}
        (path, *_) = [p["path"] for p in report["critical_paths"] if {p["from"], p["to"]} <= edges]
        routing = [step for step in path if step["type"] == "routing"]
        found.append(
            {
                "clock": constraints.clock_name(net),
                "required_mhz": round(clock["constraint"], 2),
                "achieved_mhz": round(clock["achieved"], 2),
                "path_from": path[0]["from"]["cell"],
                "path_to": path[-1]["to"]["cell"],
                "path_nets": [step["net"] for step in routing],
                "logic_ns": round(sum(step["delay"] for step in path) - sum(step["delay"] for step in routing), 2),
                "routing_ns": round(sum(step["delay"] for step in routing), 2),
            }
        )
    return found


def spreads(found: Records) -> Records:
    """Of each clock: `required_mhz`; `median_mhz`, `min_mhz`, `max_mhz` over seeds, of each the slowest database.

    A seed with an `error` has reached no clock: it counts as 0 MHz for each.
    """
    failed = {record["seed"] for record in found if "error" in record}
    clocks = {record["clock"]: record["required_mhz"] for record in found if "clock" in record}
    result = []
    for clock, required in clocks.items():
        of_seed = dict.fromkeys(failed, 0.0)
        for record in found:
            if record.get("clock") == clock:
                seed, achieved = record["seed"], record["achieved_mhz"]
                of_seed[seed] = min(of_seed.get(seed, achieved), achieved)
        reached = sorted(of_seed.values())
        figures = {"median_mhz": round(median(reached), 2), "min_mhz": reached[0], "max_mhz": reached[-1]}
        result.append({"clock": clock, "required_mhz": required, "seeds": len(reached), **figures})
    return result


def endings(found: Records) -> list[tuple[tuple[str, str, str], int]]:
    """How many runs of which clock ended by a path from what to what, without numbers of bits; the most first."""
    names = [
        (record["clock"], *(_SUFFIX.sub("", record[end]) for end in ("path_from", "path_to")))
        for record in found
        if "clock" in record
    ]
    return Counter(names).most_common()


def run(target: Target, directory: Path, results: Path, seeds: Sequence[int], databases: Sequence[str]) -> Path:
    """Synthesises a target, places and routes it with each seed and database, and writes ``timing-<target>.json``.

    Raises
    ------
    TimingError
        A tool is missing, synthesis failed, or the target is simulated.
    """
    if target.board.simulated:
        raise TimingError(f"board {target.board.name} is simulated: its clock is what it is told")
    try:
        environment = toolchain.environment(REPOSITORY / "build" / "tools")
    except toolchain.ToolError as error:
        raise TimingError(str(error)) from error
    tools = toolchain.versions(environment)
    bitstream.write_sources(target, directory, build_firmware(target, directory / "firmware"))
    folder, options = _synthesise(target, directory, environment, tools)
    found = []
    for seed in seeds:
        for database in databases:
            print(f"timing: {target.name}, seed {seed}, {database}", flush=True)
            of_database = [DATABASES[database] if option in DATABASES.values() else option for option in options]
            found += [{**record, "database": database} for record in place(folder, seed, of_database)]
    path = results / f"timing-{target.name}.json"
    write(
        path,
        {"kind": "est", "board": target.name, "spreads": spreads(found), "records": found},
        command=f"make timing {target.variables}",
        board=target.name,
        configuration={"firmware": target.configuration.firmware, "pnr_options": target.fit.pnr_options},
        tools=tools,
    )
    _show(target, found, path)
    return path


def _synthesise(target: Target, directory: Path, environment: dict, tools: dict) -> tuple[Path, list[str]]:
    """A folder that has this netlist and no other, and nextpnr's options for it, as `make bitstream` has them."""
    gateware = directory / "gateware"
    script = (gateware / f"build_{target.name}.sh").read_text().splitlines()
    synthesis, placement = (
        shlex.split(next(line for line in script if line.startswith(tool))) for tool in ("yosys", "nextpnr-ecp5")
    )
    files = [gateware / f"{target.name}.{suffix}" for suffix in ("json", "lpf")]
    inputs = [path for pattern in ("*.v", "*.init", "*.ys") for path in gateware.glob(pattern)]
    stamp = Stamp(directory / "netlist.digest", digest(inputs, str(tools)))
    if not (stamp.is_current() and files[0].exists()):
        stamp.clear()
        log = directory / "synthesis.log"
        print(f"timing: {target.name}, synthesis, log in {log}", flush=True)
        files[0].unlink(missing_ok=True)
        with log.open("wb") as output:
            status = bitstream.run(synthesis, gateware, environment, output)
        if status != 0:
            raise TimingError(bitstream.failure(log))
        carries.open_unused(files[0])
        stamp.set()
    folder = directory / digest(files, str(tools))[:16]
    folder.mkdir(exist_ok=True)
    for file in files:
        (folder / file.name).unlink(missing_ok=True)
        os.link(file, folder / file.name)
    options = placement[1:]
    for option in ("--textcfg", "--report", "--seed"):
        place_of = options.index(option)
        del options[place_of : place_of + 2]
    return folder, options


def _show(target: Target, found: Records, path: Path) -> None:
    console = Console()
    clocks = Table("clock", "required MHz", "median MHz", "least", "most", "seeds", title=f"{target.name}: timing")
    for spread in spreads(found):
        figures = (f"{spread[name]:.2f}" for name in ("required_mhz", "median_mhz", "min_mhz", "max_mhz"))
        clocks.add_row(spread["clock"], *figures, str(spread["seeds"]))
    console.print(clocks)
    paths = Table("clock", "from", "to", "runs", title="what ends them")
    for names, count in endings(found):
        paths.add_row(*names, str(count))
    console.print(paths)
    for record in found:
        if "error" in record:
            console.print(f"seed {record['seed']}, {record['database']}: {record['error']}", soft_wrap=True)
    console.print(f"figures in {path}", soft_wrap=True)


def main() -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m gateware.flow.timing", description=__doc__.splitlines()[0])
    parser.add_argument("board", help=f"one of {', '.join(boards.names())}")
    parser.add_argument("configuration", nargs="?", default=DEFAULT, help=f"one of {', '.join(CONFIGURATIONS)}")
    parser.add_argument("--seeds", type=_count, default=SEEDS, help=f"how many, from 1 on (default {SEEDS})")
    parser.add_argument("--database", choices=DATABASES, help="time with this one alone (default: with each)")
    arguments = parser.parse_args()
    try:
        target = targets.load(arguments.board, arguments.configuration)
        directory = REPOSITORY / "build" / "timing" / target.name
        databases = [arguments.database] if arguments.database else list(DATABASES)
        run(target, directory, REPOSITORY / "build" / "results", range(1, arguments.seeds + 1), databases)
    except (targets.UnknownTargetError, FirmwareError, ZephyrError, TimingError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _count(text: str) -> int:
    if not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seeds: give 1 or more")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
