# SPDX-License-Identifier: BSD-2-Clause
"""Tests the command line as a user runs it, with the model board at a socket."""

import json
import os
import random
from pathlib import Path

import pytest
from cipherlane.commands import common

from tests.waiting import until

from .commands import IV, NO_PORT, command, crypt, one_line_error, reference
from .model import CYCLES_PER_BLOCK, PeerBoard, SocketBoard


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
    assert record["clock_hz"] == 75_000_000 and record["iv"] == IV
    assert record["cycles"] == CYCLES_PER_BLOCK * ((length + 15) // 16)
    if length:
        assert record["cycles_per_block"] == CYCLES_PER_BLOCK
        assert record["bits_per_cycle"] == pytest.approx(length * 8 / record["cycles"], abs=1e-4)
        assert record["mbps"] == pytest.approx(length * 8 / record["cycles"] * 75, abs=1e-3)
    else:
        assert record["cycles_per_block"] is record["mbps"] is None
    if length:
        status, _, stderr = crypt(server, secret, back, verb="decrypt")
        assert status == 6 and "another board" in one_line_error(stderr)
    with SocketBoard(PeerBoard()) as other:
        status, _, stderr = crypt(other, secret, back, verb="decrypt")
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
    status, _, stderr = crypt(server, source, os.devnull)
    assert status == 0, stderr
    assert not Path(os.devnull).is_file() and not Path(f"{os.devnull}.part").exists()


def test_progress_bar_on_request(server, source, tmp_path):
    status, stdout, stderr = crypt(server, source, tmp_path / "out", "--progress", "--json")
    assert status == 0
    assert "Mbps" in stderr and "5.0/5.0 kB" in stderr
    json.loads(stdout)
    server.board.power_cycle()
    status, _, stderr = crypt(server, source, tmp_path / "out", "--force", "--json")
    assert status == 0 and stderr == "", "quiet where nobody watches"


def test_wrong_files(server, source, tmp_path):
    status, _, stderr = crypt(server, tmp_path / "absent", tmp_path / "out")
    assert status == 2 and "cannot read" in one_line_error(stderr)
    status, _, stderr = crypt(server, source, tmp_path / "absent" / "out")
    assert status == 2 and "there is no directory" in one_line_error(stderr)
    status, _, stderr = crypt(server, source, tmp_path)
    assert status == 2 and "it is a directory" in one_line_error(stderr)
    status, _, stderr = crypt(server, tmp_path, tmp_path / "out")
    assert status == 2 and "it is a directory" in one_line_error(stderr)
    assert server.board.seen == []


def test_ports_that_do_not_work(source, tmp_path):
    out = tmp_path / "out"
    status, _, stderr = command("info")
    assert status == 3 and "no port named" in one_line_error(stderr)
    for port, expected in (("/dev/ttyNOPE", NO_PORT), ("socket://127.0.0.1:1", "nothing listens")):
        status, _, stderr = crypt(port, source, out)
        assert status == 3 and expected in one_line_error(stderr)
    env = {"CIPHERLANE_SIM": str(tmp_path)}
    status, _, stderr = crypt("sim", source, out, env=env)
    assert status == 3
    assert "run `make sim` in the repository, or set CIPHERLANE_SIM" in one_line_error(stderr)
    assert not out.exists() and not Path(f"{out}.part").exists()


def test_port_from_the_environment(server):
    status, stdout, _ = command("info", "--json", env={"CIPHERLANE_PORT": server.url})
    assert status == 0
    record = json.loads(stdout)
    assert record["board"] == "model" and record["engines"] == ["byte", "table", "ise", "accelerator"]
    assert record["counters"]["crc_errors"] == 2


def test_boards_that_are_not_ours(monkeypatch):
    with SocketBoard(PeerBoard(version=2)) as other:
        status, _, stderr = command("info", "--port", other.url)
        assert status == 5 and "speaks record version 3, the board speaks version 2" in one_line_error(stderr)
    with SocketBoard(PeerBoard(), mangle=lambda frame: b"\2", noise=b"litex> ") as other:
        opens = common.open_device

        def opened(args):
            """Open a device, send it a meaningless record, wait until an answer has arrived, and return the device."""
            transport = (device := opens(args)).link.transport
            transport.send(b"first")
            until(transport.strays, step=lambda: transport.receive(0.1))
            return device

        monkeypatch.setattr(common, "open_device", opened)
        status, _, stderr = command("info", "--port", other.url, "--timeout", "0.1")
        monkeypatch.undo()
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
    assert len(records) == 4 * 3 * 2 * 2 and {record["mode"] for record in records} == {"ctr", "gcm"}
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
    assert status == 1 and b"2 failed on ise" in stdout


@pytest.mark.parametrize("words", [[], ["nonsense"], ["bench", "--bytes", "0"], ["info", "--timeout", "-1"]])
def test_usage_errors(words):
    status, stdout, stderr = command(*words)
    assert (status, stdout) == (2, b"") and "usage:" in stderr
