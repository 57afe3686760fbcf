"""The command line, run as a user runs it, against the model peer behind a socket."""

import json
import os
import random
import signal
import subprocess
import sysconfig
import time
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from .model import CYCLES_PER_BLOCK, PeerBoard, SocketBoard

COMMAND = str(Path(sysconfig.get_path("scripts")) / "cipherlane")
KEY = "000102030405060708090a0b0c0d0e0f1011121314151617"
IV = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"


def reference(data):
    return Cipher(algorithms.AES(bytes.fromhex(KEY)), modes.CTR(bytes.fromhex(IV))).encryptor().update(data)


def command(*words, stdin=None, env=None):
    """Run the command; return status, standard output and error (bytes, text)."""
    done = subprocess.run(
        [COMMAND, *map(str, words)],
        input=stdin,
        stdin=None if stdin is not None else subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        env={**os.environ, "CIPHERLANE_PORT": "", **(env or {})},
    )
    return done.returncode, done.stdout, done.stderr.decode()


def crypt(board, source, target, *words, verb="encrypt", **options):
    url = board if isinstance(board, str) else board.url
    return command(verb, "--port", url, "--key", KEY, "--iv", IV, *words, source, target, **options)


def one_line_error(stderr):
    lines = stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("cipherlane: error: "), stderr
    return lines[0]


@pytest.fixture
def server():
    with SocketBoard(PeerBoard()) as board:
        yield board


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in"
    path.write_bytes(random.Random(1).randbytes(5003))
    return path


@pytest.mark.parametrize("length", [0, 1, 16, 1000, 5003])
def test_encrypt_then_decrypt(server, tmp_path, length):
    plain, secret, back = tmp_path / "plain", tmp_path / "secret", tmp_path / "back"
    plain.write_bytes(random.Random(length).randbytes(length))
    status, stdout, stderr = crypt(server, plain, secret, "--engine", "table", "--verify", "--json")
    assert status == 0, stderr
    assert secret.read_bytes() == reference(plain.read_bytes())
    record = json.loads(stdout)
    assert (record["engine"], record["key_bits"], record["direction"]) == ("table", 192, "encrypt")
    assert (record["bytes"], record["kind"], record["verified"]) == (length, "board", True)
    assert record["clock_hz"] == 75_000_000
    assert record["cycles"] == CYCLES_PER_BLOCK * ((length + 15) // 16)
    if length:
        assert record["cycles_per_block"] == CYCLES_PER_BLOCK
        assert record["bits_per_cycle"] == pytest.approx(length * 8 / record["cycles"], abs=1e-4)
        assert record["mbps"] == pytest.approx(length * 8 / record["cycles"] * 75, abs=1e-3)
    else:
        assert record["cycles_per_block"] is record["mbps"] is None
    status, _, stderr = crypt(server, secret, back, verb="decrypt")
    assert status == 0, stderr
    assert "accelerator" in stderr, "the fastest engine is the default"
    assert back.read_bytes() == plain.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["back", "plain", "secret"]
    assert not server.board.sessions


def test_standard_input_and_output(server):
    data = random.Random(2).randbytes(3001)
    status, stdout, stderr = crypt(server, "-", "-", stdin=data)
    assert status == 0, stderr
    assert stdout == reference(data)
    status, _, stderr = crypt(server, "-", "-", "--json", stdin=data)
    assert status == 2 and "name a file" in one_line_error(stderr)
    status, _, stderr = crypt(server, "-", "-", "--resume", stdin=data)
    assert status == 2 and "--resume needs an output file" in one_line_error(stderr)


def test_output_that_is_no_file_keeps_its_name(server, source):
    status, _, stderr = crypt(server, source, "/dev/null")
    assert status == 0, stderr
    assert not Path("/dev/null").is_file() and not Path("/dev/null.part").exists()


def test_key_from_a_file(server, source, tmp_path):
    (tmp_path / "key").write_text(KEY + "\n")
    words = ["encrypt", "--port", server.url, "--key-file", tmp_path / "key", "--iv", IV, source, tmp_path / "out"]
    status, _, stderr = command(*words)
    assert status == 0, stderr
    assert (tmp_path / "out").read_bytes() == reference(source.read_bytes())
    words[4] = tmp_path / "absent"
    status, _, stderr = command(*words)
    assert status == 2 and "cannot read the key" in one_line_error(stderr)


def test_progress_bar_on_request(server, source, tmp_path):
    status, stdout, stderr = crypt(server, source, tmp_path / "out", "--progress", "--json")
    assert status == 0
    assert "Mbps" in stderr and "5.0/5.0 kB" in stderr
    json.loads(stdout)
    status, _, stderr = crypt(server, source, tmp_path / "out", "--resume", "--json")
    assert status == 0 and stderr == "", "quiet where nobody watches"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--key", "00" * 15, "--iv", IV], "the key has 120 bits: give 32, 48 or 64"),
        (["--key", "", "--iv", IV], "the key has 0 bits"),
        (["--key", "zz" * 16, "--iv", IV], "the key is not hexadecimal"),
        (["--key", KEY, "--iv", "00" * 12], "the IV has 12 bytes: give 16"),
        (["--key", KEY, "--iv", "00" * 17], "the IV has 17 bytes: give 16"),
        (["--key", KEY, "--iv", "0"], "the IV is not hexadecimal"),
    ],
)
def test_wrong_keys_and_ivs(source, tmp_path, words, expected):
    status, stdout, stderr = command("encrypt", "--port", "/dev/ttyNOPE", *words, source, tmp_path / "out")
    assert (status, stdout) == (2, b"")
    assert expected in one_line_error(stderr)
    assert KEY not in stderr


