"""The family of AES cores on ECP5, beside public cores: ``python -m gateware.explore.family`` (`make explore`).

Each member is synthesised, simulated as it was mapped (cycles, correctness, switching activity), placed and
routed (`flow`, `measure`), on two parts: 85F at speed grade 8 and 25F at speed grade 6. The whole family takes
hours on a small machine. What is done is kept in ``build/explore`` by the contents it was made from, so that a run
can be broken off and taken up, or cover a part of the family; what is compared most is built first. A member
that cannot be built is in the results with the reason. Public cores are measured from checkouts that the user names.

Writes ``build/results/explore.json`` and plots beside it, from everything that is up to date.
"""

import argparse
import fcntl
import json
import signal
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache, partial
from os import cpu_count
from pathlib import Path
from statistics import median

from cipherlane import results

from gateware.explore import report
from gateware.explore.bars import verdict
from gateware.explore.flow import DEVICES, SYNTHESIS, TARGET_MHZ, FlowError, load, netlist_digest, place, synthesise
from gateware.explore.measure import WrongResult, measure
from gateware.explore.members import DATAPATHS, ENGINES, KEY_SETS, PEERS, SBOXES, SLOTS, Member, Peer, members, urgency
from gateware.explore.netlist import NetlistError
from gateware.explore.protocols import ProtocolError
from gateware.explore.records import records
from gateware.flow import toolchain
from gateware.flow.cache import Stamp, digest

REPOSITORY = Path(__file__).resolve().parents[2]
CACHE = REPOSITORY / "build" / "explore"
RESULTS = REPOSITORY / "build" / "results"
DEFAULT_DEVICES = ("85F-8", "25F-6")
FAILURES = (FlowError, NetlistError, ProtocolError, WrongResult, ValueError)
Target = Member | Peer
# Modules of this folder that results do not depend on.
UNRELATED = ("family", "report", "plots", "isa", "bars")
# Those that a measurement depends on, apart from the netlist.
MEASURING = ("measure", "memories", "netlist", "protocols")


@dataclass(frozen=True)
class Task:
    """One target on one device; picklable.

    Attributes
    ----------
    name : str
        Of the target.
    device : str
        Key of `DEVICES`.
    seeds : tuple of int
        Seeds of place-and-route. The clock is the median over them.
    checkout : Path or None
        Where a public core's source is.
    versions : dict
        Of the tools.
    """

    name: str
    device: str
    seeds: tuple[int, ...]
    checkout: Path | None
    versions: dict[str, str]

    @property
    def target(self) -> Target:
        """What is built."""
        return TARGETS[self.name]

    @property
    def folder(self) -> Path:
        """Where the netlist, logs and results are kept."""
        return CACHE / self.name

    @property
    def records(self) -> Path:
        """Where the results of this task are kept."""
        seeds = "-".join(map(str, self.seeds))
        return self.folder / f"records-{self.device}-{seeds}.json"

    def key(self) -> dict[str, str]:
        """Digests of what the results depend on: tools and flow, and for the family its sources."""
        flow, sources = _present()
        is_peer = isinstance(self.target, Peer)
        return {"flow": digest([], flow, json.dumps(self.versions)), "sources": "" if is_peer else sources}


@cache
def _present() -> tuple[str, str]:
    """Digests of the flow and of the family's sources."""
    return _contents([file for file in _sources("explore") if file.stem not in UNRELATED]), _contents(_sources("aes"))


def _sources(folder: str) -> list[Path]:
    return sorted((REPOSITORY / "gateware" / folder).glob("*.py"))


def _contents(files: list[Path]) -> str:
    """A digest that is the same wherever the repository lies."""
    return digest([], *(f"{file.name}\n{file.read_text()}" for file in files))


TARGETS: dict[str, Target] = {target.name: target for target in [*members(), *PEERS.values()]}


