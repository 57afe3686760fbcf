# SPDX-License-Identifier: BSD-2-Clause
"""Test the comparison with papers. For each published value, our results must contain a value of our own, or the reason
why there is none. Our values must match `lab/results/data`.
"""

import json
import tomllib

import pytest

from lab.explore.report import QUOTED_CYCLES
from lab.results import kept, papers
from lab.results.pages import MEASURED
from lab.results.papers import PapersError, __main__, hessel
from lab.results.tables import instruction_sets
from lab.results.tables.instruction_sets import front

FIELDS = {"paper", "item", "theirs", "ours", "ratio", "conditions", "command", "kind", "reason"}
COMMANDS = {table.command for table in MEASURED} | {"make pages"}


def records(paper):
    return papers.records(paper, papers.load(paper))


@pytest.mark.parametrize("paper", papers.NAMES)
def test_every_entry_has_a_value_of_ours_or_a_reason(paper):
    found = records(paper)
    entries = papers.values(paper)
    assert [name for name in entries if name not in {r["entry"] for r in found}] == []
    for record in found:
        assert record.keys() >= FIELDS
        if record["reason"] is None:
            assert record["ours"] is not None
            assert record["kind"] in ("sim", "est", "definition")
            assert record["command"] in COMMANDS
        else:
            assert record["ours"] is record["ratio"] is record["command"] is record["kind"] is None
            assert len(record["reason"]) > 15


@pytest.mark.parametrize("paper", papers.NAMES)
def test_values_of_theirs_say_where_they_stand(paper):
    content = tomllib.loads((papers.FOLDER / f"{paper}.toml").read_text())
    assert content["title"] and content["authors"]
    for name, entry in papers.values(paper).items():
        assert entry["kind"] in papers.KINDS, name
        assert entry["item"] and entry["units"] and entry["conditions"], name
        assert entry["values"] or entry["kind"] in ("drawn", "absent"), name


def test_ratios_are_ours_over_theirs_where_units_are_the_same():
    found = {(r["entry"], r["value"]): r for r in records("jenkins")}
    speed_up = found["table4", "unrolled, encryption"]
    assert speed_up["theirs"] == 5.54
    assert speed_up["ratio"] == pytest.approx(speed_up["ours"] / 5.54, abs=1e-4)
    assert found["table3", "AES VPE, area um2"]["ratio"] is None, "LUTs are no um2"
    assert found["table3", "AES VPE, area um2"]["ours"] > 0
    estimates = [r for paper in papers.NAMES for r in records(paper) if r["kind"] == "est"]
    assert len(estimates) > 10 and {r["ratio"] for r in estimates} == {None}, "an ECP5 is no cell of 0.11 um"


def test_a_speed_up_is_the_mean_over_key_lengths_of_a_style_over_the_same_style():
    kept_data = papers.load("jenkins")
    cycles = {"table": {128: 400.0, 192: 300.0, 256: 200.0}, "ise": {128: 100.0, 192: 100.0, 256: 100.0}}
    for record in kept_data["bench-papers"]["records"]:
        if (record["style"], record["direction"]) == ("swap", "encrypt") and record["engine"] in cycles:
            record["cycles_per_block"] = cycles[record["engine"]][record["key_bits"]]
    found = {(r["entry"], r["value"]): r["ours"] for r in papers.records("jenkins", kept_data)}
    assert found["table4", "swap, encryption"] == 3.0
    before = {(r["entry"], r["value"]): r["ours"] for r in records("jenkins")}
    for other in ("loop, encryption", "swap, decryption", "unrolled, encryption"):
        assert found["table4", other] == before["table4", other]


def main(capsys):
    status = __main__.main([])
    return status, capsys.readouterr()