def test_wrong_files(server, source, tmp_path):
    status, _, stderr = crypt(server, tmp_path / "absent", tmp_path / "out")
    assert status == 2 and "cannot read" in one_line_error(stderr)
    status, _, stderr = crypt(server, source, tmp_path / "absent" / "out")
    assert status == 2 and "there is no directory" in one_line_error(stderr)
    status, _, stderr = crypt(server, source, tmp_path)
    assert status == 2 and "it is a directory" in one_line_error(stderr)
    status, _, stderr = crypt(server, tmp_path, tmp_path / "out")
    assert status == 2 and "Is a directory" in one_line_error(stderr)
    assert server.board.seen == []


def test_ports_that_do_not_work(source, tmp_path):
    out = tmp_path / "out"
    status, _, stderr = command("info")
    assert status == 3 and "no port named" in one_line_error(stderr)
    for port, expected in (("/dev/ttyNOPE", "no port"), ("socket://127.0.0.1:1", "nothing listens")):
        status, _, stderr = crypt(port, source, out)
        assert status == 3 and expected in one_line_error(stderr)
    env = {"CIPHERLANE_SIM": str(tmp_path)}
    status, _, stderr = crypt("sim", source, out, env=env)
    assert status == 3
    assert one_line_error(stderr).endswith("run `make sim` in the repository, or set CIPHERLANE_SIM")
    assert not out.exists() and not Path(f"{out}.part").exists()


def test_port_from_the_environment(server):
    status, stdout, _ = command("info", "--json", env={"CIPHERLANE_PORT": server.url})
    assert status == 0
    record = json.loads(stdout)
    assert record["board"] == "model" and record["engines"] == ["byte", "table", "ise", "accelerator"]
    assert record["counters"]["crc_errors"] == 2


def test_boards_that_are_not_ours():
    with SocketBoard(PeerBoard(version=3)) as other:
        status, _, stderr = command("info", "--port", other.url)
        assert status == 5 and "speaks record version 2, the board speaks version 3" in one_line_error(stderr)
    with SocketBoard(PeerBoard(), mangle=lambda frame: b"\2", noise=b"litex> ") as other:
        status, _, stderr = command("info", "--port", other.url, "--timeout", "0.1")
        assert status == 4 and "no Cipherlane records" in one_line_error(stderr)
    with SocketBoard(PeerBoard(), mangle=lambda frame: b"\2") as silent:
        status, _, stderr = command("info", "--port", silent.url, "--timeout", "0.1")
        assert status == 4 and "no reply from the board" in one_line_error(stderr)


def test_reused_counter_block_is_refused(server, source, tmp_path):
    assert crypt(server, source, tmp_path / "one")[0] == 0
    status, _, stderr = crypt(server, source, tmp_path / "two")
    assert status == 6 and "use another IV" in one_line_error(stderr)
    assert not (tmp_path / "two").exists()


def test_wrong_results_are_noticed(source, tmp_path):
    board = PeerBoard()
    genuine = board._data

    def wrong(session, offset, token, data):
        number, result = genuine(session, offset, token, data)
        return number, result if offset == 0 else bytes([result[0] ^ 1]) + result[1:]

    board._data = wrong
    with SocketBoard(board) as server:
        status, stdout, stderr = crypt(server, source, tmp_path / "out", "--verify", "--json")
    assert (status, stdout) == (1, b"")
    assert "byte 976 differs from the reference" in one_line_error(stderr)
    assert not (tmp_path / "out").exists()