def build(task: Task) -> list[dict]:
    """The records of one task, built if they are not up to date; a failure is a record too.

    Raises
    ------
    FileNotFoundError
        The checkout of a public core has not its files.
    """
    target = task.target
    task.folder.mkdir(parents=True, exist_ok=True)
    with (task.folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = up_to_date(task)
        if kept is not None:
            return kept
        figures: dict = {}
        try:
            environment = toolchain.environment(REPOSITORY / "build" / "tools")
            versions = json.dumps(task.versions)
            design, protocol = target.read(task.checkout) if isinstance(target, Peer) else target.design()
            figures["area"] = synthesise(design, task.folder, environment, versions)
            figures["measurements"] = _measured(task, design.clock, protocol)
            device = DEVICES[task.device]
            figures["clocks"] = {seed: place(design, task.folder, device, seed, environment) for seed in task.seeds}
            figures["fmax"] = median(figures["clocks"].values())
        except FAILURES as error:
            figures["reason"] = str(error)
        found = records(target, DEVICES[task.device], **figures)
        _keep(task, task.key(), found)
        return found


def _keep(task: Task, key: dict[str, str], found: list[dict]) -> None:
    task.records.write_text(json.dumps({"key": key, "records": found}, indent=1) + "\n")


def _measured(task: Task, clock: str, protocol) -> list[dict]:
    """Measurements of the netlist; they are the same for every device and kept beside it."""
    path = task.folder / "measured.json"
    simulation = _contents([file for file in _sources("explore") if file.stem in MEASURING])
    value = digest([], (task.folder / "netlist.digest").read_text(), simulation)
    stamp = Stamp(task.folder / "measured.digest", value)
    if not stamp.is_current():
        stamp.clear()
        found = measure(load(task.folder / "core.json"), clock, protocol, task.target.key_lengths)
        path.write_text(json.dumps([asdict(measurement) for measurement in found]) + "\n")
        stamp.set()
    return json.loads(path.read_text())


def up_to_date(task: Task) -> list[dict] | None:
    """The kept records of a task, or None if there are none or what they were made from has changed."""
    if not task.records.exists():
        return None
    kept, key = json.loads(task.records.read_text()), task.key()
    if kept["key"] != key:
        # Sources may have changed elsewhere: what counts is the Verilog that they make.
        if kept["key"]["flow"] != key["flow"] or not _is_same_design(task):
            return None
        _keep(task, key, kept["records"])
    return kept["records"]


def _is_same_design(task: Task) -> bool:
    netlist = task.folder / "netlist.digest"
    if isinstance(task.target, Peer) or not netlist.exists():
        return False
    return netlist.read_text() == _wanted_netlist(task.target, json.dumps(task.versions))


@cache
def _wanted_netlist(member: Member, versions: str) -> str | None:
    """The digest of a member's netlist, None if there is no such member."""
    try:
        return netlist_digest(member.design()[0], versions)
    except ValueError:
        return None


def write(tasks: list[Task], versions: dict[str, str]) -> dict:
    """Writes ``explore.json`` and the plots from all that is up to date, and returns the contents."""
    kept = [(task, up_to_date(task)) for task in tasks]
    found = [record for _, done in kept for record in done or []]
    content = {
        "kind": "est",
        "target_mhz": TARGET_MHZ,
        "seeds": list(tasks[0].seeds),
        "missing": sum(done is None and task.device in DEFAULT_DEVICES for task, done in kept),
        "records": [{**record, "bars": verdict(record, found)} for record in found],
    }
    results.write(
        RESULTS / "explore.json",
        content,
        command="make explore",
        board="none: each core alone",
        configuration={"synthesis": SYNTHESIS},
        tools=versions,
    )
    for name, text in report.plots(content["records"]).items():
        (RESULTS / f"explore-{name}.svg").write_text(text)
    return content


def arguments(words: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m gateware.explore.family", description=__doc__.splitlines()[0])
    parser.add_argument("--device", nargs="+", choices=DEVICES, default=list(DEFAULT_DEVICES), metavar="DEVICE")
    for option, values in (("datapath", DATAPATHS), ("sbox", tuple(SBOXES)), ("keys", tuple(KEY_SETS))):
        parser.add_argument(f"--{option}", nargs="+", choices=values, help="build these only")
    for option, numbers in (("engines", ENGINES), ("slots", SLOTS)):
        parser.add_argument(f"--{option}", nargs="+", type=int, choices=numbers, help="build these only")
    parser.add_argument("--no-family", action="store_true", help="build public cores only")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=FOLDER", help=f"of: {', '.join(PEERS)}")
    parser.add_argument("--seeds", type=int, default=1, help="place-and-route runs, seeds 1 to this (default 1)")
    parser.add_argument("--jobs", type=int, default=cpu_count(), help="processes at a time (default: all cores)")
    parser.add_argument("--collect", action="store_true", help="build nothing: write the results from what is there")
    parsed = parser.parse_args(words)
    if parsed.seeds < 1 or parsed.jobs < 1:
        parser.error("--seeds and --jobs are at least 1")
    parsed.checkouts = {}
    for text in parsed.peer:
        name, _, folder = text.partition("=")
        if name not in PEERS:
            parser.error(f"--peer {text}: unknown core {name!r}: choose of {', '.join(PEERS)}")
        if not folder:
            parser.error(f"--peer {text}: name the folder as {name}=FOLDER; the core is at {PEERS[name].where}")
        parsed.checkouts[name] = Path(folder).resolve()
    return parsed


def is_selected(target: Target, options: argparse.Namespace) -> bool:
    """Whether a run with these options builds a target."""
    if isinstance(target, Peer):
        return target.core in options.checkouts
    chosen = ("datapath", "sbox", "keys", "engines", "slots")
    wanted = all(getattr(options, name) is None or getattr(target, name) in getattr(options, name) for name in chosen)
    return wanted and not options.no_family


def main() -> None:
    """Builds what is out of date, writes the results, prints the tables."""
    options = arguments()
    try:
        versions = toolchain.versions(toolchain.environment(REPOSITORY / "build" / "tools"))
    except toolchain.ToolError as error:
        raise SystemExit(f"explore: error: {error}") from error

    def task(name: str, device: str) -> Task:
        target = TARGETS[name]
        return Task(name, device, tuple(range(1, options.seeds + 1)), options.checkouts.get(target.core), versions)

    everything = [task(name, device) for device in DEVICES for name in TARGETS]
    tasks = [t for t in everything if t.device in options.device and is_selected(t.target, options)]
    tasks = sorted(tasks, key=lambda t: urgency(t.target, t.device))
    for name in PEERS.keys() - options.checkouts.keys():
        print(f"explore: {name} is not built: give a checkout with --peer {name}=FOLDER; it is at {PEERS[name].where}")
    if not options.collect:
        try:
            _build_all(tasks, everything, options.jobs)
        except KeyboardInterrupt:
            raise SystemExit("explore: stopped; the same command goes on where it was") from None
    report.show(write(everything, versions))


def _build_all(tasks: list[Task], everything: list[Task], jobs: int) -> None:
    """Builds tasks in their order, and writes the results after each."""
    quiet = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with ProcessPoolExecutor(jobs, initializer=quiet) as pool:
        futures = {pool.submit(build, task): task for task in tasks}
        try:
            for n, future in enumerate(as_completed(futures), 1):
                task = futures[future]
                try:
                    done = report.line(future.result()[0])
                except FileNotFoundError as error:
                    done = f"left out: {error}"
                print(f"explore: {n} of {len(tasks)}: {task.device} {task.name}: {done}", flush=True)
                write(everything, task.versions)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


if __name__ == "__main__":
    main()
