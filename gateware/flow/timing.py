# SPDX-License-Identifier: BSD-2-Clause
"""Measures a target's clocks over several seeds: ``python -m gateware.flow.timing ecpix5 eth`` (`make timing`).

::

    SoC ─► Yosys ─► netlist ─┬─► nextpnr, seed 1, each database ─► records ─┐
                             └─► nextpnr, seed 2 ...                        ┴─► timing-<target>.json

One seed proves nothing: the result is the median of all seeds, with the slower of nextpnr's databases. The databases
differ in the block RAM's clock-to-output, 1.42 ns for an LFE5UM5G and 4.26 ns for an LFE5U of the same grade. Each seed
with each database is a task of its own (`gateware.flow.sweep`). Its records are kept under the netlist, the options and
the tools, so an interrupted run resumes where it stopped.
"""

import argparse
import json
import re
import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from statistics import median

from cipherlane_base.figures import commit, write
from rich.console import Console
from rich.table import Table

from .. import boards, targets
from ..configurations import DEFAULT
from ..targets import Target
from . import bitstream, cache, carries, sweep, toolchain
from .cache import Stamp, digest
from .firmware import REPOSITORY, FirmwareError, build_firmware
from .place import Records, place
from .sweep import INPUTS, Failed, SweepError, Workers
from .zephyr import ZephyrError

SEEDS = 8
# Maps the name of a timing database (an ECP5 family) to the beginning of nextpnr's option for a part. For example, the
# option `--um5g-85k` begins with `--um5g-`.
DATABASES = {"LFE5UM5G": "--um5g-", "LFE5U": "--"}
_PART = re.compile(r"^--(?:um5g-|um-)?(\d+k)$")
# Suffixes that synthesis and packing add to the name of a register or memory.
_SUFFIX = re.compile(r"(_TRELLIS_FF|_LUT4|_CCU2C|_PFUMX|_L6MUX21|_DP16KD|_TRELLIS_DPR16X4|\$|\.\d).*$")


class TimingError(RuntimeError):
    """Synthesis failed, or the requested target or option cannot be timed."""


def spreads(found: Records) -> Records:
    """Returns each clock's required frequency, and the median, minimum and maximum that the seeds achieve.

    Each seed counts with its slowest database. A seed with an `error` has reached no clock: it counts as 0 MHz.
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
    """Counts how often each (clock, first cell, last cell) is a slowest path; returns the most frequent first.

    The names omit the numbers of bits.
    """
    names = [
        (record["clock"], *(_SUFFIX.sub("", record[end]) for end in ("path_from", "path_to")))
        for record in found
        if "clock" in record
    ]
    return Counter(names).most_common()


def run(
    target: Target, directory: Path, results: Path, seeds: Sequence[int], databases: Sequence[str], workers: Workers
) -> Path:
    """Synthesises a target, places and routes it with each seed and timing database, writes ``timing-<target>.json``.

    Raises
    ------
    TimingError
        A tool is missing, synthesis failed, or the target is simulated.
    SweepError
        No worker can place it.
    """
    if target.board.simulated:
        raise TimingError(f"board {target.board.name} is simulated: it has no clock to measure")
    try:
        environment = toolchain.environment(REPOSITORY / "build" / "tools")
    except toolchain.ToolError as error:
        raise TimingError(str(error)) from error
    tools, measured = toolchain.versions(environment), commit()
    bitstream.write_sources(target, directory, build_firmware(target, directory / "firmware"))
    files, options = _synthesise(target, directory, environment, tools)
    folder = directory / digest(files, str(tools))[:16]
    found = placed(folder, files, options, seeds, databases, workers, tools)
    path = results / f"timing-{target.name}.json"
    write(
        path,
        {"kind": "est", "board": target.name, "spreads": spreads(found), "records": found},
        command=f"make timing {target.variables}" + (f" DATABASE={databases[0]}" if len(databases) == 1 else ""),
        board=target.name,
        configuration={"firmware": target.configuration.firmware, "pnr_options": target.fit.pnr_options},
        tools=tools,
        measured=measured,
    )
    _show(target, found, path)
    return path


def placed(
    folder: Path,
    files: Sequence[Path],
    options: Sequence[str],
    seeds: Sequence[int],
    databases: Sequence[str],
    workers: Workers,
    tools: dict[str, str],
) -> Records:
    """Returns the timing of each pair of seed and timing database. Workers run nextpnr for pairs without stored timing.

    Parameters
    ----------
    folder : Path
        Folder that keeps the records of this netlist and these tools.
    files : sequence of Path
        Netlist and constraints, as the options name them.
    options : sequence of str
        nextpnr's options for one of the databases.
    seeds, databases : sequences
        Seeds, and names of databases.
    workers : Workers
        The workers that place the netlist.
    tools : dict
        Versions of the tools.

    Returns
    -------
    list of dict
        `seed`, `database`, and the result of `gateware.flow.place.records`, or `error`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    runs, tasks, failed = {}, {}, {}
    for seed, database in product(seeds, databases):
        of_database = [_PART.sub(rf"{DATABASES[database]}\1", option) for option in options]
        kept = folder / f"{seed}-{digest([], *of_database)[:16]}.json"
        runs[f"seed {seed}, {database}"] = seed, database, kept
        if not kept.exists():
            tasks[f"seed {seed}, {database}"] = INPUTS, seed, of_database

    def take(name: str, result: tuple[Records, bytes] | Failed) -> None:
        if isinstance(result, Failed):
            failed[name] = [{"error": result.reason}]  # failures are not stored, so the next run tries again
        else:
            kept = runs[name][2]
            kept.with_suffix(".log").write_bytes(result[1])
            cache.write(kept, json.dumps(result[0]))
        print(f"timing: {name} is done, log in {folder}", flush=True)

    print(f"timing: {len(tasks)} of {len(runs)} runs of nextpnr to do, some minutes each", flush=True)
    sweep.run(place, tasks, take, workers, inputs={file.name: file.read_bytes() for file in files}, tools=tools)
    return [
        {"seed": seed, **record, "database": database}
        for name, (seed, database, kept) in runs.items()
        for record in failed.get(name) or json.loads(kept.read_text())
    ]


