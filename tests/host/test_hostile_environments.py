# SPDX-License-Identifier: BSD-2-Clause
"""Tests the host tool in hostile environments: 200 random runs, and defects that such runs found."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cipherlane import boundary, settings
from cipherlane.errors import PortError
from cipherlane.transport.serial import SerialTransport

from .commands import ON_POSIX, command, one_line_error
from .model import PeerBoard, SocketBoard

ROOT = Path(__file__).parents[2]
RUNS = 200
CIPHERLANE = [sys.executable, "-m", "cipherlane.start"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what is hostile here is Linux's")


def test_environments_by_seed():
    words = [sys.executable, "-m", "tests.host.hostile_environments", "--runs", str(RUNS)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{RUNS} runs, 0 failed" in done.stdout


def shell(script, **variables):
    """Run a line of shell code in which $TOOL stands for the command `cipherlane`."""
    environment = {**os.environ, "CIPHERLANE_CONFIG": "", "TOOL": " ".join(CIPHERLANE), **variables}
    return subprocess.run(["sh", "-c", script], capture_output=True, env=environment, timeout=300)


def test_closed_streams():
    done = shell("$TOOL config <&- >&- 2>&-; echo status $?")
    assert (done.stdout, done.stderr) == (b"status 2\n", b"")
    done = shell("$TOOL config >&-")
    assert done.returncode == 2 and b"cannot write standard output: Bad file descriptor; send it to" in done.stderr
    assert shell("$TOOL config 2>&-").returncode == 0, "what is shown there is no part of the result"


def test_a_closed_stream_s_number_is_no_file_s(tmp_path):
    """If the standard streams are closed, a file that the tool opens must not get the file descriptor of such a stream.
    Otherwise, output to the stream would go into the file.
    """
    key = tmp_path / "key"
    done = shell(f"$TOOL keygen {key} <&- >&- 2>&-")
    assert re.fullmatch(r"[0-9a-f]{64}\n", key.read_text()), done


@pytest.mark.parametrize("words", ["config", "--help", "--version", "keygen --help"])
def test_a_full_output(words):
    done = shell(f"$TOOL {words} >/dev/full")
    assert done.returncode == 2
    assert "cannot write standard output: No space left on device" in one_line_error(done.stderr.decode())


def test_full_streams_where_no_further_file_can_be_opened():
    """The tool must end with the command's exit status, even if Python cannot flush the standard streams at exit and
    would return another status.
    """
    program = """
import resource, sys
import cipherlane.boundary
def fail():
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    sys.stdout.write("text")
    return 5
