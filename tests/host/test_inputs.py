# SPDX-License-Identifier: BSD-2-Clause
"""Tests inputs that misreport or change their size, outputs with long names, and readers that stop early."""

import os
import random
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from cipherlane.commands import crypt as crypt_command
from cipherlane.errors import FileError
from cipherlane.files.inputs import InputFile

from .commands import COMMAND, IV, KEY, LOCKED, ON_POSIX, command, crypt, one_line_error, reference, words_of
from .model import PeerBoard, SocketBoard

DATA = random.Random(4).randbytes(150_001)
RECORD = 976  # data bytes in each record of the model board


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in"
    path.write_bytes(DATA)
    return path


@pytest.fixture
def meanwhile(server, source):
    """Return a function `arrange(action, after)`. It makes the board call `action(source)` at record `after`."""

    def arrange(action, after=20):
        answer, left = server.board.answer, [after]

        def answering(record, peer=None):
            left[0] -= 1
            if left[0] == 0:
                action(source)
            return answer(record, peer)

        server.board.answer = answering

    return arrange


def grow(path):
    with path.open("ab") as file:
        file.write(bytes(100_000))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="files of /proc, which say that they have no bytes")
@pytest.mark.parametrize("name", ["/proc/cpuinfo", "/proc/version", "/proc/self/status"])
def test_files_of_the_kernel_are_read_to_their_end(server, tmp_path, name):
    status, _, stderr = crypt(server, name, tmp_path / "out", "--verify")
    assert status == 0, stderr
    read = reference((tmp_path / "out").read_bytes()).decode()
    assert len(read) > 20 and read.split()[0] == Path(name).read_text().split()[0]
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize(("said", "there"), [(4096, 10), (60_000, 59_999), (1, 0)])
def test_a_short_file_that_says_more_than_it_has_is_taken_as_it_is(server, tmp_path, monkeypatch, said, there):
    """A file can report a wrong size: files in /sys, for example, report the size of a memory page, whatever they
    contain.
    """
    path = tmp_path / "in"
    path.write_bytes(DATA[:there])
    lie(monkeypatch, path, said)
    with InputFile(str(path)) as source:
        assert source.size == there and source.read(1 << 20) == DATA[:there] and source.read(1) == b""
    status, _, stderr = crypt(server, path, tmp_path / "out")
    assert status == 0 and (tmp_path / "out").read_bytes() == reference(DATA[:there]), stderr


def lie(monkeypatch, path, said):
    """Make `os.fstat` report the wrong size `said` for the file at `path`."""
    fstat, number = os.fstat, path.stat().st_ino

    def lying(descriptor):
        status = fstat(descriptor)
        if status.st_ino != number:
            return status
        return os.stat_result([*status[:6], said, *status[7:]])

    monkeypatch.setattr(os, "fstat", lying)


def test_a_long_file_that_says_more_than_it_has(server, tmp_path, source, monkeypatch):
    with monkeypatch.context() as patch:
        lie(patch, source, len(DATA) + 5)
        status, _, stderr = crypt(server, source, tmp_path / "out")
    line = one_line_error(stderr)
    assert status == 2 and "reports 150006 bytes but ends at byte 150001: pipe it to IN -" in line
    assert "nothing is kept" in line and "begin again without --iv, or with another IV" in line
    assert names(tmp_path) == ["in"] and server.board.seen[-1] == "close"
    status, _, stderr = command("encrypt", "--port", server.url, "-", tmp_path / "out", stdin=DATA)
    assert status == 0, stderr


@pytest.mark.parametrize("size", [0, 5, 1 << 16, (1 << 16) + 1, 150_001])
def test_sizes_around_what_is_read_at_first(tmp_path, size):
    path = tmp_path / "in"
    path.write_bytes(DATA[:size])
    with InputFile(str(path)) as source:
        assert source.size == size and not source.changed
        read = b"".join(iter(lambda: source.read(4096), b""))
        assert read == DATA[:size]
        grow(path)
        assert source.changed and source.read(4096) == b""