def _synthesise(target: Target, directory: Path, environment: dict, tools: dict) -> tuple[list[Path], list[str]]:
    """Synthesises a target; returns the netlist and constraints files, and nextpnr's options as in `make bitstream`."""
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
            status = toolchain.run(synthesis, gateware, environment, output)
        if status != 0:
            raise TimingError(toolchain.failure(log))
        carries.open_unused(files[0])
        stamp.set()
    options = placement[1:]
    for option in ("--textcfg", "--report", "--write", "--seed"):
        place_of = options.index(option)
        del options[place_of : place_of + 2]
    return files, options


def _show(target: Target, found: Records, path: Path) -> None:
    console = Console()
    clocks = Table("clock", "required MHz", "median MHz", "least", "most", "seeds", title=f"{target.name}: timing")
    for spread in spreads(found):
        figures = (f"{spread[name]:.2f}" for name in ("required_mhz", "median_mhz", "min_mhz", "max_mhz"))
        clocks.add_row(spread["clock"], *figures, str(spread["seeds"]))
    console.print(clocks)
    paths = Table("clock", "from", "to", "runs", title="slowest paths")
    for names, count in endings(found):
        paths.add_row(*names, str(count))
    console.print(paths)
    for record in found:
        if "error" in record:
            console.print(f"seed {record['seed']}, {record['database']}: {record['error']}", soft_wrap=True)
    console.print(f"results in {path}", soft_wrap=True)


def main() -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m gateware.flow.timing", description=__doc__.splitlines()[0])
    parser.add_argument("board", help=f"one of {', '.join(boards.names())}")
    parser.add_argument("configuration", nargs="?", default=DEFAULT, help="features joined by +; see `make boards`")
    parser.add_argument("--seeds", type=sweep.count, default=SEEDS, help=f"how many, from 1 on (default {SEEDS})")
    parser.add_argument("--database", choices=DATABASES, help="time with this one alone (default: with each)")
    sweep.add_options(parser)
    arguments = parser.parse_args()
    workers = Workers(arguments.jobs, arguments.scheduler)
    try:
        target = targets.load(arguments.board, arguments.configuration)
        directory = REPOSITORY / "build" / "timing" / target.name
        databases = [arguments.database] if arguments.database else list(DATABASES)
        run(target, directory, REPOSITORY / "build" / "results", range(1, arguments.seeds + 1), databases, workers)
    except (targets.UnknownTargetError, FirmwareError, ZephyrError, TimingError, SweepError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("timing: stopped; the same command resumes", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
