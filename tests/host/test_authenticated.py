# SPDX-License-Identifier: BSD-2-Clause
"""Tests authenticated files: their bytes, round trips, refusals, pipes, resumption and dishonest boards."""

import io
import json
import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cipherlane import ArgumentError, TamperedError, TransferError, VerifyError
from cipherlane.files import authenticated
from cipherlane.files.authenticated import Header, RecordReader
from cipherlane.link.device import Device
from cipherlane.measuring import nullranges, oracle
from cipherlane_base.wire.layout import Engine
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tests.waiting import HANG_S, grows

from .blocks import Refusal
from .commands import COMMAND, KEY, LOCKED, ON_POSIX, PATIENT, command, one_line_error, words_of
from .edits import HEADER, TAG, Sealed, check
from .links import LossyLink
from .model import CODES, PeerBoard, SocketBoard
from .test_resume import heed_signals

PAGE = (Path(__file__).parents[2] / "docs/reference/file-format.md").read_text(encoding="utf-8")
RAW_KEY = bytes.fromhex(KEY)
SIZE = 960
SIZES = [0, 1, 15, 16, SIZE - 1, SIZE, SIZE + 1, 2 * SIZE, 5003]


def sealed(data, key=RAW_KEY, size=SIZE, seed=1):
    return Sealed(key, data, size, random.Random(seed).randbytes(8))


def parsed(data, key=RAW_KEY):
    """Decode the bytes `data` of an authenticated file; fail unless every byte is as the file format demands."""
    file = Sealed(key, opened(data, key), 16 * int.from_bytes(data[6:8], "big"), data[8:16])
    assert file.data == data
    return file


def opened(data, key):
    """Decrypt a file with the package `cryptography`, without code of the tool."""
    step, plain = 16 * int.from_bytes(data[6:8], "big") + TAG, b""
    for number, at in enumerate(range(HEADER, len(data), step)):
        nonce = data[8:16] + (2 * number + (at + step >= len(data))).to_bytes(4, "big")
        plain += AESGCM(key).decrypt(nonce, data[at : at + step], data[:HEADER])
    return plain


def files(folder):
    return sorted(path.name for path in folder.iterdir())


# The page


def test_the_page_s_example_is_what_the_page_says():
    (shown,) = re.findall(r"<!-- example -->\n```\n(.*?)```", PAGE, re.S)
    rows = [re.match(r"([0-9a-f]{2})  ((?:[0-9a-f]{2} )+) ", line) for line in shown.splitlines()]
    data = bytes.fromhex("".join(row[2] for row in rows))
    assert [int(row[1], 16) for row in rows] == [0, 16, 32, 48, 59]
    file = parsed(data, bytes(range(16)))
    assert file.plain == b"sixteen bytes, and ten more" and file.plain.decode() in PAGE and file.size == 16


@pytest.mark.parametrize("size", SIZES)
def test_the_page_s_program_decrypts_what_the_tool_writes(server, tmp_path, size):
    (text,) = re.findall(r"<!-- program -->\n```python\n(.*?)```", PAGE, re.S)
    assert text.count("\n") <= 10 and "cipherlane" not in text
    data = random.Random(size).randbytes(size)
    for name, content in (("in", data), ("key", KEY.encode()), ("open.py", text.encode())):
        (tmp_path / name).write_bytes(content)
    status, _, stderr = command("encrypt", "--port", server.url, tmp_path / "in", tmp_path / "out")
    assert status == 0, stderr
    run = [sys.executable, tmp_path / "open.py", tmp_path / "key", tmp_path / "out"]
    assert subprocess.run(run, capture_output=True, check=True, timeout=HANG_S).stdout == data
    wrong = bytearray((tmp_path / "out").read_bytes())
    wrong[-1] ^= 1
    (tmp_path / "out").write_bytes(wrong)
    done = subprocess.run(run, capture_output=True, timeout=HANG_S)
    assert (
        done.returncode
        and b"InvalidTag" in done.stderr
        and data.startswith(done.stdout)
        and len(done.stdout) < size + 1
    )


