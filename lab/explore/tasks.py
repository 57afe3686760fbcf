# SPDX-License-Identifier: BSD-2-Clause
"""Defines the tasks of `lab.explore.family`, and stores their results in files. A task tells a worker process to build
one core on one FPGA part.

Netlists and measurements stay on the machine that built the core, and serve all parts. Records are kept by the caller.
"""

import fcntl
import json
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from statistics import median

from gateware.flow import toolchain
from gateware.flow.cache import REPOSITORY, Stamp, digest, write
from gateware.flow.mapped import NetlistError
from lab.explore.flow import DEVICES, Design, FlowError, load, netlist_digest, place, synthesise
from lab.explore.measure import WrongResult, measure
from lab.explore.members import PEERS, Member, Peer, members
from lab.explore.protocols import ProtocolError
from lab.explore.records import records

CACHE = REPOSITORY / "build" / "explore"
FAILURES = (FlowError, NetlistError, ProtocolError, WrongResult, ValueError)
Target = Member | Peer
# Modules of `lab.explore` that do not affect the results. If only their source changes, no core is built again.
UNRELATED = ("family", "tasks", "report", "plots", "isa", "bars", "ghash", "ghash_members", "lte", "lte_members")
UNRELATED += ("fpgas", "fpga_families")
# Modules that affect the simulation of a netlist.
MEASURING = ("measure", "mapped", "mapped_memories", "protocols")


@dataclass(frozen=True)
class Task:
    """The task to build one core on one device. Python can pickle it for a worker process.

    Attributes
    ----------
    name : str
        Name of the target.
    device : str
        Key of `DEVICES`.
    seeds : tuple of int
        Seeds of place-and-route. The clock is the median over them.
    versions : dict
        Versions of the tools.
    design : Design, optional
        A public core's source.
    """

    name: str
    device: str
    seeds: tuple[int, ...]
    versions: dict[str, str]
    design: Design | None = None

    @property
    def target(self) -> Target:
        """The core to build: one of our cores or a public core."""
        return TARGETS[self.name]

    @property
    def folder(self) -> Path:
        """The folder for this core's netlist, logs and results."""
        return CACHE / self.name

    @property
    def records(self) -> Path:
        """The file for the results of this task."""
        seeds = "-".join(map(str, self.seeds))
        return self.folder / f"records-{self.device}-{seeds}.json"

    def key(self) -> dict[str, str]:
        """Returns digests of everything that the results depend on: the tools, the flow and, for our own cores, the
        sources of all our AES cores.
        """
        flow, sources = _present()
        is_peer = isinstance(self.target, Peer)
        return {"flow": digest([], flow, json.dumps(self.versions)), "sources": "" if is_peer else sources}


@cache
def _present() -> tuple[str, str]:
    """Returns two digests of source files: one for the modules that build and measure cores, one for the modules that
    define our AES cores.
    """
    return _contents([file for file in _flow() if file.stem not in UNRELATED]), _contents(_sources("gateware/aes"))


def _flow() -> list[Path]:
    """Returns the source files of `lab.explore`, and those files of `gateware.flow` that simulate a netlist."""
    return [*_sources("lab/explore"), *(REPOSITORY / "gateware" / "flow").glob("mapped*.py")]


def _sources(folder: str) -> list[Path]:
    return sorted((REPOSITORY / folder).glob("*.py"))


def _contents(files: list[Path]) -> str:
    """Returns a digest of the names and contents of files. The digest does not depend on the repository's location."""
    return digest([], *(f"{file.name}\n{file.read_text()}" for file in files))


TARGETS: dict[str, Target] = {target.name: target for target in [*members(), *PEERS.values()]}


def build(task: Task) -> tuple[list[dict], str | None]:
    """Builds the core of a task. Returns the task's records and the digest of the core's netlist. If a step failed, the
    records contain the reason; if synthesis failed, the digest is None.
    """
    target = task.target
    task.folder.mkdir(parents=True, exist_ok=True)
    with (task.folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        figures: dict = {}
        try:
            environment = toolchain.environment(REPOSITORY / "build" / "tools")
            versions = json.dumps(task.versions)
            design, protocol = (task.design, target.protocol) if isinstance(target, Peer) else target.design()
            figures["area"] = synthesise(design, task.folder, environment, versions)
            figures["measurements"] = _measured(task, design.clock, protocol)
            device = DEVICES[task.device]
            figures["clocks"] = {seed: place(design, task.folder, device, seed, environment) for seed in task.seeds}
            figures["fmax"] = median(figures["clocks"].values())
        except FAILURES as error:
            figures["reason"] = str(error)
        netlist = (task.folder / "netlist.digest").read_text() if "area" in figures else None
        return records(target, DEVICES[task.device], **figures), netlist


def keep(task: Task, found: list[dict], netlist: str | None) -> None:
    """Stores the records of a task in the task's file, with digests of everything that the records depend on."""
    task.folder.mkdir(parents=True, exist_ok=True)
    write(task.records, json.dumps({"key": task.key(), "netlist": netlist, "records": found}, indent=1) + "\n")


def _measured(task: Task, clock: str, protocol) -> list[dict]:
    """Returns the simulation results of the core's netlist. The results are the same for all FPGA parts, so one file
    next to the netlist stores them.
    """
    path = task.folder / "measured.json"
    simulation = _contents([file for file in _flow() if file.stem in MEASURING])
    value = digest([], (task.folder / "netlist.digest").read_text(), simulation)
    stamp = Stamp(task.folder / "measured.digest", value)
    if not stamp.is_current():
        stamp.clear()
        found = measure(load(task.folder / "core.json"), clock, protocol, task.target.key_lengths)
        path.write_text(json.dumps([asdict(measurement) for measurement in found]) + "\n")
        stamp.set()
    return json.loads(path.read_text())


def up_to_date(task: Task) -> list[dict] | None:
    """Returns the stored records of a task; None if there are no records, or if something that they depend on has
    changed.
    """
    if not task.records.exists():
        return None
    kept, key = json.loads(task.records.read_text()), task.key()
    if kept["key"] != key:
        # A change of a source file does not always change this core. So compute the digest of the core's netlist from
        # the current sources, and compare it with the stored digest.
        if kept["key"]["flow"] != key["flow"] or not _is_of_this_design(task, kept.get("netlist")):
            return None
        keep(task, kept["records"], kept["netlist"])
    return kept["records"]


def _is_of_this_design(task: Task, netlist: str | None) -> bool:
    if isinstance(task.target, Peer) or not netlist:
        return False
    return netlist == _wanted_netlist(task.target, json.dumps(task.versions))


@cache
def _wanted_netlist(member: Member, versions: str) -> str | None:
    """Computes the netlist digest of one of our cores from the current sources; None if its parameters are invalid."""
    try:
        return netlist_digest(member.design()[0], versions)
    except ValueError:
        return None
