# SPDX-License-Identifier: BSD-2-Clause
"""Places and routes generated cores on FPGAs other than the ECP5: ``python -m lab.explore.fpgas``.

::

    gateware.cores ─┬─► core ──► Yosys ──► core.json ─────┐
                    │                │ ports              ├─► top.json ──► nextpnr ──► clock
                    └─► shift registers ──► harness.json ─┘

The core is synthesised by itself, so that no optimisation crosses its border. Netlists and results of seeds are kept,
so an interrupted run resumes. What a tool cannot do becomes a record with the reason.
"""

import argparse
import json
from pathlib import Path
from statistics import median
from typing import Any

from cipherlane_base.figures import write
from rich.console import Console

from gateware.cores import catalogue, family
from gateware.cores.__main__ import Job, jobs
from gateware.cores.write import files
from gateware.flow import toolchain
from gateware.flow.cache import REPOSITORY, Stamp, digest
from gateware.flow.sweep import count
from lab.explore.flow import TARGET_MHZ, fmax, load
from lab.explore.fpga_families import FAMILIES, Failure, Family, failure
from lab.explore.records import BLOCK_BITS

LIMIT_S = 600  # time limit of one run of a tool
# The cores to build, in the syntax of `make core`. None of these cores contains ECP5 cells.
CORES = (
    "aes datapath=32 sbox=tower key_lengths=128",
    "aes datapath=128 sbox=tower key_lengths=128",
    "ctr datapath=32 sbox=tower key_lengths=128",
    "ghash cycles=16",
    "ghash cycles=8",
    "gcm datapath=32 sbox=tower key_lengths=128 cycles=16 depth=16",
)


class ToolFailed(RuntimeError):
    """A tool produced no result; the exception's argument is a `Failure` with the reason."""


class TooLate(ToolFailed):
    """A tool did not finish within `LIMIT_S` seconds."""


def job(core: str) -> Job:
    """Parse `core`, a description such as those in `CORES`. Return the core's kind, its option values and its name."""
    ((found,), _) = jobs(core.split())
    return found


def cycles_per_block(core: str) -> int:
    """Return the number of cycles from one block to the next in a long message, with AES-128."""
    _, values, _ = job(core)
    ciphers = [family.block_cycles(values, 128)] if "datapath" in values else []
    return max([*ciphers, *([values["cycles"]] if "cycles" in values else [])])


def run(step: str, command: list[str], folder: Path, environment: dict[str, str]) -> None:
    """Run `command`, and write the tool's output to the log file ``<step>.log`` in `folder`.

    Raises
    ------
    ToolFailed, TooLate
        It failed, or did not end within the limit.
    """
    log, tool = folder / f"{step}.log", command[0].removeprefix("yowasp-")
    with log.open("wb") as output:
        status = toolchain.run(command, folder, environment, output, LIMIT_S)
    if status is None:
        late = f"{tool} is not done after {LIMIT_S // 60} minutes"
        raise TooLate(Failure(late, late))
    if status:
        raise ToolFailed(failure(tool, log))


