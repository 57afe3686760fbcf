# SPDX-License-Identifier: BSD-2-Clause
"""Tests that regressions are distinguished from noise, and reported with the commits between which they appeared."""

import math
import random

import pytest

from tests.hil import history, regression
from tests.hil.regression import Levels


def run(value, commit="c", **more):
    return {"target": "b", "serial": None, "kind": "sim", "commit": commit, "figures": {"ise": value}, **more}


def levels(*lines):
    return Levels.of("ise", [each if isinstance(each, dict) else run(each) for each in lines])


@pytest.mark.parametrize("freedom", [1, 2, 5, 12, 30])
def test_table_of_students_t(freedom):
    """Check the table of Student's t against a numerical integral of Student's density from t to infinity. The
    integral substitutes x = t + u / (1 - u), where u goes from 0 to 1.
    """
    scale = math.gamma((freedom + 1) / 2) / (math.sqrt(freedom * math.pi) * math.gamma(freedom / 2))
    t, steps = regression.student_t(freedom), 20000
    tail = 0.0
    for n in range(steps):
        u = (n + 0.5) / steps
        x = t + u / (1 - u)
        tail += scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2) / (1 - u) ** 2 / steps
    assert tail == pytest.approx(0.001, rel=0.01)


@pytest.mark.parametrize("noise", [0.0, 0.001, 0.01])
@pytest.mark.parametrize("seed", range(20))
def test_ten_percent_less_is_caught_at_once(noise, seed):
    rng = random.Random(seed)
    seen = levels(*(rng.gauss(300, 300 * noise) for _ in range(12)))
    assert seen.judge(rng.gauss(270, 270 * noise), "bad")


def test_ten_percent_less_is_caught_under_much_noise_within_a_few_nights():
    """The test simulates 100 speed losses of 10 % under 2 % noise. At least 75 losses must be found in the first run
    after the loss, and at least 90 within five runs.
    """
    caught = []
    for seed in range(100):
        rng = random.Random(seed)
        lines = [run(rng.gauss(300, 6)) for _ in range(20)]
        for night in range(1, 6):
            value = rng.gauss(270, 5.4)
            if levels(*lines).judge(value, "bad"):
                caught.append(night)
                break
            lines.append(run(value))
    assert len(caught) >= 90
    assert sum(night == 1 for night in caught) >= 75


@pytest.mark.parametrize("noise", [0.0, 0.002, 0.02, 0.1])
def test_noise_is_not(noise):
    """Noise can look like a regression, on average in one of 1000 values. The test simulates 100 histories of 60 runs,
    and allows three false alarms per 1000 values.
    """
    refused = judged = 0
    for seed in range(100):
        rng = random.Random(seed)
        lines = []
        for _ in range(60):
            value = max(1.0, rng.gauss(300, 300 * noise))
            seen = levels(*lines[-40:])
            judged += seen.allowed() is not None
            bad = seen.judge(value, "c") is not None
            refused += bad
            lines.append(run(value, regressed=["ise"] if bad else []))
    assert judged > 5000
    assert refused <= 0.003 * judged


def test_too_few_runs_say_nothing_about_noise():
    assert levels(300, 300).judge(100, "bad") is None
    assert levels(300, 300, 300).judge(100, "bad")


def test_a_difference_below_the_least_is_none():
    seen = levels(300, 300, 300)
    assert seen.judge(300 * 0.996, "bad") is None
    assert seen.judge(300 * 0.994, "bad")


def test_names_the_range_of_commits_and_goes_on_refusing():
    lines = [run(300, f"a{n}") for n in range(4)] + [run(300, "good-dirty")]
    assert "a commit of good..bad" in levels(*lines).judge(270, "bad-dirty")
    lines += [run(270, "bad", regressed=["ise"]), run(270, "later", regressed=["ise"])]
    again = levels(*lines).judge(270, "today")
    assert "a commit of good..bad" in again and "10.0% below 300" in again
    assert levels(*lines).judge(300, "mended") is None
    lines.append(run(300, "mended"))
    assert "a commit of mended..worse" in levels(*lines).judge(270, "worse")


def test_better_becomes_the_new_level():
    lines = [run(300)] * 5 + [run(400)]
    assert levels(*lines).judge(360, "bad"), "what was good before is not any more"
    assert levels(*lines).judge(400, "c") is None


def test_a_level_that_was_accepted_is_the_new_one():
    lines = [run(300)] * 5 + [run(270, regressed=["ise"])]
    assert levels(*lines).judge(270, "c")
    lines.append({"accepted": "ise", "target": "b"})
    assert levels(*lines).judge(270, "c") is None
    lines.append(run(270))
    assert levels(*lines).judge(270, "c") is None
    assert levels(*lines).judge(240, "c"), "the noise that was seen is still known"


def test_other_boards_kinds_and_figures_are_compared_with_themselves(tmp_path):
    path = tmp_path / "b.jsonl"
    for serial, kind, value in [("A", "board", 300), ("B", "board", 200), (None, "sim", 100), (None, "board", 50)] * 3:
        history.append(path, {**run(value), "serial": serial, "kind": kind})
    history.append(path, {"accepted": "ise", "target": "b"})
    history.append(path, {"accepted": "ise", "target": "other"})
    found = history.series(history.read(path))
    assert {key[1:]: [line["figures"]["ise"] for line in lines[:-1]] for key, lines in found.items()} == {
        ("A", "board"): [300] * 3,
        ("B", "board"): [200] * 3,
        (None, "sim"): [100] * 3,
        (None, "board"): [50] * 3,
    }
    assert all(lines[-1] == {"accepted": "ise", "target": "b"} for lines in found.values())
    assert levels(*found["b", "A", "board"][:3]).judge(200, "c")
    assert Levels.of("table", found["b", "A", "board"]).judge(1, "c") is None


def test_a_damaged_history_is_told(tmp_path):
    path = tmp_path / "b.jsonl"
    path.write_text('{"figures": {}}\n{"figures":\n')
    with pytest.raises(history.HistoryError, match=r"b\.jsonl, line 2 is no run .*: repair or delete that line"):
        history.read(path)
    assert history.read(tmp_path / "none.jsonl") == []


def test_a_line_that_was_cut_off_takes_no_other_with_it(tmp_path):
    """If the last line of the history is incomplete, for example because the disk was full, the next entry must still
    start on a new line.
    """
    path = tmp_path / "b.jsonl"
    path.write_text('{"figures": {}}\n{"figu')
    history.append(path, run(300))
    with pytest.raises(history.HistoryError, match="line 2 is no run"):
        history.read(path)
    first, _, last = path.read_text().splitlines()
    path.write_text(f"{first}\n{last}\n")
    assert history.read(path)[1]["figures"] == {"ise": 300}
