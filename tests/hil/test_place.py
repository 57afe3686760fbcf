# SPDX-License-Identifier: BSD-2-Clause
"""Tests how the suite reserves boards, which labgrid calls places. A real coordinator and a real exporter run on this
machine; the boards are simulated.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cipherlane.transport import namespace

from tests.hil import place
from tests.hil.support import BUILD, LIMIT_S, REPOSITORY, command, runs
from tests.waiting import HANG_S, until

PROGRAMS = Path(sys.executable).parent
READY_S = HANG_S
# The exporter prints these two messages in either order. The messages show that the exporter is connected and has
# exported its last resource. The test does not wait for the lines `add resource`, because these lines can stay in the
# exporter's buffer.
EXPORTS = r"(?s)(?=.*Exporter ready)(?=.*queued update for resource sim_eth/SimulatedBoard)"


def started(words, folder, ready):
    """Start a process and wait until its output matches `ready`; return the process and the match."""
    log = folder / f"{Path(words[-1]).name.replace(':', '_')}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(words, cwd=folder, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    until(lambda: re.search(ready, log.read_text()) or process.poll() is not None, log.read_text)
    match = re.search(ready, log.read_text())
    assert match, log.read_text()
    return process, match


def ended(process):
    process.terminate()
    try:
        process.wait(HANG_S)
    finally:
        process.kill()


@pytest.fixture(scope="module")
def coordinator(tmp_path_factory):
    """Start a coordinator, and an exporter of the boards `sim` and `sim_eth`; yield the coordinator's host and port."""
    folder = tmp_path_factory.mktemp("lab")
    os.environ["PYTHONPATH"] = str(REPOSITORY)
    resources = folder / "resources.yaml"
    boards = ("sim", "sim_eth")
    cable = "cable:\n  JtagCable: {match: {ID_VENDOR_ID: ffff}}\n"
    exported = (f"{name}:\n  SimulatedBoard:\n    directory: {BUILD / name}\n" for name in boards)
    resources.write_text(cable + "".join(exported))
    server, listening = started([PROGRAMS / "labgrid-coordinator", "-l", "127.0.0.1:0"], folder, r"listening on (\S+)")
    try:
        at = listening[1]
        words = [sys.executable, "-m", "tests.hil.exporter", "-c", at, "-n", "bench", "--hostname", "127.0.0.1"]
        exporter, _ = started([*words, resources], folder, EXPORTS)
        try:
            yield at
        finally:
            ended(exporter)
    finally:
        ended(server)


def create_place(coordinator, board):
    """Create a place for a board at the coordinator. The place is named after the board."""
    there = ("-p", f"{board}_place")
    place.client(coordinator, *there, "create")
    place.client(coordinator, *there, "set-tags", f"board={board}")
    place.client(coordinator, *there, "add-match", f"bench/{board}/*")


def test_one_client_has_a_place_while_another_waits(coordinator, tmp_path, monkeypatch):
    words = ["sim", "--coordinator", coordinator, "--select", "service or identity or faults"]
    create_place(coordinator, "sim")
    monkeypatch.setenv("LG_USERNAME", "first")
    with place.acquired(coordinator, ["board=sim"], READY_S):
        owners = place.client(coordinator, "who")
        status, said = command(*words, "--wait", "2", "--results", tmp_path, LG_USERNAME="third")
        assert status == 1
        assert f"hil: error: no place with board=sim was free at {coordinator} in 2 s: wait longer" in said
        assert "/third" not in place.client(coordinator, "reservations"), "nobody waits behind one who gave up"
        second = subprocess.Popen(
            [sys.executable, "-m", "tests.hil", *words, "--results", tmp_path, "--wait", str(HANG_S)],
            cwd=REPOSITORY,
            env={**os.environ, "LG_USERNAME": "second"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            waiting = r"/second\b[\s\S]*waiting"
            until(lambda: re.search(waiting, place.client(coordinator, "reservations")), lambda: "it did not ask")
            assert second.poll() is None, "it waits"
            assert "first" in owners and "second" not in place.client(coordinator, "who")
        except BaseException:
            second.kill()
            raise
    said, _ = second.communicate(timeout=LIMIT_S)
    assert second.returncode == 0, said
    assert re.search(r"^hil: 4 checks qualify sim \(kind sim\)$", said, re.MULTILINE), said
    (run,) = runs(tmp_path / "sim.jsonl")
    assert run["place"] == "sim_place"
    assert "sim_place" not in place.client(coordinator, "who"), "it was given back"


def test_a_place_is_given_back_however_late_it_is_interrupted(coordinator, monkeypatch):
    """The test interrupts the client just after the coordinator has granted the place. The place must be released."""
    with contextlib.suppress(place.PlaceError):  # another test may have created the place
        create_place(coordinator, "sim")
    ask = place.client

    def interrupted(*words, **options):
        said = ask(*words, **options)
        if "acquire" in words:
            assert "sim_place" in ask(coordinator, "who")
            raise KeyboardInterrupt
        return said

    monkeypatch.setattr(place, "client", interrupted)
    with pytest.raises(KeyboardInterrupt), place.acquired(coordinator, ["board=sim"], READY_S):
        raise AssertionError
    assert "sim_place" not in ask(coordinator, "who")


def test_any_cable_is_exported_as_one_that_clients_know(coordinator):
    """The JTAG cables of two boards, ULX3S and Colorlight i5, have chips that labgrid does not know. So the exporter
    offers every cable under a labgrid class that clients know.
    """
    said = place.client(coordinator, "-vv", "resources")
    assert "(bench/cable/NetworkUSBDebugger[/JtagCable])" in said


@pytest.mark.thorough  # this test takes half a minute, and differs from the other tests only by its transport, UDP
def test_a_board_with_ethernet(coordinator, tmp_path):
    """Run the suite on a simulated board with Ethernet and the fast path. If this user may not create the board's
    network, skip the test and print the reason.
    """
    probe = subprocess.run(namespace.command("/bin/true"), capture_output=True, text=True)
    if probe.returncode and not os.environ.get("CI"):
        pytest.skip(f"no network namespace with a TAP device: {probe.stderr.strip()}")
    create_place(coordinator, "sim_eth")
    words = ["--place", "sim_eth_place", "--select", "service or identity or every_byte and fastpath and 128"]
    status, said = command("sim", "eth", "--coordinator", coordinator, "--results", tmp_path, *words)
    assert status == 0, said
    (run,) = runs(tmp_path / "sim_eth.jsonl")
    assert (run["place"], run["target"], run["passed"]) == ("sim_eth_place", "sim_eth", 4)
    assert "sim_eth_place" not in place.client(coordinator, "who"), "it was given back"


@pytest.mark.thorough  # this test takes half a minute; other tests also run the code that releases the place
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_interrupted_gives_its_place_back(coordinator, tmp_path, number):
    with contextlib.suppress(place.PlaceError):  # another test may have created the place
        create_place(coordinator, "sim")
    words = ["sim", "--coordinator", coordinator, "--results", tmp_path, "--soak", "600", "--select", "soak"]
    process = subprocess.Popen([sys.executable, "-m", "tests.hil", *map(str, words)], cwd=REPOSITORY)
    try:
        until(lambda: "sim_place" in place.client(coordinator, "who") or process.poll() is not None)
        process.send_signal(number)
        assert process.wait(LIMIT_S) != 0
    finally:
        process.kill()
    assert "sim_place" not in place.client(coordinator, "who")
    assert not (tmp_path / "sim.jsonl").exists()