# Bytes and round trips


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_round_trips_through_boards_and_without_one(server, tmp_path, size, key_bytes):
    rng = random.Random(f"{size}{key_bytes}")
    key, data = rng.randbytes(key_bytes), rng.randbytes(size)
    (tmp_path / "in").write_bytes(data)
    env = {"CIPHERLANE_KEY": key.hex()}
    words = ("encrypt", "--port", server.url, "--verify", "--json", tmp_path / "in", tmp_path / "out")
    status, stdout, stderr = command(*words, env=env)
    assert (status, stderr) == (0, "")
    secret = (tmp_path / "out").read_bytes()
    file = parsed(secret, key)
    assert (file.plain, file.size) == (data, SIZE)
    assert f'"nonce_prefix": "{file.prefix.hex()}"'.encode() in stdout and b'"cipher": "gcm"' in stdout
    with SocketBoard(PeerBoard()) as other:
        for port in ("none", other.url):
            status, stdout, stderr = command(
                "decrypt", "--port", port, "--json", tmp_path / "out", tmp_path / port[:4], env=env
            )
            assert (status, stderr) == (0, "")
            assert (tmp_path / port[:4]).read_bytes() == data
    assert files(tmp_path) == ["in", "none", "out", "sock"]


def test_the_null_board_agrees(null_board, tmp_path, monkeypatch):
    for size in SIZES:
        data = random.Random(size).randbytes(size)
        (tmp_path / "in").write_bytes(data)
        assert command("encrypt", "--port", null_board.url, "--force", tmp_path / "in", tmp_path / "out")[0] == 0
        assert parsed((tmp_path / "out").read_bytes()).plain == data
        # Delete the null board's list of used ranges of counter blocks, as a power cycle does.
        monkeypatch.setattr(null_board, "_ranges", nullranges.Ranges())
        words = ("decrypt", "--port", null_board.url, "--force", "--verify", tmp_path / "out", tmp_path / "back")
        assert command(*words)[0] == 0
        assert (tmp_path / "back").read_bytes() == data


def test_each_file_has_a_prefix_of_its_own(server, source, tmp_path):
    for name in ("one", "two"):
        assert command("encrypt", "--port", server.url, source, tmp_path / name)[0] == 0
    one, two = (parsed((tmp_path / name).read_bytes()) for name in ("one", "two"))
    assert one.prefix != two.prefix and one.plain == two.plain and not set(one.records) & set(two.records)


def test_files_with_records_of_other_sizes_are_read(server, tmp_path):
    for size in (16, 1008, 1 << 16, 65535 * 16):
        data = random.Random(size).randbytes(3 * size + 5 if size < 1 << 20 else size + 5)
        (tmp_path / "in").write_bytes(sealed(data, size=size).data)
        status, stdout, stderr = command("decrypt", "--port", "none", tmp_path / "in", "-")
        assert status == 0 and stdout == data, stderr
    status, _, stderr = command("decrypt", "--port", server.url, tmp_path / "in", tmp_path / "out")
    assert status == 2 and "decrypt it with --port none" in one_line_error(stderr)
    assert files(tmp_path) == ["in"]


@pytest.mark.parametrize("seed", range(20))
def test_a_bad_link_changes_nothing(seed):
    """Encrypted and decrypted files must be complete and right, although the link loses, repeats, moves or damages
    records.
    """
    rng = random.Random(seed)
    data = rng.randbytes(rng.choice((0, 1, SIZE, 3 * SIZE, rng.randrange(60_000))))
    shared = seed % 2 == 1
    rates = dict(lose=0.05, repeat=0.05, truncate=0.03, corrupt=0 if shared else 0.05, reorder=0.2 if shared else 0)
    board = PeerBoard(max_data=1440, rx_window=1 << 16 if shared else 3040)
    link = LossyLink(board, seed=seed, ordered=not shared, shared=shared, run=1 + seed % 5, **rates)
    with Device(link) as device:
        secret, plain = io.BytesIO(), io.BytesIO()
        with device.open_session(RAW_KEY, None, Engine.TABLE, gcm=True) as session:
            report = session.transfer(io.BytesIO(data), secret)
        header = Header.of_stream(RAW_KEY, session.iv, session.record_bytes).encode()
        assert parsed(header + secret.getvalue()).plain == data and report.bytes == len(data)
        board.power_cycle()
        secret.seek(0)
        with device.open_session(RAW_KEY, session.iv, Engine.TABLE, "decrypt", gcm=True, length=len(data)) as again:
            again.transfer(secret, plain, length=len(data))
        assert plain.getvalue() == data