def test_bench_and_selftest(server):
    status, stdout, _ = command("bench", "--port", server.url, "--json", "--direction", "both")
    assert status == 0
    records = json.loads(stdout)
    assert len(records) == 4 * 3 * 2
    for record in records:
        assert record["bytes"] == 4096 and record["kind"] == "board" and record["verified"] is None
        assert record["cycles_per_block"] * 256 == record["cycles"]
    words = ["--engine", "ise", "--key-bits", "256", "--bytes", "1024"]
    status, stdout, _ = command("bench", "--port", server.url, *words)
    assert status == 0 and b"1024" in stdout and b"ise" in stdout and b"table" not in stdout
    status, stdout, _ = command("selftest", "--port", server.url, "--json")
    assert status == 0 and json.loads(stdout)["passed"] is True
    server.board.selftest_failures = 1
    status, stdout, _ = command("selftest", "--port", server.url)
    assert status == 1 and b"1 failed on ise" in stdout


@pytest.mark.parametrize("words", [[], ["nonsense"], ["bench", "--bytes", "0"], ["info", "--timeout", "-1"]])
def test_usage_errors(words):
    status, stdout, stderr = command(*words)
    assert (status, stdout) == (2, b"") and "usage:" in stderr


def interrupted(server, source, out, *words):
    """Start a transfer, interrupt it when the output has grown, return status and error."""
    process = subprocess.Popen(
        [COMMAND, "encrypt", "--port", server.url, "--key", KEY, "--iv", IV, *words, source, out],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    part = Path(f"{out}.part")
    before = part.stat().st_size if words else 0
    deadline = time.monotonic() + 30
    while not (part.exists() and part.stat().st_size > before) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    return process.returncode, stderr.decode()


def test_interrupt_leaves_the_board_usable_and_resume_completes(server, tmp_path):
    data = random.Random(3).randbytes(150_001)
    source, out = tmp_path / "in", tmp_path / "out"
    source.write_bytes(data)
    server.delay = 0.02
    status, stderr = interrupted(server, source, out)
    assert status == 130
    message = one_line_error(stderr)
    assert "interrupted" in message
    assert f"cipherlane encrypt --resume --port {server.url} --key KEY --iv {IV} {source} {out}" in message
    assert not out.exists()
    part = Path(f"{out}.part")
    kept = part.read_bytes()
    assert 0 < len(kept) < len(data) and kept == reference(data)[: len(kept)]
    assert server.board.seen[-1] == "close" and not server.board.sessions
    assert command("info", "--port", server.url)[0] == 0

    status, stderr = interrupted(server, source, out, "--resume")
    assert status == 130 and "--resume --resume" not in stderr
    more = part.read_bytes()
    assert len(kept) < len(more) < len(data) and more == reference(data)[: len(more)]

    server.delay = 0
    server.board.seen.clear()
    status, stdout, stderr = crypt(server, source, out, "--resume", "--verify", "--json")
    assert status == 0, stderr
    assert out.read_bytes() == reference(data) and not part.exists()
    assert json.loads(stdout)["bytes"] < len(data) - len(more) + 1024, "what was kept is not done again"


def test_resume_refuses_what_is_not_its_own(server, source, tmp_path):
    out, part = tmp_path / "out", tmp_path / "out.part"
    good = reference(source.read_bytes())
    part.write_bytes(good[:1990] + bytes(10))
    status, _, stderr = crypt(server, source, out, "--resume")
    assert status == 2 and "is from another key, IV or input" in one_line_error(stderr)
    part.write_bytes(good + bytes(64))
    status, _, stderr = crypt(server, source, out, "--resume")
    assert status == 2 and "longer than the input" in one_line_error(stderr)
    assert not out.exists()
    for kept in (0, 17, 5003):
        part.write_bytes(good[:kept])
        status, _, stderr = crypt(server, source, out, "--resume")
        assert status == 0, stderr
        assert out.read_bytes() == good and not part.exists()


def test_transfer_that_fails_says_how_to_resume(server, source, tmp_path):
    server.board.fail_after = 2
    status, stdout, stderr = crypt(server, source, tmp_path / "out", "--json")
    assert (status, stdout) == (7, b"")
    message = one_line_error(stderr)
    assert "missing bytes 1952-5002" in message and "--resume" in message
    assert (tmp_path / "out.part").stat().st_size == 1952 and not (tmp_path / "out").exists()
    server.board.fail_after = None
    assert crypt(server, source, tmp_path / "out", "--resume")[0] == 0
    assert (tmp_path / "out").read_bytes() == reference(source.read_bytes())
