# SPDX-License-Identifier: BSD-2-Clause
import contextlib
import itertools
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from math import inf
from pathlib import Path
from types import SimpleNamespace

import pytest
from cipherlane.cli import main
from cipherlane.errors import SimulatedBoardError
from cipherlane.link.device import Device
from cipherlane.transport import namespace, open_transport, simboard
from cipherlane.transport.serial import SerialTransport
from cipherlane.transport.sim import SimTransport
from cipherlane.transport.simboard import SimulatedBoard, find_board

from tests.waiting import HANG_S, grows, until

from .simbuild import make_build

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the simulated board runs only on Linux")


@pytest.fixture
def build(tmp_path, monkeypatch):
    directory = make_build(tmp_path / "sim")
    monkeypatch.setenv("CIPHERLANE_SIM", str(directory))
    return directory


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Let simulators create their temporary folders in a folder of the test; return that folder."""
    path = tmp_path / "folders"
    path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    monkeypatch.setenv("TMPDIR", str(path))
    return path


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_sim_port_starts_and_stops_a_board(build, folders):
    transport = open_transport("sim")
    pid = transport.board.pid
    with Device(transport) as device:
        assert device.info().kind == "sim"
        assert not list(folders.iterdir()), "the simulator has read its files"
    assert not alive(pid)
    assert json.loads((build / "gateware" / "sim_config.js").read_text())[1]["args"] == {"port": "1234"}


def test_clients_come_one_after_the_other_and_boards_side_by_side(build):
    with SimulatedBoard() as one, SimulatedBoard(build) as two:
        assert one.port != two.port
        for board in (one, two, one):
            with Device(SerialTransport(board.url)) as device:
                assert device.info().board == "model"


def test_the_board_runs_apart_and_outlives_a_client_that_leaves(build):
    with SimulatedBoard() as board:
        assert os.getpgid(board._process.pid) != os.getpgid(0), "Ctrl-C does not reach it"
        ignored = int(board.output().split("SigIgn:")[1].split()[0], 16)
        assert ignored >> 12 & 1, "SIGPIPE is ignored"


def test_console_is_the_simulator_s_standard_input_and_output(build):
    with SimulatedBoard(build) as board, pytest.raises(SimulatedBoardError, match="has no console"):
        board.enter("help\n")
    description = json.loads((build / "board.json").read_text())
    (build / "board.json").write_text(json.dumps({**description, "console": True}))
    program = build / "gateware" / "obj_dir" / "Vsim"
    echo = "#!/bin/sh\nexec 3<&0\nwhile read line; do echo heard $line; done <&3 &\n"
    program.write_text(program.read_text().replace("#!/bin/sh\n", echo, 1))
    with SimulatedBoard(build) as board:
        board.enter("aes stat\n")
        until(lambda: "heard aes stat\n" in board.output(), board.output)


def test_not_built(tmp_path, monkeypatch):
    monkeypatch.setenv("CIPHERLANE_SIM", str(tmp_path))
    with pytest.raises(SimulatedBoardError, match=r"no simulated board found: run `make sim`.*CIPHERLANE_SIM"):
        SimulatedBoard()


def test_no_board_is_run_because_it_lies_where_the_user_works(tmp_path, monkeypatch):
    planted = make_build(tmp_path / "build" / "sim")
    monkeypatch.delenv("CIPHERLANE_SIM", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    checkout = Path(__file__).parents[2]
    try:
        assert find_board() == checkout / "build" / "sim"
    except SimulatedBoardError as error:
        assert not (checkout / "build" / "sim" / "board.json").exists(), error
    with Device(open_transport(f"sim:{planted}")) as device:
        assert device.info().board == "model", "a board that was named is run"


def test_an_installed_tool_has_no_checkout_to_look_in(tmp_path, monkeypatch):
    site_packages = tmp_path / "lib" / "python3" / "site-packages"
    make_build(site_packages.parent / "build" / "sim")
    for package in ("cipherlane", "cipherlane_base"):
        shutil.copytree(Path(simboard.__file__).parents[2] / package, site_packages / package)
    monkeypatch.delenv("CIPHERLANE_SIM", raising=False)
    program = "from cipherlane.transport import simboard; print(simboard.__file__); simboard.find_board()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(site_packages)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=HANG_S,
    )
    assert str(site_packages) in done.stdout
    assert "SimulatedBoardError: no simulated board found" in done.stderr


def given_up_after(monkeypatch, board, text):
    """Replace the clock: the time limit for the start of `board` passes as soon as the board's log contains `text`."""
    passed = itertools.chain([0.0], iter(lambda: inf if text in board.log_tail() else 0.0, None))
    simulated = SimpleNamespace(monotonic=lambda: next(passed), sleep=time.sleep)
    monkeypatch.setattr(simboard, "time", simulated)


