# SPDX-License-Identifier: BSD-2-Clause
"""Tests measurements that are interrupted or fail: the results so far are printed, written to files and marked."""

import csv
import json
import os
import re
import signal
import subprocess

import pytest
from cipherlane.link.device import Device

from .commands import COMMAND, ON_POSIX, command, one_line_error
from .model import PeerBoard, SocketBoard
from .test_resume import heed_signals


@ON_POSIX
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_stream_leaves_its_figures(null_board, tmp_path, number):
    results, table = tmp_path / "x.json", tmp_path / "x.csv"
    words = [
        "bench",
        "--link",
        "--port",
        null_board.url,
        "--key-bits",
        "128",
        "--duration",
        "3600",
        "--interval",
        "0.1",
    ]
    process = subprocess.Popen(
        [COMMAND, *words, "--interval", "0.1", "--json", "--results", results, "--csv", table],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_signals,
        env={**os.environ, "CIPHERLANE_CONFIG": ""},
    )
    try:
        lines = [process.stderr.readline() for _ in range(5)]  # two lines of heading, and the lines of three intervals
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 128 + number, stderr
    (record,) = json.loads(stdout)
    assert record["interrupted"] is True and record["bytes"] > 0 and record["goodput_mbps"] > 0
    seen = [line for line in (*lines[2:], *stderr.splitlines()) if re.match(r" +\d+\.\d\d-", line)]
    assert len(record["intervals"]) == len(seen) >= 3 and "total 0.00-" in stderr
    assert sum(each["received_bytes"] for each in record["intervals"]) == record["bytes"]
    said = f"interrupted; 0 of 1 figures were measured, and a part of one: see {results}, {table}"
    assert said in one_line_error(stderr.splitlines()[-1])
    content = json.loads(results.read_text())
    assert (
        content["records"] == [record] and content["interrupted"] == "0 of 1 figures were measured, and a part of one"
    )
    (row,) = csv.DictReader(table.open())
    assert (row["interrupted"], int(row["bytes"])) == ("True", record["bytes"])


@pytest.mark.parametrize("shown", [[], ["--json"]])
def test_a_stream_that_the_board_ends_leaves_its_figures(tmp_path, shown):
    with SocketBoard(PeerBoard()) as server:
        server.board.fail_after = 60
        words = ("bench", "--link", "--port", server.url, "--key-bits", "128", "--bytes", "40000")
        status, stdout, stderr = command(*words, *shown, "--results", tmp_path / "x.json")
    assert status == 7 and "1 of 4 figures were measured, and a part of one: see" in one_line_error(stderr)
    records = json.loads((tmp_path / "x.json").read_text())["records"]
    assert [each["interrupted"] for each in records] == [False, True]
    assert records[0]["bytes"] == 40_000 and 0 < records[1]["bytes"] < 40_000
    if shown:
        assert json.loads(stdout) == records
    else:
        text = " ".join(stdout.decode().split())
        assert "interrupted: 1 of 4 figures" in text and "(part)" in text


def test_an_interrupted_engine_leaves_its_figure(server, monkeypatch):
    """A benchmark from memory to memory prints a figure even if it is interrupted after the board's second answer."""
    parts, seen = Device._bench_parts, []

    def stopping(self, total, request):
        for part in parts(self, total, request):
            yield part
            seen.append(part)
            if len(seen) == 2:
                raise KeyboardInterrupt

    monkeypatch.setattr(Device, "_bench_parts", stopping)
    words = ("--engine", "ise", "--mode", "ctr", "--key-bits", "128", "--duration", "60", "--json")
    status, stdout, stderr = command("bench", "--port", server.url, *words)
    assert status == 130, stderr
    (record,) = json.loads(stdout)
    assert record["interrupted"] is True and record["bytes"] == sum(part.bytes for part in seen)
    assert record["cycles_per_block"] and "0 of 1 figures were measured, and a part of one" in one_line_error(stderr)


def test_an_interrupted_demo_leaves_the_figures_of_what_it_verified(server, tmp_path):
    server.board.fail_after = 13  # five data records per stream, so the engine fails in the third stream
    words = ("demo", "--port", server.url, "--mode", "ctr", "--json", "--results", tmp_path / "x.json")
    status, stdout, stderr = command(*words)
    assert status == 7 and "2 of 6 figures were measured: see" in stderr
    records = json.loads(stdout)
    assert len(records) == 2 and all(each["verified"] and each["interrupted"] is False for each in records)
    content = json.loads((tmp_path / "x.json").read_text())
    assert content["records"] == records and content["interrupted"] == "2 of 6 figures were measured"


def test_what_is_measured_to_its_end_is_not_marked(server):
    status, stdout, _ = command("bench", "--port", server.url, "--engine", "ise", "--json")
    assert status == 0 and all("interrupted" not in each for each in json.loads(stdout))


def test_figures_that_cannot_be_written_are_shown(server, tmp_path):
    server.board.fail_after = 60
    folder = tmp_path / "folder"
    words = ("bench", "--link", "--port", server.url, "--key-bits", "128", "--bytes", "40000", "--json")
    (tmp_path / "file").write_text("")
    status, stdout, stderr = command(*words, "--results", tmp_path / "file" / "x.json")
    assert status == 7 and len(json.loads(stdout)) == 2 and not folder.exists()
    assert "cannot write" in stderr and "name another" in stderr
