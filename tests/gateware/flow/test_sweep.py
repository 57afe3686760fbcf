# SPDX-License-Identifier: BSD-2-Clause
"""Test sweeps, which run many tasks in parallel. A sweep on two workers of a Dask scheduler must return the same bytes
as a sweep on two processes without Dask. Also test time limits, and how a sweep ends.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import zlib
from io import BytesIO
from pathlib import Path

import psutil
import pytest

from gateware.flow import sweep, timing, toolchain
from gateware.flow.cache import REPOSITORY
from gateware.flow.place import place
from gateware.flow.sweep import Failed, SweepError, Workers
from gateware.flow.worker import extract
from tests.gateware.flow.waiting import die, kill_worker, wait
from tests.waiting import HANG_S, until

# This folder is not in /tmp, because YoWASP's tools cannot read files there.
FOLDER = REPOSITORY / "build" / "tests" / "sweep"
DESIGN = "module top(input clk, input [3:0] a, output reg [3:0] q); always @(posedge clk) q <= q + a; endmodule"
OPTIONS = ["--25k", "--package", "CABGA256", "--json", "top.json", "--lpf", "top.lpf", "--lpf-allow-unconstrained"]


class Lab:
    """A Dask scheduler and its workers, all on this machine. A real lab runs the same programs on several machines."""

    def __init__(self, folder):
        """Start the scheduler. Write a tool into `folder`, which is in the PATH of the workers only."""
        self.workers = []
        (folder / "tool").write_text("#!/bin/sh\necho Version 0.1\n")
        (folder / "tool").chmod(0o755)
        self.path = f"{folder}{os.pathsep}{os.environ['PATH']}"
        environment = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
        command = ["dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0"]
        self.scheduler, self.address = self._start(command, r"Scheduler at: +(\S+)", environment, folder)

    def _start(self, command, told, environment, folder):
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{command[0]}", *command[1:]],
            cwd=folder,
            env={**os.environ, "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False", **environment},
            stderr=subprocess.PIPE,
            text=True,
        )
        for line in process.stderr:
            if found := re.search(told, line):
                threading.Thread(target=process.stderr.read, daemon=True).start()
                return process, found[1]
        raise AssertionError(f"{command} has ended")

    def have(self, count):
        """Start or kill workers until `count` of them run; return their processes."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        for worker in self.workers[count:]:
            worker.kill()
            worker.wait()
        for _ in range(count - len(self.workers)):
            command = ["dask_worker", self.address, "--no-nanny", "--no-dashboard", "--nthreads", "1"]
            command += ["--host", "127.0.0.1", "--memory-limit", "0"]
            worker, _ = self._start(command, r"Registered to: +(\S+)", {"PATH": self.path}, REPOSITORY)
            self.workers.append(worker)
        self.workers = self.workers[:count]
        return self.workers

    def end(self):
        self.have(0)
        self.scheduler.kill()
        self.scheduler.wait()


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab"))
    yield lab
    lab.end()


@pytest.fixture
def workers(request):
    """Return the workers for a sweep: two processes on this machine, or two workers of the lab."""
    if request.param == "here":
        return Workers(2)
    lab = request.getfixturevalue("lab")
    lab.have(2)
    return Workers(scheduler=lab.address)


everywhere = pytest.mark.parametrize("workers", ["here", "lab"], indirect=True)


def swept(function, tasks, workers, **options):
    """Run a sweep; return its results by name, in the order in which they arrived."""
    results = {}
    sweep.run(function, tasks, results.__setitem__, workers, **options)
    return results