def test_records_follow_the_kept_figures(tree, capsys):
    assert main(capsys)[0] == 0
    path = tree / "build" / "results" / "papers.json"
    before = json.loads(path.read_text())["records"]
    assert sum(map(len, map(papers.values, papers.NAMES))) == len({(r["paper"], r["entry"]) for r in before})

    figures = tree / "lab" / "results" / "data" / "explore-lte.json"
    content = json.loads(figures.read_text())
    for record in content["records"]:
        if (record["algorithm"], record["datapath"]) == ("aes", 64):
            record["cycles_first"] = 1234
    figures.write_text(kept.text(content))
    status, printed = main(capsys)
    assert status == 0 and "lab/results/papers/hessel.md" in printed.out
    after = json.loads(path.read_text())["records"]
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert [(new["paper"], new["value"], new["ours"]) for _, new in changed] == [
        ("hessel", "AES 64 bits, cycles a keystream", 1234)
    ]
    assert "1234 (sim)" in (tree / "lab" / "results" / "papers" / "hessel.md").read_text()


def test_a_program_that_was_not_measured_is_named(tree, capsys):
    figures = tree / "lab" / "results" / "data" / "bench-papers.json"
    content = json.loads(figures.read_text())
    content["records"] = [r for r in content["records"] if r["style"] != "swap"]
    figures.write_text(kept.text(content))
    status, printed = main(capsys)
    assert status == 1
    assert printed.err.startswith("papers: error: ") and "make bench-papers" in printed.err
    assert len(printed.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("reasons", "message"),
    [
        ({"table4: loop, encryption": "it has one"}, "has a value of ours and a reason"),
        ({"table4": "it has values"}, "has a reason, but a value of ours everywhere"),
        ({"table2": None}, "has neither a value of ours nor a reason"),
        ({"table22": "no such entry"}, "has no values table22"),
    ],
)
def test_reasons_stand_where_there_is_no_value_and_nowhere_else(monkeypatch, reasons, message):
    changed = {**papers.module("jenkins").REASONS, **reasons}
    monkeypatch.setattr(papers.module("jenkins"), "REASONS", {k: v for k, v in changed.items() if v})
    with pytest.raises(PapersError, match=message):
        records("jenkins")


def test_a_value_of_ours_that_the_paper_has_not_is_refused(monkeypatch):
    module = papers.module("hessel")
    own = module.ours

    def more(found):
        return own(found) | {"clocks": own(found)["clocks"] | {"AES 16 bits, at 4 ns": papers.Ours(1)}}

    monkeypatch.setattr(module, "ours", more)
    with pytest.raises(PapersError, match="AES 16 bits, at 4 ns"):
        records("hessel")


def test_the_front_is_what_nothing_else_undercuts():
    points = [(100, 0), (50, 10), (50, 12), (40, 10), (39, 500), (40, 10)]
    assert front(points) == [True, False, False, True, True, True]


def test_each_set_is_compared_at_one_four_and_eight_blocks_and_the_unit_as_it_is_on_the_board_too():
    data = kept.load(instruction_sets.TABLE.sources, "")
    found = {(one.engine, one.family): one for one in instruction_sets.built(data)}
    board = data[instruction_sets.PLACE]["shares"]["vector_unit"]
    alone, placed = (found["ise_fused", family] for family in (instruction_sets.OURS, instruction_sets.PLACED))
    assert (placed.lut4, placed.bram) == (board["lut4"], board["bram"]) != (alone.lut4, alone.bram)
    assert alone.cycles == placed.cycles and set(alone.cycles) == {1, 4, 8}
    assert found["zvkned", instruction_sets.WIDE].cycles.keys() == alone.cycles.keys()
    for blocks in instruction_sets.FRONTS.values():
        on = [one for one in found.values() if one.on_front[blocks]]
        assert on and all(a.cycles[blocks] < b.cycles[blocks] for a in on for b in on if a.area > b.area)


def test_more_blocks_never_cost_a_set_more_than_calls_for_fewer():
    records = {blocks: {"cycles_per_block": cycles} for blocks, cycles in ((1, 40.0), (4, 50.0), (8, 30.0))}
    assert instruction_sets.best(records) == {1: 40.0, 4: 40.0, 8: 30.0}


def test_cycles_that_the_exploration_quotes_are_the_papers():
    assert {
        str(width): cycles for (cipher, width), (cycles, _) in hessel.table2().items() if cipher == "aes"
    } == QUOTED_CYCLES
