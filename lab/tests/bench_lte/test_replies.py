# SPDX-License-Identifier: BSD-2-Clause
"""Test how the host decodes replies of the LTE benchmark on Zephyr. Test the host's error message if the Zephyr sources
are missing.
"""

import zlib

import pytest

from gateware.flow import zephyr as tree
from lab.bench.board import WrongAnswerError
from lab.bench_lte import zephyr

PACKETS = [b"one", b"three"]
GOOD = {"status": 0, "crc": zlib.crc32(b"onethree"), "came": 6, "sent": 24, "control": 0, "unknown": 0, "dropped": 0}
GOOD |= {
    "full": 0,
    "switches": 9,
    "missed": 0,
    "shortest": 74_000,
    "longest": 76_000,
    "first": 70_000,
    "second": 60_000,
}


def record(**more):
    return zephyr.record("ise", 2500, "mac_first", PACKETS, list((GOOD | more).values())) | {"clock_hz": 75_000_000}


def test_a_good_reply_is_a_record():
    found = record()
    assert (found["shortest_cycles"], found["median_cycles"], found["cycles"]) == (60_000, 65_000, 70_000)
    assert (found["mbps"], found["packets"], found["packet_bytes"], found["switches"]) == (20, 2, 8, 3)
    assert zephyr.in_time(found)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"status": (1 << 32) - 77}, "ise, mac_first, 2500 bytes: status -77"),
        *(({name: 1}, "1 ") for name in ("control", "unknown", "dropped", "full")),
        *(({name: GOOD[name] + 1}, "not those") for name in ("crc", "came", "sent")),
    ],
)
def test_a_bad_reply_is_refused(change, says):
    with pytest.raises(WrongAnswerError, match=says):
        record(**change)


def test_in_time_is_within_a_millisecond_and_every_tti():
    assert not zephyr.in_time(record(first=75_001))
    assert not zephyr.in_time(record(missed=1))
    for change in ({"shortest": 70_000}, {"longest": 150_000}):
        with pytest.raises(WrongAnswerError, match="a TTI took"):
            zephyr.in_time(record(**change))


def test_without_a_tree_it_says_so_and_measures_nothing(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(tree, "find_base", lambda: None)
    monkeypatch.setattr("sys.argv", ["zephyr", "--results", str(tmp_path / "found.json")])
    assert zephyr.main() == 0
    assert capsys.readouterr().out == (
        "Zephyr's threads were not measured: set ZEPHYR_BASE to a tree, or `make zephyr-setup`\n"
    )
    assert not list(tmp_path.iterdir())