def alive(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def running(folder, count):
    """Wait until `count` tasks have started; return (name, process id, worker's process id) of each."""
    until(lambda: len(list(folder.glob("*.*.*"))) >= count)
    return [
        (name, int(pid), int(worker)) for name, pid, worker in (path.name.split(".") for path in folder.glob("*.*.*"))
    ]


@pytest.fixture(scope="module")
def files():
    """Return the files of a small design: netlist and constraints."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    (FOLDER / "top.v").write_text(DESIGN)
    (FOLDER / "top.lpf").write_text('FREQUENCY PORT "clk" 500 MHz;\n')
    command = ["yosys", "-q", "-p", "read_verilog top.v; synth_ecp5 -top top -json top.json"]
    environment = toolchain.environment(REPOSITORY / "build" / "tools")
    subprocess.run(command, cwd=FOLDER, env=environment, check=True, capture_output=True, timeout=300)
    return [FOLDER / "top.json", FOLDER / "top.lpf"]


def test_two_workers_give_the_bytes_of_a_serial_run_and_what_is_kept_is_not_done_again(lab, files):
    lab.have(2)
    tools = toolchain.versions(toolchain.environment(REPOSITORY / "build" / "tools"), ["nextpnr-ecp5"])
    kept = FOLDER / "kept"

    def placed(workers):
        return timing.placed(kept, files, OPTIONS, [1, 2], ["LFE5U"], workers, tools)

    found = placed(Workers(scheduler=lab.address))
    serial = {seed: json.dumps(place(FOLDER, seed, OPTIONS)[0]).encode() for seed in (1, 2)}
    stored = {seed: next(kept.glob(f"{seed}-*.json")) for seed in (1, 2)}
    assert {seed: path.read_bytes() for seed, path in stored.items()} == serial
    assert serial[1] != serial[2] and [record["seed"] for record in found] == [1, 2]

    stored[1].write_text('[{"error": "kept"}]')
    assert placed(Workers(scheduler="tcp://127.0.0.1:1")) == [
        {"seed": 1, "error": "kept", "database": "LFE5U"},
        found[1],
    ]


@everywhere
def test_an_interrupt_ends_all_that_was_started(workers, tmp_path):
    def interrupt():
        running(tmp_path, 2)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        swept(wait, {name: (str(tmp_path), name) for name in "abc"}, workers)
    begun = running(tmp_path, 2)
    until(lambda: not any(alive(pid) for _, pid, _ in begun))
    assert all(alive(worker) for *_, worker in begun) and "c" not in [name for name, *_ in begun]


@everywhere
def test_a_call_that_raises_is_told_in_a_line(workers):
    with pytest.raises(SweepError, match=r"^ValueError: invalid literal for int\(\) with base 10: 'x'$"):
        swept(int, {"x": ("x",)}, workers)


def test_a_worker_of_other_versions_is_given_nothing(lab, tmp_path):
    lab.have(2)
    with pytest.raises(
        SweepError, match=r"^worker tcp://127\S+: tool is Version 0.1 there, Version 7 here: bring both"
    ):
        swept(wait, {"a": (str(tmp_path), "a")}, Workers(scheduler=lab.address), tools={"tool": "Version 7"})
    assert list(tmp_path.iterdir()) == []


def test_tasks_of_a_worker_that_dies_are_done_by_another(lab, tmp_path):
    lab.have(2)
    ended = []

    def kill_one():
        (name, pid, worker), _ = running(tmp_path, 2)
        os.kill(worker, signal.SIGKILL)
        try:
            until(lambda: not alive(pid))
            ended.append(name)
        finally:
            (tmp_path / "go").touch()

    killer = threading.Thread(target=kill_one)
    killer.start()
    tasks = {name: (str(tmp_path), name) for name in "ab"}
    assert swept(wait, tasks, Workers(scheduler=lab.address)) == {"a": "a", "b": "b"}
    killer.join()
    assert sorted(name for name, *_ in running(tmp_path, 3)) == sorted([*ended, "a", "b"])


@pytest.mark.thorough  # this test is slow, because it needs a third worker
def test_a_task_that_ends_its_worker_each_time_is_given_a_bounded_number_of_times(lab):
    lab.have(2)
    outcome = swept(kill_worker, {"bad": ()}, Workers(scheduler=lab.address))
    assert outcome == {"bad": Failed("its worker died each time")}
    assert lab.have(0) == []


def test_a_task_whose_process_is_killed_each_time_has_failed(tmp_path):
    failed = Failed("its process was ended by SIGKILL each time")
    assert swept(die, {"bad": (str(tmp_path),)}, Workers(1)) == {"bad": failed}
    assert len(list(tmp_path.iterdir())) == 1 + sweep.RETRIES


def test_tasks_are_begun_in_their_order():
    assert list(swept(int, {name: (name,) for name in "314"}, Workers(1)).values()) == [3, 1, 4]


def refused(*arguments, **options):
    with pytest.raises(SweepError) as error:
        swept(os.getpid, {"task": ()}, *arguments, **options)
    (line,) = str(error.value).splitlines()
    return line


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x"])
def test_a_scheduler_that_does_not_answer_is_named(address, monkeypatch):
    monkeypatch.setattr(sweep, "CONNECT_S", 1)
    line = refused(Workers(scheduler=address))
    assert line.startswith(f"no Dask scheduler answers at {address}: start it there with `.venv/bin/dask scheduler`")


def test_a_scheduler_without_workers_is_named_with_what_starts_one(lab, monkeypatch):
    lab.have(0)
    monkeypatch.setattr(sweep, "WORKER_S", 1)
    line = refused(Workers(scheduler=lab.address))
    assert f"no worker connected to {lab.address} for 1 s: start one by `make worker SCHEDULER={lab.address}`" in line


def test_on_this_machine_nothing_listens_but_on_loopback():
    def take(name, result):
        connections = psutil.Process().net_connections("inet")
        listening.update(c.laddr.ip for c in connections if c.status == psutil.CONN_LISTEN)

    listening = set()
    sweep.run(os.getpid, {"task": ()}, take, Workers(1))
    assert listening <= {"127.0.0.1", "::1"}


def test_commands_that_give_no_tasks_import_no_dask():
    program = "import sys, gateware.flow.timing; print({'dask', 'distributed'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, timeout=300)
    assert done.stdout == "set()\n", done.stderr


def test_a_bundle_is_all_sources_and_inputs_and_nothing_that_git_ignores():
    bundle = sweep._bundle({"a": b"A"})
    assert bundle == sweep._bundle({"a": b"A"}) != sweep._bundle({"a": b"B"})
    with tarfile.open(fileobj=BytesIO(zlib.decompress(bundle))) as archive:
        members = {member.name: member for member in archive}
        assert archive.extractfile("inputs/a").read() == b"A"
    assert members[".ci/setup"].mode == 0o755 and members[str(Path(__file__).relative_to(REPOSITORY))].mode == 0o644
    assert not {".git", ".venv", "build", "__pycache__"} & {part for name in members for part in Path(name).parts}


@pytest.mark.thorough  # this test is slow, because it starts its workers by the command that `make` uses
def test_a_worker_as_make_starts_it_listens_where_it_reaches_the_scheduler_and_does_tasks(lab):
    lab.have(0)
    command = [sys.executable, "-m", "gateware.flow.sweep", "--jobs", "2", "--scheduler", lab.address]
    process = psutil.Popen(command, cwd=REPOSITORY, stderr=subprocess.DEVNULL)
    try:
        found = swept(os.getppid, {name: () for name in "abc"}, Workers(scheduler=lab.address))
        (worker,) = {psutil.Process(pid) for pid in found.values()}
        connections = [c for each in (process, worker) for c in each.net_connections("inet")]
        assert {c.laddr.ip for c in connections if c.status == psutil.CONN_LISTEN} == {"127.0.0.1"}
    finally:
        process.terminate()
        process.wait(HANG_S)


def test_a_worker_without_a_scheduler_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(sweep, "CONNECT_S", 1)
    monkeypatch.setattr("sys.argv", ["sweep", "--scheduler", "tcp://127.0.0.1:1"])
    assert sweep.main() == 1
    assert capsys.readouterr().err.startswith("error: no Dask scheduler answers at tcp://127.0.0.1:1: ")


@pytest.mark.thorough  # this test is slow, because Dask tries for several seconds to reconnect
def test_a_scheduler_that_is_lost_is_told(lab, tmp_path):
    lab.have(1)

    def end():
        running(tmp_path, 1)
        lab.end()

    threading.Thread(target=end).start()
    with pytest.raises(SweepError, match="the scheduler was lost: the same command resumes"):
        swept(wait, {"a": (str(tmp_path), "a")}, Workers(scheduler=lab.address))


@pytest.mark.parametrize("filtered", [True, False], ids=["filters", "Python before 3.11.4"])
@pytest.mark.parametrize(("name", "kind"), [("../a", "file"), ("/a", "file"), ("a", "link"), ("a/b", "file")])
def test_only_files_inside_the_folder_are_extracted(tmp_path, monkeypatch, filtered, name, kind):
    if not filtered:
        monkeypatch.delattr(tarfile, "data_filter", raising=False)
    elif not hasattr(tarfile, "data_filter"):
        pytest.skip("this Python has no filters for archives")
    member = tarfile.TarInfo(name)
    member.size = 3
    if kind == "link":
        member.type, member.linkname, member.size = tarfile.SYMTYPE, "/etc/passwd", 0
    written = BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        archive.addfile(member, BytesIO(b"abc"))
    written.seek(0)
    folder = tmp_path / "folder"
    folder.mkdir()
    with tarfile.open(fileobj=written) as archive, contextlib.suppress(tarfile.TarError):
        extract(archive, folder)
    found = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if not path.is_dir())
    assert found == {"a/b": ["folder/a/b"], "/a": ["folder/a"] * filtered}.get(name, [])
    assert not Path("/a").exists()