def test_a_file_that_grows_gives_what_it_had(server, tmp_path, source, meanwhile):
    meanwhile(grow)
    status, _, stderr = crypt(server, source, tmp_path / "out", "--verify", "--json")
    assert status == 0
    assert f"{source} changed while it was read: {tmp_path / 'out'} holds the first 150001 bytes" in stderr
    assert (tmp_path / "out").read_bytes() == reference(DATA) and names(tmp_path) == ["in", "out"]


@pytest.mark.parametrize("left", [0, 100_000])
def test_a_file_that_is_cut_is_refused_and_its_remedy_works(server, tmp_path, source, meanwhile, left):
    meanwhile(lambda path: os.truncate(path, left))
    status, _, stderr = crypt(server, source, tmp_path / "out")
    line = one_line_error(stderr)
    assert status == 2 and "reports 150001 bytes but ends at byte" in line and "give a copy" in line
    assert "nothing is kept" in line and "--resume" not in line and names(tmp_path) == ["in"]
    copy = tmp_path / "copy"
    copy.write_bytes(source.read_bytes())
    status, _, stderr = command("encrypt", "--port", server.url, copy, tmp_path / "out")
    assert status == 0, stderr


@LOCKED
@pytest.mark.parametrize("resume", [False, True])
def test_what_changed_is_not_said_to_be_resumed(server, tmp_path, source, meanwhile, resume):
    if resume:
        server.board.fail_after = 3
        assert crypt(server, source, tmp_path / "out")[0] == 7
    meanwhile(grow)
    server.board.fail_after = 60
    status, _, stderr = crypt(server, source, tmp_path / "out", *["--resume"] * resume)
    line = one_line_error(stderr)
    assert status == 7
    assert f"nothing is kept, because {source} has changed since it was opened: begin again without" in line
    assert "--resume" not in line and names(tmp_path) == ["in"]
    server.board.fail_after = None
    assert command("encrypt", "--port", server.url, source, tmp_path / "out")[0] == 0


MOST = 1 << 16


@pytest.fixture
def short_streams(monkeypatch):
    monkeypatch.setattr(crypt_command, "MOST_STREAM", MOST)


def parts_of(line, folder):
    """Run the `split` command that the advice in `line` contains; return the files that the command writes."""
    (said,) = re.findall(r"`(split [^`]*)`", line)
    before = set(folder.iterdir())
    subprocess.run(["/bin/sh", "-c", said], cwd=folder, input=DATA, check=True, timeout=60)
    return sorted(set(folder.iterdir()) - before)


@ON_POSIX
@pytest.mark.parametrize("how", ["file", "pipe"])
@pytest.mark.parametrize("iv", [[], ["--raw"], ["--raw", "--iv", IV]])
def test_a_stream_that_is_too_long_says_how_to_split_it(server, tmp_path, short_streams, how, iv):
    source = tmp_path / "my input"
    source.write_bytes(DATA)
    words = ["encrypt", "--port", server.url, *iv, source if how == "file" else "-", tmp_path / "out"]
    status, _, stderr = command(*words, stdin=DATA if how == "pipe" else b"")
    line = one_line_error(stderr.replace(re.search(r"^(IV .*\n)?", stderr)[0], ""))
    assert status == 2 and str(MOST) in line and "--resume" not in line
    assert names(tmp_path) == ["my input"], "nothing is left"
    assert how == "pipe" or server.board.seen == []
    parts = parts_of(line, tmp_path)
    assert [path.stat().st_size for path in parts] == [MOST, MOST, len(DATA) - 2 * MOST]
    server.board.power_cycle()
    ivs = {shlex.split(name)[0]: iv for name, iv in re.findall(r"((?:'[^']*'|\S)+) --iv ([0-9a-f]{32})", line)}
    encrypted = b""
    for path in parts:
        own = [*iv[:2], ivs[str(path) if how == "file" else path.name]] if iv[1:] else iv
        out = path.with_name(f"{path.name}.out")
        status, _, stderr = command("encrypt", "--port", server.url, *own, path, out)
        assert status == 0, stderr
        encrypted += out.read_bytes()
    assert not iv or len(encrypted) == len(DATA)
    assert not iv[1:] or encrypted == reference(DATA), "the parts follow each other"
    assert iv[1:] or ("under its own IV, which the board draws" in line) == bool(iv)