def test_a_board_that_others_can_reach_is_not_used(tmp_path):
    extra = "import socket; create = socket.create_server; socket.create_server = lambda at: create(('0.0.0.0', at[1]))"
    build = make_build(tmp_path / "sim", extra=extra)
    with pytest.raises(SimulatedBoardError, match=r"does not belong to the simulated board.*model peer listens"):
        SimulatedBoard(build).start()


@pytest.mark.parametrize("when", ["before", "after"])
def test_nothing_is_sent_to_a_port_of_another_process(tmp_path, when):
    """The simulator reports a port that belongs to another process. The host must notice this before it connects, or
    directly after it has connected, and must send nothing.
    """
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        stranger.setblocking(False)
        extra = f"tell = lambda _: tether.sendall(b'{stranger.getsockname()[1]}\\n')"
        build = make_build(tmp_path / "sim", extra=extra)
        with pytest.MonkeyPatch.context() as patch:
            if when == "after":
                genuine, answers = simboard._listens, iter((True,))
                patch.setattr(simboard, "_listens", lambda *words: next(answers, None) or genuine(*words))
            with pytest.raises(SimulatedBoardError, match=r"port \d+ of 127\.0\.0\.1 does not belong to the simulated"):
                SimTransport(build)
        if when == "after":
            connection, _ = stranger.accept()
            with connection:
                assert connection.recv(100) == b"", "it was connected to, and hung up on"
        else:
            with pytest.raises(BlockingIOError):
                stranger.accept()


KILLED = """
import os, signal, sys, threading
from cipherlane.transport.simboard import SimulatedBoard
moment, lines = int(sys.argv[1]), 0
def trace(frame, event, argument):
    global lines
    if "simboard" in frame.f_code.co_filename or "subprocess" in frame.f_code.co_filename:
        lines += 1
        if lines == moment:
            os.kill(os.getpid(), signal.SIGKILL)
    return trace
sys.settrace(trace)
with SimulatedBoard():
    pass
sys.settrace(None)
os.write(1, b"%d" % lines)
"""


