# SPDX-License-Identifier: BSD-2-Clause
"""Tests transfers that are interrupted or fail, and their resumption: what is kept, printed and checked."""

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.waiting import HANG_S, grows, until

from .commands import COMMAND, IV, KEY, LOCKED, ON_POSIX, PATIENT, command, crypt, one_line_error, reference, words_of
from .model import PeerBoard, SocketBoard

STATUS = {
    getattr(signal, name): 128 + number
    for name, number in (("SIGINT", 2), ("SIGTERM", 15), ("SIGHUP", 1))
    if hasattr(signal, name)
}


def heed_signals():
    """Restore the default signal handlers in a program that the test starts. If nohup or a shell has started the tests,
    the program could otherwise inherit ignored signals.
    """
    for number in STATUS:
        signal.signal(number, signal.SIG_DFL)


def interrupted(server, source, out, *words, number=signal.SIGINT, key=("--key-file",), going=None, **options):
    """Start a transfer in a process of its own. As soon as the output has grown, send a signal to this process. Return
    the exit status and standard error of the process.

    Without `going`, the board then answers no more data. With `going`, the event that `held` returned, the board waits
    until the signal was sent and then continues.
    """
    server.most = None if going else 10
    (out.parent / "key").write_text(KEY)
    (out.parent / "key").chmod(0o600)
    key = [*key, out.parent / "key"] if key == ("--key-file",) else key
    part = Path(f"{out}.part")
    before = part.stat().st_size if words else 0
    process = subprocess.Popen(
        [COMMAND, "encrypt", "--port", server.url, *PATIENT, *key, "--raw", "--iv", IV, *words, source, out],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **{"preexec_fn": heed_signals, **options},
    )
    grows(part, before + 3000, process)
    process.send_signal(number)
    if going:
        going.set()
    _, stderr = process.communicate(timeout=HANG_S)
    return process.returncode, stderr.decode()


def held(server, count):
    """Let the board answer `count` data records. Before it answers further records, the board waits until the test
    sets the event that this function returns.
    """
    going, answer, asked = threading.Event(), server.board._data, itertools.count()

    def answer_late(*record):
        assert next(asked) < count or going.wait(HANG_S)
        return answer(*record)

    server.board._data = answer_late
    return going


@pytest.fixture
def big(tmp_path):
    path = tmp_path / "in"
    path.write_bytes(random.Random(3).randbytes(150_001))
    return path


@LOCKED
@ON_POSIX
@pytest.mark.parametrize("number", STATUS)
def test_a_signal_leaves_the_board_usable_and_the_command_it_names_completes(server, big, tmp_path, number):
    data, out, part = big.read_bytes(), tmp_path / "out", tmp_path / "out.part"
    status, stderr = interrupted(server, big, out, number=number)
    assert status == STATUS[number]
    message = one_line_error(stderr)
    kept = part.read_bytes()
    assert 0 < len(kept) < len(data) and kept == reference(data)[: len(kept)]
    said, _, hint = message.partition("; to resume: ")
    assert said.startswith("cipherlane: error: interrupted; ")
    assert f"{part} holds the first {len(kept)} bytes" in said
    assert not out.exists()
    assert server.board.seen[-1] == "close" and not server.board.sessions
    assert command("info", "--port", server.url)[0] == 0

    status, stderr = interrupted(server, big, out, "--resume", number=number)
    assert status == STATUS[number] and "--resume --resume" not in stderr
    more = part.read_bytes()
    assert len(kept) < len(more) < len(data) and more == reference(data)[: len(more)]

    server.most = None
    server.board.seen.clear()
    words = words_of(hint)
    assert words[:2] == ["cipherlane", "encrypt"]
    status, stdout, stderr = command(*words[1:], "--verify", "--json")
    assert status == 0, stderr
    assert out.read_bytes() == reference(data)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "key", "out"]
    assert json.loads(stdout)["bytes"] == len(data) - len(more), "what was kept is not done again"
    assert json.loads(stdout)["verified"] is True


@ON_POSIX
@pytest.mark.parametrize("words", [["--key", KEY], [f"--key={KEY}"]])
def test_what_is_said_of_going_on_has_no_key(server, big, tmp_path, words):
    _, stderr = interrupted(server, big, tmp_path / "out", key=words)
    warning, message = stderr.strip().splitlines()
    assert "--key-file" in warning and KEY not in stderr
    assert "cipherlane encrypt --resume" in message and "--key-file" in message