def test_a_stream_of_the_most_bytes_is_none_too_many(server, tmp_path, short_streams):
    status, _, stderr = crypt(server, "-", tmp_path / "out", stdin=DATA[:MOST])
    assert status == 0, stderr


@LOCKED
@ON_POSIX
@pytest.mark.parametrize("name", ["o" * 243, "o" * 244, "o" * 255, "\N{CYRILLIC SMALL LETTER O}" * 127])
def test_long_names_of_outputs(server, tmp_path, source, name):
    out = tmp_path / name
    server.board.fail_after = 30
    status, _, stderr = crypt(server, source, out)
    assert status == 7
    (part, sidecar) = sorted(set(names(tmp_path)) - {"in"})
    assert sidecar == f"{part}.resume" and len(os.fsencode(sidecar)) <= 255
    assert (part == f"{name}.part") == (len(os.fsencode(name)) <= 243)
    hint = one_line_error(stderr).partition("; to resume: ")[2]
    server.board.fail_after = None
    status, _, stderr = command(*words_of(hint)[1:], env={"CIPHERLANE_KEY": KEY})
    assert status == 0, stderr
    assert out.read_bytes() == reference(DATA) and names(tmp_path) == sorted(["in", name])


@ON_POSIX
def test_names_that_are_too_long_or_share_their_beginning(server, tmp_path, source):
    status, _, stderr = crypt(server, source, tmp_path / ("o" * 256))
    assert status == 2 and "File name too long" in one_line_error(stderr) and "name another OUT" in stderr
    kept = set()
    for end in "ab":
        server.board.power_cycle()
        server.board.fail_after = 3
        crypt(server, source, tmp_path / ("o" * 250 + end))
        kept |= {path.name for path in tmp_path.glob("*.part")}
    assert len(kept) == 2


@ON_POSIX
@pytest.mark.parametrize(
    "words",
    [
        ["encrypt", "--port", "PORT", "--raw", "--iv", IV, "IN", "-"],
        ["bench", "--port", "PORT", "--engine", "ise", "--json"],
        ["bench", "--port", "PORT", "--engine", "ise"],
        ["completion", "bash"],
        ["config"],
        ["encrypt", "--help"],
    ],
)
def test_a_reader_that_stops_early_is_no_failure(source, words):
    """The reader closes its end of the pipe before anything is written. This must not count as a failure."""
    with SocketBoard(PeerBoard()) as server:
        command_line = [COMMAND, *({"PORT": server.url, "IN": str(source)}.get(word, word) for word in words)]
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            command_line,
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            env={**os.environ, "CIPHERLANE_KEY": KEY},
        )
        os.close(writer)
        assert done.stderr == "" and done.returncode in ((0, 141) if "--help" in words else (141,))
        assert not server.board.sessions


@ON_POSIX
def test_head_ends_a_transfer_quietly(server, source):
    line = (
        f"{shlex.join([COMMAND, 'encrypt', '--port', server.url, '--raw', '--iv', IV, str(source), '-'])} | head -c 10"
    )
    done = subprocess.run(
        ["/bin/sh", "-c", line], capture_output=True, timeout=120, env={**os.environ, "CIPHERLANE_KEY": KEY}
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, reference(DATA)[:10], b"")
    assert not server.board.sessions


def test_an_input_that_cannot_be_told_apart_from_its_log_is_not_opened(tmp_path):
    with pytest.raises(FileError, match="it is a directory, name a file"):
        InputFile(str(tmp_path))


def test_a_file_of_more_bytes_than_a_stream_is_refused_before_the_board_is_asked(server, tmp_path, source):
    try:
        os.truncate(source, (1 << 36) + 1)
    except OSError as error:
        pytest.skip(f"no sparse files here: {error}")
    status, _, stderr = crypt(server, source, tmp_path / "out")
    line = one_line_error(stderr)
    assert status == 2 and "has 68719476737 bytes, but a stream at most 68719476736: split it: `split -b 68719" in line
    second = f"{int(IV, 16) + (1 << 32):032x}"
    assert f"in.aa --iv {IV}, " in line and line.endswith(f"in.ab --iv {second}") and server.board.seen == []