def processes_of(folder):
    """Return the processes whose environment variables contain the path `folder`."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if str(folder).encode() in (process / "environ").read_bytes():
                found.add(int(process.name))
    return found


@pytest.mark.parametrize("moment", [0, 60, 180, 300, 350, 390])
def test_nothing_outlives_a_tool_that_is_killed(build, folders, moment):
    """While the tool starts or ends a board, kill the tool after it has executed `moment` lines. With `moment` = 0, do
    not kill the tool. Afterwards, no process and no temporary folder must remain.
    """
    program = [sys.executable, "-c", KILLED, str(moment)]
    done = subprocess.run(program, stdin=subprocess.DEVNULL, capture_output=True, timeout=HANG_S)
    if done.returncode:
        assert done.returncode == -signal.SIGKILL, done.stderr
    else:
        assert moment == 0 or int(done.stdout) < moment, done.stderr
    until(
        lambda: not processes_of(folders) and not list(folders.iterdir()),
        lambda: (processes_of(folders), list(folders.iterdir())),
    )


def test_a_folder_that_cannot_be_laid_out_is_gone_again(tmp_path, folders):
    build = make_build(tmp_path / "sim")
    (build / "gateware" / "obj_dir" / "Vsim").chmod(0o600)
    with pytest.raises(SimulatedBoardError, match=r"its log ends: .*Vsim: Permission denied"):
        SimulatedBoard(build).start()
    assert not list(folders.iterdir())


@pytest.mark.parametrize("text", ["not json", "{}", "[]"])
def test_unusable_description(build, text):
    (build / "board.json").write_text(text)
    with pytest.raises(SimulatedBoardError, match=r"unusable .*board\.json"):
        SimulatedBoard()


def test_program_that_ends_at_once_is_quoted(tmp_path):
    build = make_build(tmp_path / "sim", program="#!/bin/sh\necho bad memory image\nexit 3\n")
    with pytest.raises(SimulatedBoardError, match="ended with status 3; its log ends: bad memory image"):
        SimulatedBoard(build).start()


def test_program_that_is_missing(tmp_path):
    build = make_build(tmp_path / "sim")
    (build / "gateware" / "obj_dir" / "Vsim").unlink()
    with pytest.raises(SimulatedBoardError, match="cannot start the simulated board"):
        SimulatedBoard(build).start()


def with_ethernet(build):
    description = json.loads((build / "board.json").read_text())
    (build / "board.json").write_text(json.dumps({**description, "ip_address": "192.168.1.50"}))
    return build


def test_program_that_is_missing_is_no_want_of_privilege(tmp_path):
    build = with_ethernet(make_build(tmp_path / "sim"))
    (build / "gateware" / "obj_dir" / "Vsim").unlink()
    with pytest.raises(SimulatedBoardError, match="cannot start the simulated board"):
        SimulatedBoard(build).start()


@pytest.mark.parametrize(
    ("launcher", "reason"),
    [
        ("echo unshare: unshare failed: Operation not permitted; exit 1", "Operation not permitted"),
        ("echo /dev/net/tun: No such file or directory; exit 77", "No such file"),
    ],
)
def test_missing_privilege_is_one_clear_line(tmp_path, monkeypatch, launcher, reason):
    monkeypatch.setattr(namespace, "command", lambda *words: ["sh", "-c", launcher])
    with pytest.raises(SimulatedBoardError, match=f"{reason}.*run as root, or use --port sim"):
        SimulatedBoard(with_ethernet(make_build(tmp_path / "sim"))).start()


def test_configuration_without_a_uart(tmp_path):
    build = make_build(tmp_path / "sim")
    (build / "gateware" / "sim_config.js").write_text("[]")
    with pytest.raises(SimulatedBoardError, match="has no module loopback_uart"):
        SimulatedBoard(build).start()


def test_program_that_never_listens(tmp_path, monkeypatch):
    board = SimulatedBoard(make_build(tmp_path / "sim", program="#!/bin/sh\necho idle\nexec sleep 3600\n"))
    given_up_after(monkeypatch, board, "idle")
    with pytest.raises(SimulatedBoardError, match=r"does not listen after .*idle"):
        board.start()
    assert board._process is None


def test_death_in_mid_conversation_is_explained(tmp_path):
    extra = "import os; board._counters = lambda *_: (print('assertion failed', flush=True), os._exit(4))"
    build = make_build(tmp_path / "sim", extra=extra)
    expected = r"ended with status 4; its log ends: .*assertion failed"
    with Device(SimTransport(build)) as device:
        device.info()
        with pytest.raises(SimulatedBoardError, match=expected):
            device.counters()


def test_figures_say_what_made_the_simulated_board(build, tmp_path):
    description = json.loads((build / "board.json").read_text())
    (build / "board.json").write_text(json.dumps({**description, "tools": {"gcc": "12.2.0"}}))
    results = tmp_path / "bench.json"
    words = ["bench", "--port", f"sim:{build}", "--engine", "ise", "--key-bits", "128", "--results", str(results)]
    assert main(words) == 0
    provenance = json.loads(results.read_text())["provenance"]
    assert provenance["tools"]["gcc"] == "12.2.0" and provenance["board"] == "model"
    assert provenance["command"] == shlex.join(["cipherlane", *words])
    assert provenance["configuration"]["clock_hz"] == 75_000_000


def test_command_that_is_terminated_stops_its_board(tmp_path):
    build, key = make_build(tmp_path / "sim", extra="SocketBoard.most = 10"), "00" * 16
    big = tmp_path / "in"
    big.write_bytes(bytes(100_000))
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "cipherlane.cli",
            "encrypt",
            "--port",
            f"sim:{build}",
            "--timeout",
            str(HANG_S),
            "--key",
            key,
            "--raw",
            "--iv",
            key,
            big,
            f"{big}.out",
        ]
    )
    part = tmp_path / "in.out.part"
    grows(part, 0, process)
    children = _children(process.pid)
    assert children
    process.terminate()
    assert process.wait(HANG_S) == 143
    assert not any(alive(child) for child in children)
    assert not (tmp_path / "in.out").exists()


def _children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]
