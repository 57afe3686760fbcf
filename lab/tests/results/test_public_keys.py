# SPDX-License-Identifier: BSD-2-Clause
"""Test the table of public-key arithmetic with invented cycle counts. Check the ratios and percentages that are
computed from these counts, and the minimum numbers of instructions that the width of the CFU port allows.
"""

import pytest

from lab.results import papers
from lab.results.kept import ResultsError
from lab.results.tables import public_keys
from lab.tests.results.test_tables import cells

CYCLES = {
    ("product", "both"): 4000,
    ("product", "low"): 6000,
    ("multiply", "both"): 10240,
    ("multiply", "low"): 20480,
    ("power", "both"): 10240 * 1301 * 2,
}


def content(counts=CYCLES):
    names = ("measure", "engine", "style", "cycles_per_block", "code_bytes", "kind")
    rows = [("public keys", *pair, cycles, 10 * n, "sim") for n, (pair, cycles) in enumerate(counts.items())]
    return {"records": [dict(zip(names, row, strict=True)) for row in rows]}


def test_operations_by_each_multiplier():
    lines = public_keys.render({"bench-papers": content()})
    rows = cells(lines)
    assert [row[1:] for row in rows[:3]] == [
        ["4000", "6000", "0, 10", "1.5"],
        ["10240", "20480", "20, 30", "2.0"],
        ["26644480", "-", "40", "-"],
    ]
    text = "\n".join(lines)
    assert "Multiplications take 50% of the power's cycles" in text
    assert "2048 instructions fewer. It would be 1.25 times as fast" in text
    assert "takes 4000 cycles (sim)" in text


def test_the_port_is_counted_in_words_and_says_that_nothing_was_measured():
    lines = public_keys.render({"bench-papers": content()})
    assert cells(lines)[3:] == [
        ["32", "2", "3", "2", "1.0", "1.0"],
        ["64", "4", "6", "8", "2.0", "5.33"],
        ["128", "8", "12", "32", "4.0", "23.32"],
        ["1024", "64", "96", "2048", "32.0", "-"],
    ]
    assert "no row is a measurement" in lines[-len(cells(lines)[3:]) - 4]


def test_values_beside_the_paper_are_the_table_s_and_none_is_of_a_wider_multiplier():
    data = papers.load("fiskiran_lee")
    found = {(r["entry"], r["value"]): r for r in papers.records("fiskiran_lee", data)}
    assert found["table8", "RSA signature"]["ours"] == public_keys.share(data["bench-papers"])
    assert 90 < public_keys.share(data["bench-papers"]) <= 100, "a part of the power"
    assert found["table10", "RSA, speed up"]["ours"] == public_keys.speed_up(data["bench-papers"], "multiply")
    without = [r for (entry, _), r in found.items() if entry == "table9"]
    without += [r for (_, value), r in found.items() if value.startswith(("eDH", "eElGamal", "eDSA"))]
    assert without
    assert all(r["ours"] is None and r["reason"] for r in without)


def test_an_operation_that_was_not_measured_is_named():
    fewer = {pair: cycles for pair, cycles in CYCLES.items() if pair != ("power", "both")}
    with pytest.raises(ResultsError, match=r"\('power', 'both'\).*make bench-papers"):
        public_keys.render({"bench-papers": content(fewer)})
