# SPDX-License-Identifier: BSD-2-Clause
"""Tests that text from boards, files and users reaches the terminal only as printable characters."""

import ast
import json
import os
from pathlib import Path

import cipherlane
import pytest
from cipherlane import views
from cipherlane.link import cables, discovery
from cipherlane_base.plain import plain
from rich.console import Console

from .commands import IV, ON_POSIX, command
from .model import PeerBoard, SocketBoard

# This text tries to set a title and a colour, to reverse and to hide letters, to clear the screen, and to forge an
# error line. It is not valid Unicode.
HOSTILE = "\x1b]0;t\x07\x1b[31m\u202eevil\u2066\x9b2J\u200b\u2028\r\nerror: forged\x7f\udcff[bold]end"
HOST = Path(cipherlane.__file__).parents[1]


def shown(*words, **options):
    """Run a command; check that all its output is printable; return its status and its output."""
    status, stdout, stderr = command(*words, **options)
    text = stdout.decode() + stderr
    assert all(line.isprintable() for line in text.split("\n")), ascii(text)
    assert not any(line.startswith("error: forged") for line in text.split("\n"))
    return status, text


def test_what_is_not_printable_is_escaped():
    assert plain("a\x1b[2Jb\u202ec\rd\ne\udcff") == r"a\x1b[2Jb\u202ec\rd\ne\udcff"
    assert plain("a\nb\t", keep="\n") == "a\nb\\t" and plain("Größe 日本 → \\n") == "Größe 日本 → \\n"
    assert all(plain(chr(code)).isprintable() for code in range(0x110000))


@pytest.mark.parametrize(
    "where", ["--port", "--network", "--log", "--expect", "--baud", "--timeout", "command", "option"]
)
def test_of_the_command_line(server, where):
    words = {
        "--port": ("info", "--port", HOSTILE),
        "--network": ("find", "--network", HOSTILE),
        "--log": ("info", "--port", server.url, "--log", f"/nowhere/{HOSTILE}"),
        "--expect": ("doctor", "--port", server.url, "--expect", HOSTILE),
        "command": (HOSTILE,),
        "option": ("info", f"--{HOSTILE}"),
    }.get(where, ("info", where, HOSTILE))
    status, text = shown(*words)
    assert status and text


@ON_POSIX
@pytest.mark.parametrize(
    "verb", ["encrypt", "decrypt", "keygen", "report", "load", "missing", "exists", "key", "config"]
)
def test_of_file_names(server, tmp_path, verb):
    folder = tmp_path / HOSTILE
    folder.mkdir()
    source, there = folder / "in", folder / "there"
    for path in (source, there):
        path.write_bytes(b"data")
    link = ("--port", server.url)
    words = {
        "encrypt": ("encrypt", *link, "--raw", "--iv", IV, source, folder / "out"),
        "decrypt": ("decrypt", *link, "--raw", "--iv", IV, source, folder / "no" / "out"),
        "keygen": ("keygen", there),
        "report": ("report", "--out", folder / "page", source),
        "load": ("load", *link, source),
        "missing": ("encrypt", *link, "--raw", "--iv", IV, folder / "missing", folder / "out"),
        "exists": ("encrypt", *link, "--raw", "--iv", IV, source, there),
        "key": ("encrypt", *link, "--raw", "--iv", IV, "--key-file", source, source, folder / "out"),
        "config": ("config",),
    }[verb]
    environment = {"CIPHERLANE_CONFIG": os.fspath(source)} if verb == "config" else {}
    if verb == "key":
        environment["CIPHERLANE_KEY"] = ""
    status, text = shown(*words, env=environment)
    assert bool(status) == (verb != "encrypt") and ("evil" in text or not status)


