# SPDX-License-Identifier: BSD-2-Clause
"""Tests `bench --link --interval`, which measures throughput in both directions in successive intervals."""

import csv
import json
import re

import pytest
from cipherlane.commands import common
from cipherlane.link.counterblocks import CounterBlocks
from cipherlane.link.device import Device
from cipherlane.measuring.intervals import Intervals
from cipherlane.measuring.linkbench import Load, measure
from cipherlane_base.wire.layout import Engine

from .commands import command
from .links import QUICK, RECORD_TIME, LossyLink, SimulatedClock
from .model import PeerBoard

RECORDS, SECONDS = 300, 0.005


def streamed(records, show, **rates):
    """Stream records of 1024 bytes in simulated time; return the measurement and the intervals.

    `show` is called with each interval and the link.
    """
    link = LossyLink(PeerBoard(max_data=1440, rx_window=16384), seed=1, shared=True, pace=QUICK)
    with Device(link) as device:
        device.link.set_pace(QUICK)
        intervals = Intervals(SECONDS, lambda interval: show(interval, link), link.clock)
        device.info()
        link.clock.sleep(5)  # 5 s pass before the stream begins; the measurement must not include them
        link.set_rates(**rates)
        done = measure(device, Load(Engine.ISE, CounterBlocks(128), 1024, total=records * 1024), intervals=intervals)
        link.set_rates()
    return done, intervals


@pytest.mark.parametrize("lose", [0, 0.1])
def test_intervals_follow_each_other_and_add_up(lose):
    seen = []
    done, intervals = streamed(RECORDS, lambda interval, link: seen.append(interval), lose=lose)
    assert list(done.intervals) == seen == intervals.found and len(seen) > 4
    assert seen[0].start == 0
    assert [each.start for each in seen[1:]] == [each.end for each in seen[:-1]]
    assert all(each.end > SECONDS * (n + 1) - 1e-6 for n, each in enumerate(seen[:-1]))
    total = intervals.total
    assert total.end == pytest.approx(done.seconds)
    assert total.received_bytes == done.bytes == sum(each.received_bytes for each in seen) == 1024 * RECORDS
    assert total.retransmissions == done.retransmissions == sum(each.retransmissions for each in seen)
    assert total.sent_bytes == sum(each.sent_bytes for each in seen) == 1024 * (RECORDS + done.retransmissions)
    assert (done.retransmissions > 0) == bool(lose)
    if not lose:  # without losses, each record takes the same time
        rate = 8 * 1024 / RECORD_TIME / 1e6
        assert [each.received_mbps for each in seen] == pytest.approx([rate] * len(seen), rel=0.2)
        assert [each.record()["sent_mbps"] for each in seen] == pytest.approx([rate] * len(seen), rel=0.25)


def test_silence_is_seen_while_it_lasts():
    seen = []

    def show(interval, link):
        seen.append(interval)
        if len(seen) == 2:
            link.set_rates(lose=1)
        if len(seen) == 8:
            link.set_rates()

    done, _ = streamed(RECORDS, show)
    silent = [n for n, each in enumerate(seen) if not each.received_bytes]
    assert len(silent) >= 4 and seen[-1].received_bytes and done.retransmissions
    for n in silent:
        assert seen[n].end == pytest.approx(SECONDS * round(seen[n].end / SECONDS), abs=1e-6), "not when it is over"


def test_a_pause_of_the_process_is_one_interval():
    clock, seen = SimulatedClock(), []
    intervals = Intervals(1.0, seen.append, clock)
    counts = intervals._now
    assert intervals.watch(counts) == pytest.approx(1.0)
    clock.sleep(3.25)
    assert intervals.watch(counts) == pytest.approx(0.75)
    assert [(each.start, each.end) for each in seen] == [(0.0, 3.25)]


class SlowLink(LossyLink):
    """A link that carries a hundred requests per second."""

    def _work(self):
        self.clock.sleep(0.01)
        super()._work()


def test_bench_shows_intervals_and_their_sum(monkeypatch, tmp_path):
    monkeypatch.setattr(common, "open_device", lambda args: Device(SlowLink(PeerBoard(), seed=0, ordered=True)))
    options = ["--link", "--port", "model", "--key-bits", "128", "--duration", "0.5", "--interval", "0.1"]
    options += ["--engine", "ise"]
    status, output, error = command("bench", *options)
    assert (status, error) == (0, "")
    lines = output.decode().splitlines()
    assert lines[0] == "ise 128, by the host's clock:"
    number = r"([\d.]+)"
    rows = [re.fullmatch(rf"\s+(total )?{number}-{number}" + rf"\s+{number}" * 5, line) for line in lines[2:]]
    rows = [row.groups() for row in rows if row]
    assert len(rows) >= 4 and [bool(row[0]) for row in rows] == [False] * (len(rows) - 1) + [True]
    for place in (3, 5, 7):
        assert sum(int(row[place]) for row in rows[:-1]) == int(rows[-1][place])
    assert "goodput" in "".join(lines[len(rows) :]), "the table comes after"
    results, table = tmp_path / "results.json", tmp_path / "table.csv"
    status, output, error = command("bench", *options, "--json", "--results", results, "--csv", table)
    (record,) = json.loads(output)
    assert status == 0 and "total 0.00-" in error, "standard output is for JSON"
    assert json.loads(results.read_text())["records"] == [record]
    assert sum(each["received_bytes"] for each in record["intervals"]) == record["bytes"]
    (row,) = csv.DictReader(table.open())
    assert "intervals" not in row and int(row["bytes"]) == record["bytes"]


def test_figures_have_no_intervals_unless_asked_for(null_board):
    options = ["--link", "--port", null_board.url, "--key-bits", "128", "--bytes", "5000", "--json"]
    status, output, _ = command("bench", *options)
    assert status == 0 and "intervals" not in json.loads(output)[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--interval", "1"], "goes with --link"),
        (["--link", "--interval", "1", "--progress"], "replaces --progress"),
        (["--link", "--interval", "0.01"], "give 0.1 seconds at least"),
        (["--link", "--interval", "-1"], "not a number of seconds above 0"),
    ],
)
def test_intervals_that_cannot_be_are_refused_before_the_port_is_opened(options, message):
    status, output, error = command("bench", "--port", "/dev/nowhere", *options)
    assert (status, output) == (2, b"") and message in error and "nowhere" not in error
