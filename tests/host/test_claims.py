# SPDX-License-Identifier: BSD-2-Clause
"""Checks that a command uses no output file for a second purpose, and replaces no file without --force."""

import json
import os
import random

import pytest
from cipherlane import cli, views
from cipherlane.errors import ExistsError, FileError
from cipherlane.files.claims import OutName, ReadName, Use, WrittenName, require_apart
from cipherlane.files.whole import write
from cipherlane.link.recordlog import RecordLog

from .commands import IV, KEY, ON_POSIX, command, one_line_error, reference
from .test_files import link

FILES = {"IN", "FILE", "OUT", "ID"}  # words in the help texts that stand for file names


def settled(folder):
    """Return a dictionary that maps the name of each file in a folder to its contents, or to the target if the file is
    a symbolic link.
    """
    return {
        path.name: os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in folder.iterdir()
        if not path.is_dir()
    }


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Make the folder in which the commands run, with an input, a key and a configuration file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").write_bytes(random.Random(1).randbytes(5003))
    (tmp_path / "key").write_text(KEY)
    (tmp_path / "key").chmod(0o600)
    (tmp_path / "config").write_text("baud = 115200\n")
    monkeypatch.setenv("CIPHERLANE_CONFIG", str(tmp_path / "config"))
    return tmp_path


def parsers():
    return cli.build_parser().commands.choices.items()


@pytest.mark.parametrize(("name", "parser"), parsers())
def test_every_option_that_names_a_file_says_whether_it_is_read_or_written(name, parser):
    for action in parser._actions:
        named = action.metavar in FILES
        assert (action.type in (ReadName, WrittenName, OutName)) == named, (name, action.dest)
    written = [action for action in parser._actions if action.type in (WrittenName, OutName)]
    assert not written or parser.has("--force") or name == "keygen", "keys are never replaced"


def encrypt(server, *words, out="out"):
    return command("encrypt", "--port", server.url, "--key-file", "key", "--raw", "--iv", IV, *words, "in", out)


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("how", ["itself", "hard link", "symbolic link", "another spelling"])
@pytest.mark.parametrize("victim", ["in", "key", "config", "out", "out.part", "out.part.resume"])
def test_a_log_is_no_other_file_of_the_command(server, place, victim, how, force):
    name = victim
    there = (place / victim).exists()
    if how == "hard link" and there:
        os.link(victim, "other")
        name = "other"
    elif how == "symbolic link":
        link(place / "other", place / victim)
        name = "other"
    elif how == "another spelling":
        name = f"../{place.name}/./{victim}"
    before = settled(place)
    status, stdout, stderr = encrypt(server, "--log", name, *force)
    line = one_line_error(stderr)
    assert (status, stdout) == (2, b"") and ("same file: name another" in line or "until it is complete" in line), line
    assert settled(place) == before and server.board.seen == []


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("options", [("--results", "--csv"), ("--log", "--results"), ("--csv", "--log")])
@pytest.mark.parametrize("there", [False, True])
def test_two_files_that_are_written_are_two(server, place, options, force, there):
    if there:
        (place / "figures").write_text("earlier")
    before = settled(place)
    status, _, stderr = command("bench", "--port", server.url, options[0], "figures", options[1], "./figures", *force)
    assert status == 2 and f"are the same file: name another with {options[0]}" in one_line_error(stderr).replace(
        options[1], options[0]
    )
    assert settled(place) == before and server.board.seen == []


@pytest.mark.parametrize("option", ["--results", "--csv", "--log"])
def test_the_input_of_the_demo_is_not_written_over(server, place, option):
    before = settled(place)
    status, _, stderr = command("demo", "--port", server.url, option, "in", "--force", "in")
    assert status == 2 and f"in and in are the same file: name another with {option}" in one_line_error(stderr)
    assert settled(place) == before


@pytest.mark.parametrize("option", ["--results", "--csv", "--log"])
def test_what_is_there_is_replaced_with_force_alone_before_anything_is_measured(server, place, option):
    words = ("bench", "--port", server.url, "--engine", "ise", "--json", option, "figures")
    (place / "figures").write_text("earlier")
    status, _, stderr = command(*words)
    said = f"figures already exists: name another with {option}, or replace it with --force"
    assert status == 2 and said in one_line_error(stderr) and server.board.seen == []
    assert (place / "figures").read_text() == "earlier"
    status, stdout, stderr = command(*words, "--force")
    assert status == 0 and len(json.loads(stdout)) == 6, stderr
    assert "ise" in (place / "figures").read_text() or option == "--log"
    assert (place / "figures").read_text() != "earlier" and {*settled(place)} == {"in", "key", "config", "figures"}
    (place / "figures").chmod(0o444)
    status, _, stderr = command(*words, "--force")
    assert status == 2 and "write-protected; chmod u+w it" in one_line_error(stderr)


@pytest.mark.parametrize("option", ["--results", "--csv", "--log"])
@pytest.mark.parametrize("target", ["precious", "absent"])
def test_links_are_replaced_and_not_followed(server, place, option, target):
    (place / "precious").write_text("precious")
    link(place / "figures", place / target)
    words = ("bench", "--port", server.url, "--engine", "ise", option, "figures")
    status, _, stderr = command(*words)
    said = f"figures is a symbolic link, which is not followed: name another with {option}, or replace the link with"
    assert status == 2 and said in one_line_error(stderr)
    assert command(*words, "--force")[0] == 0
    assert not (place / "figures").is_symlink() and (place / "figures").stat().st_size > 10
    assert (place / "precious").read_text() == "precious" and not (place / "absent").exists()


