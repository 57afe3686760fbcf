# SPDX-License-Identifier: BSD-2-Clause
"""Tests the host tool without POSIX modules, as on Windows. A feature that needs a missing module must report this. All
other features must work.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cipherlane.errors import FileError, SimulatedBoardError
from cipherlane.files import private
from cipherlane.measuring.nullboard import NullBoard
from cipherlane.transport import open_transport, udp
from cipherlane.transport.serial import _reason

from tests.waiting import HANG_S, until

from .commands import LOCKED, ON_POSIX
from .served import Served

NO_POSIX = Path(__file__).parent / "no_posix"

PROGRAM = """
import contextlib, importlib, io, os, pathlib, pkgutil, subprocess, sys, threading
os.chdir({folder!r})
for name in ("fcntl", "termios"):  # missing in this process and in programs started from other folders
    assert name in sys.modules and sys.modules[name] is None
    done = subprocess.run([sys.executable, "-c", "import " + name], capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and "import of " + name + " halted" in done.stderr, done
for name in ("fork", "geteuid", "fchown", "fchmod", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_DIRECTORY"):
    if hasattr(os, name):
        delattr(os, name)
import cipherlane
for module in pkgutil.walk_packages(cipherlane.__path__, "cipherlane."):
    if module.name != "cipherlane.transport.rfc2217":  # pyserial's RFC 2217 port needs fcntl
        importlib.import_module(module.name)
from cipherlane import cli
from cipherlane.errors import FileError
from cipherlane.files.inputs import InputFile
from cipherlane.files.output import OutputFile
from cipherlane.measuring import nullboard

def run(*words, ends=0):
    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        try:
            status = cli.main([*words])
        except SystemExit as ended:
            status = ended.code
    assert status == ends, (words, status, stderr.getvalue())
    return stdout.getvalue() + stderr.getvalue()

assert "encrypt" in run("--help") and "--resume" in run("encrypt", "--help")
said = run("info", "--port", "COM3", ends=3)
assert said.startswith("cipherlane: error: ") and "COM3" in said and said.count(chr(10)) == 1, said
pathlib.Path("key").write_text({key!r})
pathlib.Path("key").chmod(0o600)
pathlib.Path("plain").write_bytes(bytes(range(256)) * 40)
for verb, source, target in (("encrypt", "plain", "secret"), ("decrypt", "secret", "back")):
    board = nullboard.NullBoard(port=0)
    thread = threading.Thread(target=board.serve, args=(1e9,), daemon=True)
    thread.start()
    assert "cryptography" in run("info", "--port", board.url)
    words = ("--key-file", "key", "--raw", "--iv", "00" * 16, "--verify", "--log", "log", "--force")
    run("--port", board.url, verb, *words, source, target)
assert pathlib.Path("back").read_bytes() == pathlib.Path("plain").read_bytes() != pathlib.Path("secret").read_bytes()
assert sorted(path.name for path in pathlib.Path(".").iterdir()) == ["back", "key", "log", "plain", "secret"]
with InputFile("plain") as source:
    with OutputFile("link", source) as output:
        output.write(b"begun")
        output.kept = 0
    try:  # without locks, resuming is refused
        OutputFile("link", source, resume=True)
    except FileError as error:
        assert "cannot be locked on this file system" in str(error)
    else:
        raise AssertionError("went on without a lock")
    pathlib.Path("link.part").unlink()
    pathlib.Path("link.part").symlink_to("key")
    try:
        OutputFile("link", source, resume=True)
    except FileError as error:
        assert "symbolic link" in str(error)
    else:
        raise AssertionError("followed a link")
assert pathlib.Path("key").read_text() == {key!r}
print("fine")
"""


@ON_POSIX
def test_nothing_posix_is_needed_but_where_it_is_used(tmp_path):
    program = PROGRAM.format(folder=str(tmp_path), key="00" * 16)
    env = {**os.environ, "PYTHONPATH": os.path.relpath(NO_POSIX)}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, timeout=HANG_S)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr


def test_datagrams_without_linux_s_options(monkeypatch):
    """On systems other than Linux, the host must not use the function sendmsg, nor the socket options UDP_SEGMENT and
    UDP_GRO. Such systems can lack sendmsg, and can use the numbers of these options for other options.
    """
    monkeypatch.setattr(sys, "platform", "win32")
    board = NullBoard(port=0)
    assert board._datagrams.segments == 1
    transport = udp.UdpTransport(board.url)
    asked = []
    with Served(lambda: asked.append(board._datagrams.receive(0.05))), transport:
        transport.send_many([bytes([number]) * 40 for number in range(9)])
        until(lambda: len([each for each in asked if each]) == 9)
    arrived = [each for each in asked if each]
    assert [(data, size) for data, size, _ in arrived] == [(bytes([number]) * 40, 40) for number in range(9)]
    board.close()


def test_the_simulated_board_says_where_it_runs(monkeypatch, tmp_path):
    from .simbuild import make_build

    build = make_build(tmp_path / "sim")
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(SimulatedBoardError, match="runs only on Linux: use a board, or"):
        open_transport(f"sim:{build}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "could not open port 'COM3': FileNotFoundError(2, 'The system cannot find the file.', None, 2)",
            "no port COM3",
        ),
        ("could not open port 'COM3': PermissionError(13, 'Access is denied.', None, 5)", "port COM3 is busy: close"),
    ],
)
def test_windows_errors_name_their_remedy(text, expected):
    assert expected in _reason("COM3", OSError(text))


@LOCKED
def test_a_locked_file_is_not_locked_twice(tmp_path):
    """A lock, set by flock or else by msvcrt, must keep other writers out of the file, and must not change the file's
    data.
    """
    path = tmp_path / "part"
    one = private.create(path)
    with pytest.raises(FileExistsError):
        private.create(path)
    assert private.lock(one, path)
    two = private.open_there(path)
    with pytest.raises(FileError, match="another run of cipherlane is writing"):
        private.lock(two, path)
    os.write(one, b"data")
    os.close(one)
    assert private.lock(two, path) and path.read_bytes() == b"data"
    os.close(two)
