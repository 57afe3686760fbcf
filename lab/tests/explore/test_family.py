# SPDX-License-Identifier: BSD-2-Clause
"""Test `make explore`: the command line, the designs that it builds and their order, and the results that it stores."""

import json
import shutil
import signal
import subprocess
import sys
from functools import partial

import pytest

from gateware.flow import sweep
from gateware.flow.cache import REPOSITORY
from lab.explore import family, flow, members, tasks
from lab.explore.family import arguments, is_selected
from lab.explore.members import PEERS, Member, urgency
from lab.explore.tasks import Task


def chosen(*words: str) -> list[str]:
    options = arguments(list(words))
    return [name for name, target in family.TARGETS.items() if is_selected(target, options)]


def refused(capsys, *words: str) -> str:
    with pytest.raises(SystemExit):
        arguments(list(words))
    return capsys.readouterr().err


def test_every_member_has_a_name_of_its_own():
    listed = list(members.members())
    assert len({member.name for member in listed}) == len(listed)
    datapaths, sboxes = {"32", "64", "128", "pipelined"}, {"lut", "canright", "onehot", "block_ram"}
    for keys, slots in (("128", 1), ("all", 8)):
        found = {(m.datapath, m.sbox) for m in listed if (m.engines, m.keys, m.slots) == (1, keys, slots)}
        assert found == {(datapath, sbox) for datapath in datapaths for sbox in sboxes}
    for engines in (2, 4):
        found = {(m.datapath, m.sbox) for m in listed if (m.engines, m.keys, m.slots) == (engines, "128", 1)}
        assert found == {(datapath, sbox) for datapath in datapaths - {"pipelined"} for sbox in ("lut", "canright")}
    assert {(m.datapath, m.engines) for m in listed if (m.keys, m.slots) == ("all", 1)} == {(d, 1) for d in datapaths}


def test_selection():
    assert chosen("--datapath", "128", "--sbox", "lut", "--engines", "1", "--keys", "128", "--slots", "1") == [
        "128-lut-1-128-1"
    ]
    assert len(chosen("--datapath", "32", "64", "--engines", "1")) == 2 * (4 * 2 + 2)
    assert not chosen("--no-family")


def test_public_cores_are_built_from_the_checkouts_given(tmp_path):
    assert chosen("--no-family", "--peer", f"usselmann={tmp_path}") == ["peer-usselmann"]
    assert arguments(["--peer", f"secworks={tmp_path}"]).checkouts == {"secworks": tmp_path}


@pytest.mark.parametrize(
    "words, message",
    [
        (["--datapath", "16"], "invalid choice: '16'"),
        (["--engines", "3"], "invalid choice: 3"),
        (["--device", "45F-6"], "invalid choice: '45F-6'"),
        (["--seeds", "0"], "'0' is not a valid number: give 1 or more"),
        (["--jobs", "0"], "'0' is not a valid number: give 1 or more"),
        (["--peer", "nobody=/"], "unknown core 'nobody': choose from usselmann, secworks, tiny_aes"),
        (["--peer", "secworks"], "name the folder as secworks=FOLDER; the core is at https://github.com/secworks/aes"),
    ],
)
def test_bad_command_lines_name_the_remedy(capsys, words, message):
    assert message in refused(capsys, *words)


def test_what_is_compared_most_is_built_first():
    order = sorted(
        [(target, device) for device in ("85F-8", "25F-6") for target in family.TARGETS.values()],
        key=lambda pair: urgency(*pair),
    )
    first = [(target.name, device) for target, device in order[:5]]
    assert first[:2] == [("128-lut-1-128-1", "85F-8"), ("pipelined-canright-1-128-1", "85F-8")]
    assert {name for name, _ in first[2:]} == {peer.name for peer in PEERS.values()}
    assert order[-1][0].engines == 4 and order[-1][1] == "25F-6"


def test_design_is_named_by_its_ports_and_repeats_itself():
    design, protocol = Member("32", "block_ram").design()
    other, _ = Member("32", "block_ram", slots=8).design()
    again, _ = Member("32", "block_ram").design()
    assert design.digest() == again.digest() != other.digest()
    text = design.sources["core.v"]
    assert all(f" {port}" in text for port in (design.clock, *protocol.keywords["ports"].values()))
    with pytest.raises(ValueError):
        Member("128", "lut", engines=3).design()