# Reading ahead


class Dribble:
    """A reader that returns only a few bytes at a time, as pipes do."""

    def __init__(self, data, rng):
        self._file, self._rng = io.BytesIO(data), rng

    def read(self, size):
        return self._file.read(min(size, self._rng.randrange(1, 50)))


@pytest.mark.parametrize("seed", range(30))
def test_records_are_cut_where_they_end(seed):
    rng = random.Random(seed)
    size = rng.choice((1, 16, 33))
    data = rng.randbytes(rng.choice((0, 1, size - 1, size, size + 1, 4 * size, rng.randrange(500))))
    reader = RecordReader(Dribble(data, rng) if seed % 2 else io.BytesIO(data), size)
    parts = []
    while not reader.at_end:
        found = reader.read(rng.randrange(1, 6))
        assert found
        parts += map(bytes, found)
        assert len(b"".join(parts)) < len(data) or reader.at_end, "the last record is known when it is returned"
    assert reader.read(1) == []
    assert parts == ([data[at : at + size] for at in range(0, len(data), size)] or [b""])


def test_sizes_that_no_file_has():
    header = Header(16, 32, bytes(8))
    for size in range(16, 400):
        count = max(1, -(-(size - 16) // 48))
        last = size - 16 - 48 * (count - 1)
        if last < 16 or (last == 16 and count > 1):
            with pytest.raises(TamperedError, match=f"record {count - 1}"):
                header.plain_size(size)
        else:
            assert header.plain_size(size) == size - 16 - 16 * count
    assert len(header.nonce(authenticated.MOST_RECORDS - 1, True)) == 12
    with pytest.raises(ArgumentError, match="at most"):
        header.nonce(authenticated.MOST_RECORDS, False)


# Refusals


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_edits_by_seed(tmp_path, first):
    for seed in range(first, first + 50):
        check(seed, tmp_path, "--port", "none")


def test_edits_by_seed_through_a_board(null_board, tmp_path, monkeypatch):
    for seed in range(1000, 1100):
        monkeypatch.setattr(null_board, "_ranges", nullranges.Ranges())
        check(seed, tmp_path, "--port", null_board.url)


@pytest.mark.parametrize("port", ["none", "a board"])
def test_a_refusal_names_record_and_remedy(server, tmp_path, port):
    file = sealed(bytes(5003))
    data = bytearray(file.data)
    data[HEADER + 3 * (SIZE + TAG)] ^= 1
    (tmp_path / "in").write_bytes(data)
    (tmp_path / "out").write_text("older")
    port = server.url if port == "a board" else port
    status, _, stderr = command("decrypt", "--port", port, "--force", tmp_path / "in", tmp_path / "out")
    assert status == 8
    line = one_line_error(stderr)
    assert f"record 3 of {tmp_path}/in was changed" in line
    assert "get the file again, or give the key that encrypted it" in line and "out was not written" in line
    assert (tmp_path / "out").read_text() == "older" and files(tmp_path) == ["in", "out"]
    (tmp_path / "in").write_bytes(file.data)  # follow the advice: get the file again
    server.board.power_cycle()
    assert command("decrypt", "--port", port, "--force", tmp_path / "in", tmp_path / "out")[0] == 0
    for key in (KEY[2:] + "00", KEY[:32], KEY + KEY[:16]):
        server.board.power_cycle()
        words = ("decrypt", "--port", port, "--force", tmp_path / "in", tmp_path / "out")
        status, _, stderr = command(*words, env={"CIPHERLANE_KEY": key})
        part = "record 0" if len(key) == len(KEY) else "the header"
        assert status == 8 and f"{part} of " in one_line_error(stderr)
    assert (tmp_path / "out").read_bytes() == file.plain


@pytest.mark.parametrize(
    ("data", "status", "said"),
    [
        (b"", 2, "is no authenticated file of cipherlane: if encrypt --raw wrote it, give --raw and --iv"),
        (bytes(100), 2, "give --raw and --iv"),
        (b"CLGC", 8, "the header of"),
        (sealed(b"").data[:16], 8, "record 0 of"),
        (sealed(b"").data[:31], 8, "record 0 of"),
        (b"CLGC\x02" + sealed(b"abc").data[5:], 2, "has version 2 of the format, but this tool knows 1: update it"),
    ],
)
@pytest.mark.parametrize("how", ["file", "pipe"])
def test_what_is_no_such_file(server, tmp_path, data, status, said, how):
    (tmp_path / "in").write_bytes(data)
    for port in ("none", server.url):
        words = ("decrypt", "--port", port, tmp_path / "in" if how == "file" else "-", tmp_path / "out")
        got, _, stderr = command(*words, stdin=data if how == "pipe" else None)
        assert got == status and said in one_line_error(stderr)
    assert (files(tmp_path) == ["in"] and "open" not in server.board.seen[:-1]) or how == "pipe"


def test_raw_files_are_told_apart(server, source, tmp_path):
    """Without --raw, decrypt refuses a raw file and advises to give --raw and --iv. This advice works."""
    words = ("--port", server.url, "--raw", "--iv", "00" * 16)
    assert command("encrypt", *words, source, tmp_path / "out")[0] == 0
    assert (tmp_path / "out").stat().st_size == source.stat().st_size
    status, _, stderr = command("decrypt", "--port", server.url, tmp_path / "out", tmp_path / "back")
    assert status == 2 and "give --raw and --iv" in one_line_error(stderr)
    server.board.power_cycle()
    assert command("decrypt", *words, tmp_path / "out", tmp_path / "back")[0] == 0
    assert (tmp_path / "back").read_bytes() == source.read_bytes()
    for verb in ("encrypt", "decrypt"):
        status, _, stderr = command(verb, "--port", server.url, "--iv", "00" * 16, source, tmp_path / "no")
        assert status == 2 and "--iv goes with --raw" in one_line_error(stderr)


def test_without_a_board_only_what_needs_none(server, source, tmp_path):
    """With --port none, the tool only decrypts authenticated files. Errors for other tasks give advice that works."""
    (tmp_path / "secret").write_bytes(sealed(b"abc").data)
    for verb, words in (("encrypt", ()), ("decrypt", ("--verify",))):
        words = (verb, "--port", server.url, *words, tmp_path / "secret", tmp_path / verb)
        assert command(*words)[0] == 0
    assert command("decrypt", "--port", "none", tmp_path / "secret", tmp_path / "none")[0] == 0
    for verb, words, said in (
        ("encrypt", (), "--port none only decrypts authenticated files: name a board with --port"),
        ("decrypt", ("--raw", "--iv", "00" * 16), "--port none only decrypts"),
        ("decrypt", ("--verify",), "--verify is about a board: leave it out, or name a board with --port"),
        ("decrypt", ("--engine", "ise"), "--engine is about a board"),
        ("decrypt", ("--log", tmp_path / "log"), "--log is about a board"),
    ):
        status, _, stderr = command(verb, "--port", "none", *words, tmp_path / "secret", tmp_path / "out")
        assert status == 2 and said in one_line_error(stderr)
    assert files(tmp_path) == ["decrypt", "encrypt", "in", "none", "secret"]


def test_a_board_that_has_handled_the_file_says_how_to_decrypt_it(server, source, tmp_path):
    assert command("encrypt", "--port", server.url, source, tmp_path / "out")[0] == 0
    words = (tmp_path / "out", tmp_path / "back")
    status, _, stderr = command("decrypt", "--port", server.url, *words)
    assert status == 6 and "decrypt it with --port none, on another board, or after a power" in one_line_error(stderr)
    assert command("decrypt", "--port", "none", *words)[0] == 0
    with SocketBoard(PeerBoard()) as other:
        assert command("decrypt", "--port", other.url, "--force", *words)[0] == 0
    server.board.power_cycle()
    assert command("decrypt", "--port", server.url, "--force", *words)[0] == 0


def test_boards_and_engines_without_gcm(server, source, tmp_path):
    words = ("encrypt", "--port", server.url, "--engine", "accelerator", source, tmp_path / "out")
    server.board.gcm_engines = 0b0111
    status, _, stderr = command(*words)
    assert status == 2 and "engine accelerator has no AES-GCM: use another engine, or give --raw" in one_line_error(
        stderr
    )
    assert command(*words, "--raw", "--force")[0] == 0
    assert command(*words[:3], "--force", *words[-2:], "--json")[0] == 0, "by default an engine that has it"
    server.board.gcm_engines = 0
    status, _, stderr = command(*words[:3], "--force", *words[-2:])
    assert status == 2 and "the board has no AES-GCM: use another board or current firmware" in one_line_error(stderr)
    assert command(*words[:3], "--raw", "--force", *words[-2:])[0] == 0


def test_the_package_that_is_missing(source, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    (tmp_path / "secret").write_bytes(sealed(b"abc").data)
    status, _, stderr = command("decrypt", "--port", "none", tmp_path / "secret", tmp_path / "out")
    assert status == 1 and "pip install 'cipherlane[verify]'" in one_line_error(stderr)
    assert files(tmp_path) == ["in", "secret"]


# Pipes


@pytest.mark.parametrize("size", SIZES)
def test_pipes(server, tmp_path, size):
    data = random.Random(size).randbytes(size)
    status, secret, stderr = command("encrypt", "--port", server.url, "-", "-", stdin=data)
    assert status == 0 and parsed(secret).plain == data, stderr
    server.board.power_cycle()
    for port in ("none", server.url):
        status, plain, stderr = command("decrypt", "--port", port, "-", "-", stdin=secret)
        assert status == 0 and plain == data, stderr
        cut, changed = secret[:-1], bytearray(secret)
        changed[-1] ^= 1
        for wrong in (cut, changed):
            server.board.power_cycle()
            status, plain, stderr = command("decrypt", "--port", port, "-", "-", stdin=bytes(wrong))
            last = max(0, -(-size // SIZE) - 1)
            assert status == 8 and f"record {last} of - was changed" in one_line_error(stderr)
            assert data.startswith(plain) and len(plain) <= last * SIZE
            assert f"- got the first {len(plain)} bytes" in stderr
        server.board.power_cycle()


@ON_POSIX
def test_verified_records_leave_while_the_pipe_is_open(tmp_path):
    """The tool writes each verified record while the input is still open. The tool holds back only a record that could
    be the last one.
    """
    file = sealed(bytes(10 * SIZE))
    process = subprocess.Popen(
        [COMMAND, "decrypt", "--port", "none", "-", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "CIPHERLANE_KEY": KEY},
    )
    process.stdin.write(file.header + b"".join(file.records[:4]))
    process.stdin.flush()
    assert os.read(process.stdout.fileno(), 1 << 16) != b""
    _, stderr = process.communicate(b"".join(file.records[4:]), timeout=HANG_S)
    assert process.returncode == 0, stderr


# Resumption


def stopped(server, words, part, number, records):
    """Start a command. When the board has answered `records` data records, send the signal `number` to the command.
    Return the text of its error.
    """
    server.most = records + 1
    (part.parent / "key").write_text(KEY)
    (part.parent / "key").chmod(0o600)
    process = subprocess.Popen(
        [COMMAND, *words, *PATIENT, "--key-file", part.parent / "key"], stderr=subprocess.PIPE, preexec_fn=heed_signals
    )
    grows(part, records * SIZE - 1, process)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=HANG_S)
    server.most = None
    assert process.returncode in (-number, 128 + number), stderr
    return stderr.decode()


@LOCKED
@ON_POSIX
@pytest.mark.parametrize("records", [10, 120])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_transfer_is_resumed(server, tmp_path, number, records):
    """After an interruption, the user can resume an encryption or decryption. This must work even if the output is
    longer than the sidecar (the journal file) states, or the board's window has moved past record 0.
    """
    data = random.Random(3).randbytes(150_001)
    (tmp_path / "in").write_bytes(data)
    for verb, source, target in (("encrypt", "in", "out"), ("decrypt", "out", "back")):
        server.board.power_cycle()
        part = tmp_path / f"{target}.part"
        words = [verb, "--port", server.url, tmp_path / source, tmp_path / target]
        stderr = stopped(server, words, part, number, records)
        assert not (tmp_path / target).exists() and records * SIZE <= part.stat().st_size < len(data)
        again = [*words, "--resume"]
        if number == signal.SIGINT:
            line = one_line_error(stderr)
            assert re.search(r"out.part holds the first \d+ bytes|back.part holds the first \d+ bytes", line)
            again = words_of(line.partition("; to resume: ")[2])[1:]
        status, stdout, stderr = command(*again, "--verify", "--json")
        assert (status, stderr) == (0, "")
        assert json.loads(stdout)["bytes"] < len(data) - records * SIZE + 40 * SIZE, "most is not done again"
    assert parsed((tmp_path / "out").read_bytes()).plain == (tmp_path / "back").read_bytes() == data
    assert files(tmp_path) == ["back", "in", "key", "out"]


@LOCKED
@pytest.mark.parametrize("fails_after", [0, 1, 3, 5])
@pytest.mark.parametrize("size", [5003, 6 * SIZE])
@pytest.mark.parametrize("verify", [(), ("--verify",)])
def test_both_directions_are_resumed_after_any_record(server, tmp_path, fails_after, size, verify):
    data = random.Random(size).randbytes(size)
    (tmp_path / "in").write_bytes(data)
    for verb, source, target in (("encrypt", "in", "out"), ("decrypt", "out", "back")):
        server.board.power_cycle()
        words = (verb, "--port", server.url, "--json", *verify, tmp_path / source, tmp_path / target)
        server.board.fail_after = fails_after
        assert command(*words)[0] == 7
        server.board.fail_after = None
        assert not (tmp_path / target).exists()
        server.board.seen.clear()
        status, stdout, stderr = command(*words, "--resume")
        assert (status, stderr) == (0, "")
        assert f'"bytes": {size - fails_after * SIZE}'.encode() in stdout, "what is complete is not done again"
        assert len([name for name in server.board.seen if name.startswith("data")]) == 6 - fails_after
    assert parsed((tmp_path / "out").read_bytes()).plain == (tmp_path / "back").read_bytes() == data
    assert files(tmp_path) == ["back", "in", "out"]


@LOCKED
def test_the_last_record_is_done_again_as_the_last_one(server, tmp_path, monkeypatch):
    """The run is interrupted when OUT.part is complete, but before the tool renames OUT.part to OUT. A later run must
    repeat the last record, and must again mark it as the last record.
    """
    data = bytes(4 * SIZE)
    (tmp_path / "in").write_bytes(data)
    words = ("encrypt", "--port", server.url, tmp_path / "in", tmp_path / "out")

    def fails(self):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("cipherlane.files.output.OutputFile.commit", fails)
        status, _, stderr = command(*words)
    assert status == 130 and f"holds the first {HEADER + 3 * (SIZE + TAG)} bytes" in stderr
    status, _, stderr = command(*words, "--resume", "--verify")
    assert status == 0, stderr
    assert parsed((tmp_path / "out").read_bytes()).plain == data


@LOCKED
def test_a_board_that_forgot_begins_again(server, source, tmp_path):
    out, back = tmp_path / "out", tmp_path / "back"
    for verb, of, to in (("encrypt", source, out), ("decrypt", out, back)):
        words = (verb, "--port", server.url, of, to)
        server.board.power_cycle()
        server.board.fail_after = 3
        assert command(*words)[0] == 7
        before = (tmp_path / f"{to.name}.part").read_bytes()[:HEADER]
        server.board.fail_after = None
        server.board.power_cycle()
        status, _, stderr = command(*words, "--resume", "--verify")
        assert status == 0 and "does not know this transfer: it begins again at byte 0" in stderr, stderr
        assert verb == "decrypt" or out.read_bytes()[:HEADER] != before, "no nonce is used for two data"
    assert parsed(out.read_bytes()).plain == back.read_bytes() == source.read_bytes()


@LOCKED
def test_a_pipe_is_resumed_unless_the_board_forgot(server, source, tmp_path):
    data = source.read_bytes()
    words = ("encrypt", "--port", server.url, "-", tmp_path / "out")
    server.board.fail_after = 3
    assert command(*words, stdin=data)[0] == 7
    status, _, stderr = command(*words, "--resume", stdin=data[: 3 * SIZE])
    assert status == 7 and "the input ended before its last record" in one_line_error(stderr)
    server.board.fail_after = None
    server.board.power_cycle()
    status, _, stderr = command(*words, "--resume", stdin=data)
    assert status == 2 and "delete the .part files and begin again without --resume" in one_line_error(stderr)
    for name in ("out.part", "out.part.resume"):
        (tmp_path / name).unlink()
    server.board.fail_after = 3
    assert command(*words, stdin=data)[0] == 7
    server.board.fail_after = None
    status, _, stderr = command(*words, "--resume", stdin=data)
    assert status == 0, stderr
    assert parsed((tmp_path / "out").read_bytes()).plain == data


@LOCKED
def test_what_a_board_began_is_finished_without_one(server, source, tmp_path):
    (tmp_path / "secret").write_bytes(sealed(source.read_bytes()).data)
    server.board.fail_after = 3
    assert command("decrypt", "--port", server.url, tmp_path / "secret", tmp_path / "out")[0] == 7
    status, stdout, stderr = command(
        "decrypt", "--port", "none", "--resume", "--json", tmp_path / "secret", tmp_path / "out"
    )
    assert status == 0 and f'"bytes": {5003 - 3 * SIZE}'.encode() in stdout, stderr
    assert (tmp_path / "out").read_bytes() == source.read_bytes()


@LOCKED
def test_what_was_kept_is_checked(server, source, tmp_path):
    """Resuming is refused if any bit of OUT.part (header, record or tag) has changed. It is also refused with another
    cipher or another input.
    """
    server.board.fail_after = 3
    words = ("encrypt", "--port", server.url, source, tmp_path / "out")
    assert command(*words)[0] == 7
    server.board.fail_after = None
    good = (tmp_path / "out.part").read_bytes()
    assert len(good) == HEADER + 3 * (SIZE + TAG)
    for at in (0, 8, 15, 16, HEADER + SIZE, len(good) - 1):
        (tmp_path / "out.part").write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        status, _, stderr = command(*words, "--resume")
        assert status == 2 and "out.part has changed since then" in one_line_error(stderr)
    (tmp_path / "out.part").write_bytes(good)
    status, _, stderr = command(*words, "--resume", "--raw")
    assert status == 2 and "was begun with another cipher" in one_line_error(stderr)
    assert command(*words, "--resume")[0] == 0
    one, two = (sealed(source.read_bytes(), seed=seed).data for seed in (1, 2))
    back = ("decrypt", "--port", server.url, "-", tmp_path / "back")
    server.board.fail_after = 3
    assert command(*back, stdin=one)[0] == 7
    status, _, stderr = command(*back, "--resume", stdin=two)
    assert status == 2 and "was begun with another input" in one_line_error(stderr)


@LOCKED
def test_a_wrong_record_after_resuming_leaves_nothing(server, source, tmp_path):
    data = bytearray(sealed(source.read_bytes()).data)
    data[-1] ^= 1
    (tmp_path / "secret").write_bytes(data)
    words = ("decrypt", "--port", server.url, tmp_path / "secret", tmp_path / "out")
    server.board.fail_after = 3
    assert command(*words)[0] == 7
    server.board.fail_after = None
    status, _, stderr = command(*words, "--resume")
    assert status == 8 and "record 5 of" in one_line_error(stderr)
    assert files(tmp_path) == ["in", "secret"]


# Dishonest boards


class Dishonest(PeerBoard):
    """A dishonest board. It computes AES-GCM, but then calls `lie(number, data, last)` to replace the data of each
    reply. `number` is the record's number. `last` is true for the last record.
    """

    def __init__(self, lie, **options):
        super().__init__(**options)
        self._lie = lie

    def _message(self, entry, offset, data, last):
        session, reply = super()._message(entry, offset, data, last)
        return session, self._lie(offset // entry.record_bytes, reply, last)


def changed(number, data, last):
    return data if number != 2 else data[:-1] + bytes([data[-1] ^ 1])


def test_a_wrong_tag_from_the_board_is_found_by_verifying(source, tmp_path):
    for verify, expected in (((), 0), (("--verify",), 1)):
        with SocketBoard(Dishonest(changed)) as server:
            words = ("encrypt", "--port", server.url, *verify, "--force", source, tmp_path / "out")
            status, _, stderr = command(*words)
        assert status == expected, stderr
    assert "record 2 differs from the reference" in stderr
    assert (tmp_path / "out.part").stat().st_size == HEADER + 2 * (SIZE + TAG)
    status, _, stderr = command("decrypt", "--port", "none", tmp_path / "out", tmp_path / "back")
    assert status == 8 and "record 2 of" in stderr


class Credulous(PeerBoard):
    """A board that returns plaintext without checking the tags."""

    def _message(self, entry, offset, data, last):
        text = len(data) - TAG * entry.direction
        header = Header.of_stream(entry.key, entry.iv, entry.record_bytes)
        plain = oracle.encrypted(entry.key, header.nonce(offset // entry.record_bytes, last) + b"\0\0\0\2", data[:text])
        return entry.session, plain


def test_plaintext_of_a_forged_record_is_found_by_verifying(source, tmp_path):
    data = bytearray(sealed(source.read_bytes()).data)
    data[HEADER + 4 * (SIZE + TAG) + 7] ^= 1
    (tmp_path / "secret").write_bytes(data)
    with SocketBoard(Credulous()) as server:
        words = ("decrypt", "--port", server.url, "--verify", tmp_path / "secret", tmp_path / "out")
        status, _, stderr = command(*words)
    assert status == 1 and "the board released record 4, but its tag is wrong" in stderr
    assert (tmp_path / "out.part").read_bytes() == source.read_bytes()[: 4 * SIZE] and not (tmp_path / "out").exists()


@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
@pytest.mark.parametrize(
    "lie",
    [
        lambda number, data, last: data[:-TAG] if number == 1 else data,
        lambda number, data, last: data + bytes(TAG) if number == 1 else data,
        lambda number, data, last: data[:-1] if last else data,
        lambda number, data, last: b"" if last else data,
    ],
)
def test_results_of_another_length_are_never_written(direction, lie):
    file = sealed(bytes(5 * SIZE - 3))
    board = Dishonest(lie, max_data=1440, rx_window=1 << 14)
    with Device(LossyLink(board, seed=1)) as device:
        out = io.BytesIO()
        source = file.plain if direction == "encrypt" else file.data[HEADER:]
        with (
            device.open_session(RAW_KEY, file.prefix + bytes(8), Engine.TABLE, direction, gcm=True) as session,
            pytest.raises(TransferError, match="no reply to"),
        ):
            session.transfer(io.BytesIO(source), out)
    whole = file.data[HEADER:] if direction == "encrypt" else file.plain
    assert whole.startswith(out.getvalue())
    assert len(out.getvalue()) < len(whole)


def test_a_last_record_is_answered_as_the_last_record_only():
    """The host does not accept a reply of type `data` as the answer to a request of type `data_last`."""
    board = PeerBoard(max_data=1440, rx_window=1 << 14)
    answer = board.answer

    def lies(record, peer=None):
        reply = answer(record, peer)
        return reply[:1] + bytes([CODES["data"] | 0x80]) + reply[2:] if record[1] == CODES["data_last"] else reply

    board.answer = lies
    with (
        Device(LossyLink(board, seed=1)) as device,
        device.open_session(RAW_KEY, None, Engine.TABLE, gcm=True) as session,
    ):
        out = io.BytesIO()
        with pytest.raises(TransferError):
            session.transfer(io.BytesIO(bytes(3 * SIZE)), out)
        assert len(out.getvalue()) == 2 * (SIZE + TAG)


def test_a_board_that_refuses_tags_when_it_encrypts_is_not_believed():
    board = PeerBoard(max_data=1440, rx_window=1 << 14)

    def refuses(*_, **__):
        raise Refusal("tag")

    board._message = refuses
    with (
        Device(LossyLink(board, seed=1)) as device,
        device.open_session(RAW_KEY, None, Engine.TABLE, gcm=True) as session,
        pytest.raises(TransferError, match="refused data"),
    ):
        session.transfer(io.BytesIO(bytes(3 * SIZE)), io.BytesIO())


def test_the_verifier_finds_every_difference():
    """For encryption and decryption, the verifier compares each byte of each record, and notices missing records."""
    file = sealed(random.Random(4).randbytes(3 * SIZE + 5))
    header = Header(len(RAW_KEY), SIZE, file.prefix)
    sides = {"encrypt": (file.plain, file.data[HEADER:]), "decrypt": (file.data[HEADER:], file.plain)}
    for direction, (data, result) in sides.items():

        def run(result, direction=direction, data=data):
            verifier = oracle.GcmVerifier(RAW_KEY, header, direction)
            verifier.note(data)
            verifier.compare(result)
            verifier.finish()

        run(result)
        for at in range(0, len(result), 97):
            with pytest.raises(VerifyError):
                run(result[:at] + bytes([result[at] ^ 1]) + result[at + 1 :])
        for size in range(0, len(result), 101):
            with pytest.raises(VerifyError):
                run(result[:size])
