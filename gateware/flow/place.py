# SPDX-License-Identifier: BSD-2-Clause
"""Places and routes a netlist with one seed of nextpnr, and reports the slowest path of each clock."""

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import constraints, toolchain
from .cache import REPOSITORY

Records = list[dict]


def place(folder: Path, seed: int, options: Sequence[str]) -> tuple[Records, bytes]:
    """Places and routes a netlist with one seed; returns the timing of each clock, and nextpnr's log.

    Parameters
    ----------
    folder : Path
        Folder in which the command runs; it leaves no files there.
    seed : int
        nextpnr's seed.
    options : sequence of str
        All other options of nextpnr, with its files' names relative to the folder.

    Returns
    -------
    list of dict
        The result of `records`; only `error`, if nextpnr made no report.
    bytes
        The log.
    """
    folder = folder.resolve()
    environment = toolchain.environment(REPOSITORY / "build" / "tools")
    with tempfile.TemporaryDirectory(dir=folder) as work:
        report, log = Path(work, "report.json"), Path(work, "log")
        command = ["nextpnr-ecp5", *options, "--seed", str(seed), "--timing-allow-fail"]
        command += ["--report", str(report.relative_to(folder))]
        with log.open("wb") as output:
            status = toolchain.run(command, folder, environment, output)
        if report.exists():
            found = records(json.loads(report.read_text()))
        elif status is None:
            found = [{"error": f"not done after {toolchain.LIMIT_S // 3600} hours"}]
        else:
            found = [{"error": toolchain.error(log)}]
        return found, log.read_bytes()


def records(report: dict) -> Records:
    """Returns a dictionary for each clock in nextpnr's report: name, required and achieved frequency, slowest path.

    `path_from` and `path_to` are the path's first and last cells, `path_nets` the nets between them in order.
    `logic_ns` and `routing_ns` are its delays; clock-to-output and set-up count as logic.
    """
    found = []
    for net, clock in sorted(report["fmax"].items()):
        edges = {f"{edge} {net}" for edge in ("posedge", "negedge")}
        (path, *_) = [p["path"] for p in report["critical_paths"] if {p["from"], p["to"]} <= edges]
        routing = [step for step in path if step["type"] == "routing"]
        found.append(
            {
                "clock": (name := constraints.clock_name(net, clock["constraint"])),
                "required_mhz": round(constraints.required_mhz(name, clock["constraint"]), 2),
                "achieved_mhz": round(clock["achieved"], 2),
                "path_from": path[0]["from"]["cell"],
                "path_to": path[-1]["to"]["cell"],
                "path_nets": [step["net"] for step in routing],
                "logic_ns": round(sum(step["delay"] for step in path) - sum(step["delay"] for step in routing), 2),
                "routing_ns": round(sum(step["delay"] for step in routing), 2),
            }
        )
    return found