def synthesise(core: str, fpga: Family, folder: Path, environment: dict[str, str], tools: str) -> dict[str, int]:
    """Write ``core.json`` and ``top.json`` unless they are up to date; return the resources of the core.

    Raises
    ------
    ToolFailed
        Yosys refuses the core.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kind, values, name = job(core)
    texts = files(kind, values, name)
    sources = [f"{name}.v", f"{name}_ecp5.v"]
    for source in sources:
        (folder / source).write_text(texts[source])
    scripts = (fpga.core_script(name), fpga.harness_script(name))
    stamp = Stamp(folder / "netlist.digest", digest([], *map(texts.get, sources), *scripts, tools))
    if not stamp.is_current():
        stamp.clear()
        run("core", ["yosys", "-q", "-p", scripts[0]], folder, environment)
        module = load(folder / "core.json")
        ports = [f"{port['direction']} [{len(port['bits']) - 1}:0] {name}" for name, port in module["ports"].items()]
        (folder / "ports.v").write_text(f"(* blackbox *) module {name}({', '.join(ports)}); endmodule\n")
        run("harness", ["yosys", "-q", "-p", scripts[1]], folder, environment)
        whole = json.loads((folder / "harness.json").read_text())
        module["attributes"].pop("top")
        whole["modules"][name] = module
        (folder / "top.json").write_text(json.dumps(whole))
        stamp.set()
    return fpga.resources(json.loads((folder / "top.json").read_text())["modules"][name])


def place(fpga: Family, folder: Path, seed: int, environment: dict[str, str]) -> dict[str, Any]:
    """Return nextpnr's report for one seed. Take the report of an earlier run if the netlist, command and constraints
    are unchanged.

    Raises
    ------
    ToolFailed
        The core does not fit, or nextpnr fails.
    """
    command = fpga.place_command(seed, TARGET_MHZ)
    for name, text in fpga.constraints.items():
        (folder / name).write_text(text)
    netlist = (folder / "netlist.digest").read_text()
    stamp = Stamp(folder / f"{seed}.digest", digest([], netlist, *command, *fpga.constraints.values()))
    if not stamp.is_current():
        stamp.clear()
        run(str(seed), command, folder, environment)
        stamp.set()
    return json.loads((folder / f"{seed}.json").read_text())


def build(
    core: str, fpga: Family, seeds: range, folder: Path, environment: dict[str, str], tools: str
) -> dict[str, Any]:
    """Synthesise, place and route a core on a part; return its record. If a step failed, the record contains the
    reason.

    After a seed that takes too long, no other one is tried.
    """
    try:
        area = synthesise(core, fpga, folder, environment, tools)
    except ToolFailed as error:
        return record(core, fpga, None, {}, {seeds[0]: error.args[0]})
    reports, failures = {}, {}
    for seed in seeds:
        try:
            reports[seed] = place(fpga, folder, seed, environment)
        except ToolFailed as error:
            failures[seed] = error.args[0]
            if isinstance(error, TooLate):
                break
    return record(core, fpga, area, reports, failures)


def record(
    core: str, fpga: Family, area: dict[str, int] | None, reports: dict[int, dict], failures: dict[int, Failure]
) -> dict[str, Any]:
    """Return the results of a core on an FPGA part as a record. `area` is None if there is no netlist. `reports` and
    `failures` are indexed by seed.
    """
    found: dict[str, Any] = {"core": core, "family": fpga.name, "part": fpga.part, "speed": fpga.speed}
    found |= {"unit": fpga.unit, **(area or {"logic": None, "ff": None, "bram": None})}
    found |= {
        "seeds": sorted({*reports, *failures}),
        "placed": len(reports),
        "filled": None,
        "cycles_per_block": cycles_per_block(core),
        "mbps": None,
    }
    found |= {"fmax_mhz": None, "fmax_least_mhz": None, "fmax_most_mhz": None}
    if reports:
        clocks = [fmax(report) for report in reports.values()]
        mhz = median(clocks)
        found |= {"fmax_mhz": round(mhz, 2), "fmax_least_mhz": round(min(clocks), 2)}
        found |= {
            "fmax_most_mhz": round(max(clocks), 2),
            "mbps": round(BLOCK_BITS * mhz / found["cycles_per_block"], 1),
        }
        found["filled"] = round(max(map(fpga.filled, reports.values())), 4)
    reasons = [{"seed": seed, "reason": each.reason, "error": each.error} for seed, each in failures.items()]
    return found | {"failures": reasons}


def main() -> None:
    """Build each core on each part. Write ``build/results/explore-fpgas.json`` after each record."""
    parser = argparse.ArgumentParser(prog="python -m lab.explore.fpgas", description=__doc__.splitlines()[0])
    parser.add_argument("--device", nargs="+", choices=FAMILIES, default=list(FAMILIES), metavar="DEVICE")
    parser.add_argument("--seeds", type=count, help="runs of place-and-route, from seed 1 on")
    options = parser.parse_args()
    chosen = {name: FAMILIES[name] for name in options.device}
    console, records = Console(soft_wrap=True), []
    path = REPOSITORY / "build" / "results" / "explore-fpgas.json"
    catalogue.load()
    try:
        environment = toolchain.environment(REPOSITORY / "build" / "tools")
        versions = toolchain.versions(environment, ("yosys", *(fpga.program for fpga in chosen.values())))
        if missing := [tool for tool, version in versions.items() if version == "missing"]:
            raise toolchain.ToolError(f"{', '.join(missing)}: missing; `make explore-fpgas` installs it")
        for device, fpga in chosen.items():
            seeds = range(1, (options.seeds or fpga.seeds) + 1)
            for core in CORES:
                folder = REPOSITORY / "build" / "explore-fpgas" / device / job(core)[2]
                tools = versions["yosys"] + versions[fpga.program]
                records.append(found := build(core, fpga, seeds, folder, environment, tools))
                shown = f"{found['fmax_mhz']} MHz" if found["placed"] else found["failures"][0]["reason"]
                console.print(f"explore-fpgas: {fpga.part}: {core}: {shown}", style="dim")
                write(
                    path,
                    {"kind": "est", "target_mhz": TARGET_MHZ, "records": records},
                    command="make explore-fpgas",
                    board="none: each core alone",
                    configuration={"synthesis": [each.synthesis for each in chosen.values()]},
                    tools=versions,
                )
    except toolchain.ToolError as error:
        raise SystemExit(f"explore-fpgas: error: {error}") from error
    except KeyboardInterrupt:
        raise SystemExit("explore-fpgas: stopped; the same command resumes") from None
    console.print(f"results in {path}")


if __name__ == "__main__":
    main()