sys.exit(cipherlane.boundary.guarded(fail, str))
"""
    with open("/dev/full", "w") as full:
        words = [sys.executable, "-c", program]
        buffered = {**os.environ, "PYTHONUNBUFFERED": ""}
        done = subprocess.run(words, env=buffered, stdout=full, stderr=full, timeout=300)
    assert done.returncode == 5


def test_names_that_the_terminal_cannot_show():
    """If the name of a port is not valid text, the error shows it with escapes, even without Python's UTF-8 mode."""
    environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii:strict"}
    done = shell("$TOOL info --port $(printf '\\377\\376')", **environment)
    assert done.returncode == 3 and rb"no port \udcff\udcfe: connect the board" in done.stderr
    with SocketBoard(PeerBoard(name="\u00e9".encode())) as board:
        done = shell(f"$TOOL info --port {board.url}", **environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("columns", ["0", "1", "-1", "x", "\u00b2", "9" * 5000])
def test_widths_that_no_terminal_has(columns):
    with SocketBoard(PeerBoard()) as board:
        status, stdout, stderr = command("info", "--port", board.url, env={"COLUMNS": columns})
    assert status == 0 and b"board" in stdout and b"firm" in stdout, stderr


@pytest.mark.parametrize("baud", ["0", "-1", "99999999999", "x"])
def test_speeds_that_no_port_has(baud):
    status, _, stderr = command("info", "--port", "/dev/null", "--baud", baud)
    assert status == 2 and "argument --baud: " in stderr
    with pytest.raises(ValueError, match=r"1 to 100000000|invalid literal"):
        settings.baud(baud)


@ON_POSIX
def test_errors_of_termios_are_the_port_s():
    """In recent C libraries, tcsetattr refuses unsupported speeds. The error termios.error must become a PortError."""
    import termios

    class Port:
        write_timeout = timeout = 0

        def fail(self, *_):
            raise termios.error(22, "Invalid argument")

        write = read = send_break = fail

    transport = SerialTransport("port", port=Port())
    for use in (transport.resync, transport.send_break, lambda: transport.receive(0.1)):
        with pytest.raises(PortError, match="check the board and its cable"):
            use()


@pytest.mark.parametrize(
    "words",
    [["info", "--port", "udp://\udcff"], ["find", "--network", "\udcff"], ["null-board", "--listen", "udp://\udcff"]],
)
def test_names_of_hosts_that_cannot_be_encoded(words):
    status, _, stderr = command(*words)
    assert status in (2, 3) and "fault" not in one_line_error(stderr)


def test_a_way_to_a_port_that_pyserial_lacks():
    status, _, stderr = command("info", "--port", "hwgrep://(")
    assert status == 3 and "cannot open port hwgrep://(" in one_line_error(stderr)


@pytest.mark.parametrize("step", [1, 40, 120])
def test_an_interruption_while_the_tool_is_loaded_is_silent(step):
    program = f"""
import os, signal, sys
import cipherlane.start
left = {step}
def hook(event, arguments):
    global left
    if event == "import" and signal.getsignal(signal.SIGINT) == signal.SIG_DFL:
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(hook)
sys.argv = ["cipherlane", "--version"]
sys.exit(cipherlane.start.main())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=300)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, b"")


def test_a_tool_that_cannot_be_loaded_says_so():
    program = "import sys; sys.modules['rich'] = None; import cipherlane.start; sys.exit(cipherlane.start.main())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert "the tool cannot be loaded (ModuleNotFoundError" in one_line_error(done.stderr)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (TypeError("0011"), "a fault of this tool, TypeError in "),
        (RecursionError(), "a fault of this tool, RecursionError in "),
        (MemoryError(), "not enough memory: end other programs"),
        (RuntimeError("can't start new thread"), "no further thread can be started"),
        (OSError(24, "Too many open files"), "Too many open files ("),
    ],
    ids=repr,
)
def test_what_nobody_foresaw_is_one_line_that_repeats_no_value(capsys, error, text):
    def fail():
        raise error

    assert boundary.guarded(fail, lambda: "; --log FILE records what is sent") == 1
    line = one_line_error(capsys.readouterr().err)
    assert line.startswith(f"cipherlane: error: {text}") and "0011" not in line
    assert isinstance(error, MemoryError) or "thread" in text or line.endswith("--log FILE records what is sent")


def test_what_a_thread_raises_fails_the_command(capsys):
    import threading

    def start():
        thread = threading.Thread(target=lambda: {}["key"])
        thread.start()
        thread.join()
        return 0

    assert boundary.guarded(start, str) == 1
    assert "a fault of this tool, KeyError in " in one_line_error(capsys.readouterr().err)


def test_a_resume_file_full_of_brackets(tmp_path):
    (tmp_path / "in").write_bytes(bytes(3000))
    (tmp_path / "out.part").write_bytes(bytes(1024))
    (tmp_path / "out.part.resume").write_text("[" * 100_000)
    with SocketBoard(PeerBoard()) as board:
        words = [
            "encrypt",
            "--port",
            board.url,
            "--resume",
            "--raw",
            "--iv",
            "00" * 16,
            tmp_path / "in",
            tmp_path / "out",
        ]
        status, _, stderr = command(*words)
    assert status == 2 and "does not record how far it got" in one_line_error(stderr)