def test_an_output_that_is_a_link_is_replaced_and_its_target_left_alone(server, place):
    (place / "target").write_text("of somebody else")
    link(place / "out", place / "target")
    status, _, stderr = encrypt(server)
    assert status == 2 and "out is a symbolic link, which is not followed: name another OUT" in one_line_error(stderr)
    assert encrypt(server, "--force")[0] == 0
    assert (place / "out").read_bytes() == reference((place / "in").read_bytes()) and not (place / "out").is_symlink()
    assert (place / "target").read_text() == "of somebody else"
    status, stdout, _ = command("encrypt", "--help")
    assert "symbolic link" in " ".join(stdout.decode().split())


@ON_POSIX
def test_terminals_pipes_and_devices_are_written_to_as_they_are(server, place):
    words = ("bench", "--port", server.url, "--engine", "ise", "--results", "/dev/null", "--csv", "/dev/null")
    assert command(*words, "--log", "/dev/null")[0] == 0
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert command(*words[:-1], "pipe")[0] == 0
    assert os.read(reader, 1 << 16).startswith(b"engine,")
    os.close(reader)


def test_standard_streams_are_files_of_the_command(server, place, monkeypatch):
    before = (place / "in").read_bytes()
    monkeypatch.setenv("CIPHERLANE_KEY", KEY)
    for number, name in ((1, "output"), (2, "error")):
        with open("in", "r+b") as file, open("shown", "w+") as shown:
            streams = [shown, shown, shown]
            streams[number] = open(file.fileno(), "r+", closefd=False)  # noqa: SIM115
            for attribute, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                monkeypatch.setattr(f"sys.{attribute}", stream)
            words = ["bench", "--port", server.url, "--engine", "ise", "--csv", "in", "--force"]
            parser = cli.build_parser()
            args = parser.parse_args(words)
            with pytest.raises(FileError, match=f"standard {name} and in are the same file"):
                cli.naming.settle(args, parser.commands.choices["bench"])
            monkeypatch.undo()
            monkeypatch.chdir(place)
            monkeypatch.setenv("CIPHERLANE_KEY", KEY)
    assert (place / "in").read_bytes() == before
    status, _, stderr = command("bench", "--port", server.url, "--csv", "-")
    assert status == 2 and "--csv takes the name of a file: ./- is a file" in one_line_error(stderr)


@pytest.mark.parametrize(("answer", "status"), [(True, 0), (False, 2)])
def test_somebody_at_a_terminal_is_asked_of_each_file(server, place, monkeypatch, answer, status):
    asked = []
    monkeypatch.setattr(views, "ask", lambda question: bool(asked.append(question)) or answer)
    for name in ("out", "log"):
        (place / name).write_text("earlier")
    assert encrypt(server, "--log", "log")[0] == status
    assert asked == [f"{name} already exists. Replace it?" for name in ("log", "out")][: 2 if answer else 1]
    assert ((place / "log").read_text() != "earlier") == ((place / "out").read_bytes() != b"earlier") == answer


def test_a_file_that_comes_to_be_meanwhile_is_not_replaced_and_the_figures_are_shown(server, place, monkeypatch):
    show = views.show_json

    def meanwhile(value):
        (place / "figures").write_text("of others")
        show(value)

    monkeypatch.setattr(views, "show_json", meanwhile)
    words = ("bench", "--port", server.url, "--engine", "ise", "--json", "--results", "figures")
    status, stdout, stderr = command(*words)
    assert status == 2 and "figures already exists" in one_line_error(stderr)
    assert (place / "figures").read_text() == "of others" and len(json.loads(stdout)) == 6


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "deep" / "figures"
    write(path, "earlier", replace=False)
    with pytest.raises(ExistsError):
        write(path, "later", replace=False)

    def full(descriptor):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            write(path, "later", replace=True)
    assert settled(path.parent) == {"figures": b"earlier"}
    monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError(1, "no links here")))
    write(path.with_name("other"), "there", replace=False)
    with pytest.raises(ExistsError):
        write(path, "later", replace=False)
    write(path, "later", replace=True)
    assert settled(path.parent) == {"figures": b"later", "other": b"there"}


def test_a_log_continues_while_its_command_does(tmp_path):
    log = RecordLog(str(tmp_path / "log"))
    log.sent([b"first"])
    log.close()
    log.sent([b"nowhere"])
    log.open()
    log.sent([b"second one"])
    log.close()
    assert [json.loads(line)["length"] for line in (tmp_path / "log").read_text().splitlines()] == [5, 10]
    (tmp_path / "log").rename(tmp_path / "elsewhere")
    (tmp_path / "log").write_text("of another")
    with pytest.raises(FileError, match="another file is called"):
        log.open()


def test_names_of_files_that_are_not_there_are_compared_too(tmp_path):
    (tmp_path / "folder").mkdir()
    link(tmp_path / "way", tmp_path / "folder")
    names = (tmp_path / "folder" / "new", tmp_path / "way" / "new")
    with pytest.raises(FileError, match="are the same file"):
        require_apart([Use(str(name), True) for name in names])
    require_apart([Use(str(names[0]), True), Use(str(tmp_path / "new"), True), Use(str(names[0]) + "2")])
    require_apart([Use(str(tmp_path / "folder")), Use(str(tmp_path / "folder"))])  # reading a file twice is allowed