@LOCKED
@ON_POSIX
def test_a_hangup_that_takes_the_terminal_along_ends_like_any_other(server, big, tmp_path):
    """If the terminal disappears (a hangup), the tool can no longer write to standard error. It must still close the
    session.
    """
    server.most = 10
    master, terminal = os.openpty()
    process = subprocess.Popen(
        [COMMAND, "encrypt", "--port", server.url, *PATIENT, "--raw", "--iv", IV, "--progress", big, tmp_path / "out"],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "CIPHERLANE_KEY": KEY},
        start_new_session=True,
        preexec_fn=heed_signals,
    )
    os.close(terminal)
    grows(tmp_path / "out.part", 3000, process)
    os.close(master)
    process.send_signal(signal.SIGHUP)
    assert process.wait(HANG_S) == 129
    server.most = None
    assert server.board.seen[-1] == "close" and not server.board.sessions
    assert crypt(server, big, tmp_path / "out", "--resume")[0] == 0


@ON_POSIX
def test_nohup_is_respected(server, big, tmp_path):
    status, stderr = interrupted(
        server,
        big,
        tmp_path / "out",
        number=signal.SIGHUP,
        going=held(server, 10),
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    assert status == 0, stderr
    assert (tmp_path / "out").read_bytes() == reference(big.read_bytes())


@LOCKED
@ON_POSIX
def test_a_killed_program_is_gone_on_with(server, big, tmp_path):
    status, _ = interrupted(server, big, tmp_path / "out", number=signal.SIGKILL)
    assert status == -signal.SIGKILL
    server.most = None
    status, _, stderr = crypt(server, big, tmp_path / "out", "--resume", "--verify")
    assert status == 0, stderr
    assert (tmp_path / "out").read_bytes() == reference(big.read_bytes())


@LOCKED
def test_resume_refuses_what_is_not_its_own_before_it_talks_to_the_board(server, source, tmp_path):
    out, part = tmp_path / "out", tmp_path / "out.part"
    server.board.fail_after = 3
    assert crypt(server, source, out)[0] == 7
    server.board.fail_after = None
    server.board.seen.clear()
    good = part.read_bytes()
    assert good == reference(source.read_bytes())[: 3 * 976]
    part.write_bytes(good[:1000] + bytes([good[1000] ^ 1]) + good[1001:])
    status, _, stderr = crypt(server, source, out, "--resume", "--verify")
    assert status == 1 and "byte 1000 differs from the reference" in one_line_error(stderr) and "delete" in stderr
    status, _, stderr = crypt(server, source, out, "--resume")
    assert status == 2 and "out.part has changed since then" in one_line_error(stderr)
    part.write_bytes(good)
    status, _, stderr = crypt(server, source, out, "--resume", env={"CIPHERLANE_KEY": "00" * 24})
    assert status == 2 and "another key" in one_line_error(stderr)
    status, _, stderr = crypt(server, source, out, "--resume", verb="decrypt")
    assert status == 2 and "another direction" in one_line_error(stderr)
    status, _, stderr = crypt(server, source, out)
    assert status == 2 and "holds an interrupted transfer" in one_line_error(stderr)
    assert server.board.seen == [] and not out.exists()
    status, _, stderr = command("encrypt", "--port", server.url, "--raw", "--resume", source, out)
    assert status == 0, stderr
    assert out.read_bytes() == reference(source.read_bytes()), "the sidecar knows the IV"
    status, _, stderr = crypt(server, source, tmp_path / "new", "--resume")
    assert status == 2 and "start without --resume" in one_line_error(stderr)


@LOCKED
def test_transfer_that_fails_says_how_to_go_on(server, source, tmp_path):
    server.board.fail_after = 2
    status, stdout, stderr = crypt(server, source, tmp_path / "out", "--json")
    assert (status, stdout) == (7, b"")
    message = one_line_error(stderr)
    assert "missing bytes 1952-5002" in message and "holds the first 1952 bytes" in message
    assert "cipherlane encrypt --resume" in message
    assert (tmp_path / "out.part").stat().st_size == 1952 and not (tmp_path / "out").exists()
    server.board.fail_after = None
    assert crypt(server, source, tmp_path / "out", "--resume")[0] == 0
    assert (tmp_path / "out").read_bytes() == reference(source.read_bytes())


@LOCKED
def test_records_are_of_one_size_from_begin_to_end(server, source, tmp_path):
    server.board.fail_after = 2
    assert crypt(server, source, tmp_path / "out")[0] == 7
    with SocketBoard(PeerBoard(max_data=512)) as other:
        status, _, stderr = crypt(other, source, tmp_path / "out", "--resume")
    assert status == 2 and "resume with its original port and engine" in one_line_error(stderr)
    assert (tmp_path / "out.part").stat().st_size == 1952
    with SocketBoard(PeerBoard(max_data=1200, rx_window=8192)) as other:
        status, _, stderr = crypt(other, source, tmp_path / "out", "--resume")
    assert status == 0, stderr
    assert (tmp_path / "out").read_bytes() == reference(source.read_bytes())


@LOCKED
def test_a_board_that_forgot_goes_on_behind_what_is_complete(server, source, tmp_path):
    """After a power cycle, the board does not know the stream's range of counter blocks. So `--resume` declares a new
    range. Without a power cycle, `--resume` uses the old range by its ticket.
    """
    out = tmp_path / "out"
    server.board.fail_after = 1
    assert crypt(server, source, out)[0] == 7
    for forgets, done in ((True, 2), (False, 3), (True, 4)):
        if forgets:
            server.board.power_cycle()
        server.board.fail_after = 1
        status, _, stderr = crypt(server, source, out, "--resume", "--verify")
        assert status == 7 and f"missing bytes {done * 976}-5002" in one_line_error(stderr)
        assert [entry.start for entry in server.board.entries] == [int(IV, 16) + 61 * (done - 1 - (not forgets))]
    server.board.fail_after = None
    assert crypt(server, source, out, "--resume", "--verify")[0] == 0
    assert out.read_bytes() == reference(source.read_bytes())


@LOCKED
def test_of_two_commands_with_one_output_the_second_ends(server, big, tmp_path):
    going = held(server, 0)
    out = tmp_path / "out"
    words = ["encrypt", "--port", server.url, *PATIENT, "--raw", "--iv", IV, big, out]
    first = subprocess.Popen([COMMAND, *words], env={**os.environ, "CIPHERLANE_KEY": KEY})
    until(lambda: Path(f"{out}.part").exists() or first.poll() is not None)
    other = tmp_path / "other"
    other.write_bytes(bytes(100))
    for words in ([], ["--resume"]):
        status, _, stderr = crypt("socket://127.0.0.1:1", other, out, *words)
        assert status == 2 and "another run of cipherlane is writing" in one_line_error(stderr)
    going.set()
    assert first.wait(HANG_S) == 0
    assert out.read_bytes() == reference(big.read_bytes())


@pytest.fixture
def small_disk(tmp_path):
    """Mount a file system of 64 KB, and yield its folder."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if sys.platform != "linux":
        pytest.skip("no small disk to fill: it is a tmpfs")
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True, text=True)
    if done.returncode:
        reason = f"no small disk to fill: {done.stderr.strip()}"
        assert os.geteuid() or not os.environ.get("CI"), reason
        pytest.skip(reason)
    yield folder
    subprocess.run(["umount", folder], check=True)


@LOCKED
def test_a_full_disk_loses_nothing(server, big, small_disk):
    out, data = small_disk / "out", big.read_bytes()
    (small_disk / "ballast").write_bytes(bytes(16384))
    big = big.rename(big.with_name("input"))
    big.write_bytes(data[:60_000])
    status, stdout, stderr = crypt(server, big, out, "--json")
    assert (status, stdout) == (2, b"")
    message = one_line_error(stderr)
    assert "cannot write" in message and "out.part: No space left on device: make room on the disk" in message
    kept = (small_disk / "out.part").read_bytes()
    assert kept == reference(data)[: len(kept)] and len(kept) > 30_000
    assert f"out.part holds the first {len(kept) // 976 * 976} bytes; to resume: cipherlane encrypt --resume" in message
    status, _, stderr = crypt(server, big, out, "--resume")
    assert status == 2 and "No space left on device" in one_line_error(stderr), "still full, and still there"
    (small_disk / "ballast").unlink()
    status, _, stderr = crypt(server, big, out, "--resume", "--verify")
    assert status == 0, stderr
    assert out.read_bytes() == reference(data[:60_000])


def test_a_disk_that_is_full_from_the_beginning(server, source, small_disk):
    with (small_disk / "ballast").open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
        while True:
            file.write(bytes(4096))
    status, _, stderr = crypt(server, source, small_disk / "out")
    assert status == 2
    assert "out.part" in one_line_error(stderr) and "No space left on device: make room" in stderr
    assert sorted(path.name for path in small_disk.iterdir()) == ["ballast"], "nothing is left"
    assert server.board.seen == []


def test_the_input_survives_every_way_to_name_it_twice(server, source, tmp_path):
    data = source.read_bytes()
    part = tmp_path / "secret.part"
    part.write_bytes(data)
    (tmp_path / "link").hardlink_to(source)
    for words in (
        (part, tmp_path / "secret"),
        (source, source),
        (source, tmp_path / "link"),
        (tmp_path / "link", source),
    ):
        for options in ([], ["--resume"], ["--force"]):
            status, _, stderr = crypt(server, *words, *options)
            assert status == 2 and "name another OUT" in one_line_error(stderr)
    assert part.read_bytes() == source.read_bytes() == data
    assert server.board.seen == []