@pytest.mark.parametrize(
    "words", [("info",), ("doctor",), ("bench", "--bytes", "16"), ("selftest",), ("find", "--ask")]
)
def test_of_boards(monkeypatch, words):
    board = PeerBoard()
    board.name = HOSTILE.encode("utf-8", "surrogateescape")[:16]
    board.firmware = HOSTILE.encode("utf-8", "surrogateescape")[-16:]
    with SocketBoard(board) as server:
        ports = [discovery.SerialPort(server.url, "0403:6010", "", "")]
        monkeypatch.setattr("cipherlane.commands.find.serial_ports", lambda: ports)
        link = () if words[0] == "find" else ("--port", server.url)
        text = shown(*words, *link)[1]
    assert "t?" in text or words[0] in ("selftest", "bench"), "its name was shown"


def test_of_usb_descriptors(monkeypatch):
    ports = [discovery.SerialPort(HOSTILE, HOSTILE, HOSTILE, HOSTILE, (HOSTILE,))]
    monkeypatch.setattr("cipherlane.commands.find.serial_ports", lambda: ports)
    status, text = shown("find", env={"COLUMNS": "400"})
    assert status == 0 and text.count("\\u202eevil") == 5
    status, text = shown("find", "--json")
    assert json.loads(text)["serial"][0]["description"] == HOSTILE, "a program gets what the device says"


def test_of_jtag_cables(monkeypatch, tmp_path):
    found = [cables.Cable("0403:6010", HOSTILE, HOSTILE, True, HOSTILE)]
    monkeypatch.setattr(cables, "attached", lambda: found)
    status, text = shown("doctor", "--port", tmp_path / "none", env={"COLUMNS": "400"})
    assert status == 3 and text.count("evil") == 2


@pytest.mark.parametrize("error", [OSError(5, HOSTILE, HOSTILE), ValueError(HOSTILE), ImportError(HOSTILE)])
def test_of_exceptions_of_libraries(monkeypatch, error):
    def fail(*words, **options):
        raise error

    monkeypatch.setattr("cipherlane.transport.serial._open", fail)
    status, text = shown("info", "--port", "socket://127.0.0.1:1")
    assert status == 3 and "evil" in text


def test_of_progress_bars_and_tables(monkeypatch, capsys):
    """The package `rich` writes its own escape sequences to a terminal. Escape sequences in text from boards, files or
    users must not reach the terminal.
    """
    monkeypatch.setattr(views, "Console", lambda **options: Console(**{**options, "width": 400}))
    with views.transfer_progress(HOSTILE, 1, show=True), views.bench_progress(1, show=True) as begin:
        begin(HOSTILE)
    views.show(views.field_table({"name": HOSTILE}, HOSTILE))
    views.show(HOSTILE)
    views.show_warning(HOSTILE)
    said = "".join(capsys.readouterr())
    assert "evil" in said and not any(bad in said for bad in ("\x1b]0", "\x07", "\u202e", "\u2066", "\x9b", "\x7f"))
    assert "[31m\\u202eevil" in said and "[bold]end" in said


def test_nothing_else_writes_to_a_terminal():
    """In the package, only the modules listed here print text. Before a module prints text from boards, files or users,
    the module passes the text through `plain`.
    """
    found = set()
    for path in sorted(HOST.glob("cipherlane*/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = ast.unparse(node.func)
            if name in (
                "print",
                "Text",
                "Console",
                "_Console",
                "sys.stdout.write",
                "sys.stderr.write",
                "_print_message",
            ):
                found.add((path.relative_to(HOST).as_posix(), name))
    assert found == {
        # This module prints completions and the manual page; both contain only the tool's own text.
        ("cipherlane/commands/shell.py", "sys.stdout.write"),
        ("cipherlane_base/wire/reference.py", "sys.stderr.write"),  # this module runs only in `make pages`
        # This module runs in a child process, so its output goes to `simboard` and not to the terminal.
        ("cipherlane/transport/namespace.py", "sys.stderr.write"),
        ("cipherlane_base/notices.py", "sys.stderr.write"),
        ("cipherlane/tables.py", "Text"),
        ("cipherlane/views.py", "_Console"),
        ("cipherlane/views.py", "Text"),  # a figure
        ("cipherlane/views.py", "sys.stderr.write"),
        ("cipherlane/views.py", "sys.stdout.write"),
    }