def test_a_checkout_without_the_files_is_refused_with_the_place_to_get_it(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no timescale\.v; the core is at https://opencores\.org"):
        PEERS["usselmann"].read(tmp_path)


def build_elsewhere(folder, task):
    """Build one design of `make explore` in a separate process. The build uses `folder`, so the folder of the real
    exploration remains unchanged.
    """
    tasks.CACHE = folder
    return tasks.build(task)


@pytest.fixture
def explored(tmp_path, monkeypatch, capsys):
    """Return a function that runs `make explore` only for the AES cores of other projects. The function returns the
    printed output and the stored results.
    """
    # The build folder is not in /tmp, because YoWASP's tools cannot read /tmp.
    work = REPOSITORY / "build" / "tests" / "explore"
    shutil.rmtree(work, ignore_errors=True)
    monkeypatch.setattr(tasks, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(family, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(family, "build", partial(build_elsewhere, work))
    monkeypatch.setattr(family.toolchain, "versions", lambda environment: {"yosys": "1"})

    def run(*words):
        monkeypatch.setattr("sys.argv", ["explore", "--no-family", "--device", "85F-8", *words])
        family.main()
        return capsys.readouterr().out, json.loads((tmp_path / "results" / "explore.json").read_text())

    return run


def test_a_run_goes_on_without_a_core_that_is_not_there(explored, tmp_path):
    shown, content = explored("--jobs", "1", "--peer", f"secworks={tmp_path / 'none'}")
    assert "peer-secworks: left out: secworks:" in shown and "the core is at https://github.com/secworks/aes" in shown
    assert "usselmann is not built: give a checkout with --peer usselmann=FOLDER" in shown
    assert content["provenance"]["command"] == "make explore" and content["provenance"]["tools"]["yosys"]
    assert content["records"] == [] and content["missing"] == 2 * len(family.TARGETS)


def test_a_core_that_yosys_refuses_is_in_the_results_and_not_built_again(explored, tmp_path):
    for name in PEERS["tiny_aes"].files:
        (tmp_path / name).write_text("module aes_128; nonsense; endmodule\n")
    shown, first = explored("--peer", f"tiny_aes={tmp_path}")
    assert "explore: 85F-8 peer-tiny_aes: failed: yosys: " in shown and "; 0 of 1 to go" in shown
    (record,) = first["records"]
    assert (record["core"], record["status"], first["missing"]) == ("tiny_aes", "failed", 2 * len(family.TARGETS) - 1)
    shown, second = explored("--peer", f"tiny_aes={tmp_path}", "--scheduler", "tcp://127.0.0.1:1")
    assert "to go" not in shown and second["records"] == first["records"]


def test_a_core_that_no_worker_came_to_an_end_with_is_in_the_results_and_tried_again(explored, tmp_path, monkeypatch):
    for name in PEERS["tiny_aes"].files:
        (tmp_path / name).touch()
    monkeypatch.setattr(family, "build", die)
    monkeypatch.setattr(sweep, "RETRIES", 0)
    for _ in range(2):
        shown, content = explored("--peer", f"tiny_aes={tmp_path}")
        assert "85F-8 peer-tiny_aes: failed: its process was ended by SIGKILL each time; 0 of 1 to go" in shown
        assert [record["reason"] for record in content["records"]] == ["its process was ended by SIGKILL each time"]


def die(task):
    signal.raise_signal(signal.SIGKILL)


@pytest.fixture
def task(tmp_path, monkeypatch):
    monkeypatch.setattr(tasks, "CACHE", tmp_path)
    return Task("32-block_ram-1-128-1", "85F-8", (1,), {"yosys": "1"})


def keep(task, netlist=None, **changed):
    tasks.keep(task, [{"kept": True}], netlist)
    kept = json.loads(task.records.read_text())
    task.records.write_text(json.dumps({**kept, "key": {**kept["key"], **changed}}))


def test_results_are_kept_by_content(task):
    assert tasks.up_to_date(task) is None
    keep(task)
    assert tasks.up_to_date(task) == [{"kept": True}]
    keep(task, flow="of another day")
    assert tasks.up_to_date(task) is None


def test_results_outlive_changes_that_leave_the_verilog_as_it_was(task):
    keep(task, sources="of another day")
    assert tasks.up_to_date(task) is None
    design, _ = task.target.design()
    keep(task, flow.netlist_digest(design, json.dumps(task.versions)), sources="of another day")
    assert tasks.up_to_date(task) == [{"kept": True}]
    assert json.loads(task.records.read_text())["key"] == task.key()


def test_other_tools_or_seeds_are_other_results(task):
    keep(task)
    assert tasks.up_to_date(Task(task.name, task.device, task.seeds, {"yosys": "2"})) is None
    assert tasks.up_to_date(Task(task.name, task.device, (1, 2), task.versions)) is None
    assert tasks.up_to_date(Task(task.name, "25F-6", task.seeds, task.versions)) is None


def test_a_member_that_does_not_exist_is_reported(task, monkeypatch):
    def refuse(self):
        raise ValueError("no such core")

    monkeypatch.setattr(Member, "design", refuse)
    (record,), netlist = tasks.build(task)
    assert netlist is None
    assert (record["status"], record["reason"]) == ("failed", "no such core")
    assert record["lut4"] is record["fmax_mhz"] is record["mbps"] is None


def test_the_command_imports_dask_only_for_tasks():
    program = "import sys, lab.explore.family; print({'dask', 'distributed'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, timeout=300)
    assert done.stdout == "set()\n", done.stderr
