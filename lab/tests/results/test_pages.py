# SPDX-License-Identifier: BSD-2-Clause
"""Test that the result pages and plots match the measurements in `lab/results/data`. The command that copies new
measurements into `lab/results/data` must copy all of them or none.
"""

import json
import re

import pytest

from lab.results import drawings, kept, pages
from lab.results.__main__ import main
from lab.results.tables import demo
from tests.pictures.support import words

PROVENANCE = {"date", "commit", "command", "board", "configuration", "tools"}
RECORD = {
    "engine": "ise",
    "key_bits": 128,
    "direction": "encrypt",
    "bytes": 1600,
    "blocks": 100,
    "cycles": 4321,
    "key_cycles": 500,
    "kind": "sim",
    "clock_hz": 75_000_000,
    "processed_bytes": 1600,
    "verified": True,
    "mode": "ctr",
    "link_seconds": 1.0,
    "cycles_per_block": 43.21,
    "bits_per_cycle": 2.962,
    "mbps": 222.2,
}
MEASURED_WITH = {
    "date": "2030-01-02T03:04:05+00:00",
    "commit": "0123456789ab",
    "command": "cipherlane demo",
    "board": "sim",
    "configuration": {"clock_hz": 75_000_000},
    "tools": {"python": "3.11.2"},
}


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def error(capsys):
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and lines[0].startswith("results: error: ")
    return lines[0]


def measure(tree, name, content):
    (tree / "build" / "results" / name).write_text(json.dumps(content))


def test_pages_are_what_the_kept_figures_give():
    assert main(["--check"]) == 0


def test_a_page_that_says_something_else_is_found_and_written_again(tree, capsys):
    before = files(tree)
    page = tree / "host" / "RESULTS.md"
    page.write_text(page.read_text().replace("| yes |", "| no |", 1))
    (tree / "lab" / "results" / "speeds.svg").unlink()
    changed = files(tree)
    assert main(["--check"]) == 1
    assert sorted(capsys.readouterr().err.splitlines()) == [
        f"{name} is not what lab/results/data gives: run `make pages`"
        for name in ("host/RESULTS.md", "lab/results/speeds.svg")
    ]
    assert files(tree) == changed
    assert main([]) == 0
    assert files(tree) == before


def test_pictures_are_small_have_a_name_and_stand_on_a_page_with_words_and_their_data():
    pages_ = {path: path.read_text() for path in kept.ROOT.rglob("*.md") if ".venv" not in path.parts}
    found = drawings.files()
    assert found.keys() >= {f"docs/pictures/{name}.svg" for name in ("soc", "vector-unit", "record")}
    for name, text in found.items():
        assert len(text.encode()) <= 300_000, name
        links = [
            (page, shown)
            for page, content in pages_.items()
            for shown, target in re.findall(r"\[([^\]]*)\]\(([^)#]+\.(?:svg|csv))\)", content)
            if (page.parent / target).resolve() == kept.ROOT / name
        ]
        assert links and all(shown for _, shown in links), f"{name} is on no page"
        if name.endswith(".svg"):
            assert "<title>" in text and "prefers-color-scheme: dark" in text


def test_what_stands_around_the_tables_stays(tree):
    page = tree / "host" / "RESULTS.md"
    page.write_text("before\n" + page.read_text() + "after\n")
    assert main([]) == 0
    assert page.read_text().startswith("before\n#") and page.read_text().endswith("after\n")


def test_figures_are_taken_over_with_what_they_were_measured_with(tree):
    measure(tree, "demo.json", {"provenance": MEASURED_WITH, "records": [RECORD]})
    assert main(["--check"]) == 0  # until they are taken
    assert main(["--take"]) == 0
    taken = json.loads((tree / "lab" / "results" / "data" / "demo.json").read_text())
    assert taken == {"provenance": MEASURED_WITH, "records": [{name: RECORD[name] for name in demo.FIELDS}]}
    page = (tree / "host" / "RESULTS.md").read_text()
    assert "| ise | CTR | 128 | encrypt | 43.2 | 2.96 | 222.2 (sim) | yes |" in page
    assert "`cipherlane demo`, 2030-01-02, commit `0123456789ab`, board sim; clock_hz 75000000, Python 3.11.2." in page
    assert "222.2 (43.2)" in (tree / "README.md").read_text()
    assert "222" in words((tree / "lab" / "results" / "speeds.svg").read_text())
    assert 'ise,"record speed, 75 MHz",222.2,sim' in (tree / "lab" / "results" / "speeds.csv").read_text()
    assert "| 43.2 | record |" in (tree / "lab" / "results" / "README.md").read_text()
    assert "2030-01-02" in (tree / "lab" / "results" / "README.md").read_text()
    assert main(["--check"]) == 0


@pytest.mark.parametrize(
    ("name", "printed", "shown"),
    [
        ("yosys", "Yosys 0.70 (git sha1 28ba3cb92, Release, Clang ../..//bin/clang++ 22.1.0)", "Yosys 0.70"),
        (
            "nextpnr-ecp5",
            '"nextpnr-ecp5" -- Next Generation Place and Route (Version nextpnr-0.11.1)',
            "nextpnr 0.11.1",
        ),
        ("ecppack", "Project Trellis ecppack Version 1.4-82-g3afe7b5", "Project Trellis 1.4-82-g3afe7b5"),
        (
            "riscv64-unknown-elf-gcc",
            "riscv64-unknown-elf-gcc (12.2.0-14+deb12u1) 12.2.0",
            "riscv64-unknown-elf-gcc 12.2.0",
        ),
        ("other", "no number", "other no number"),
    ],
)
def test_a_page_names_a_tool_and_its_version_only(name, printed, shown):
    content = {"provenance": {**MEASURED_WITH, "board": "none: parts", "tools": {name: printed}}}
    assert pages.origin(content).endswith(f", no board: parts; clock_hz 75000000, {shown}.")


def test_a_setting_is_shown_without_brackets_and_quotes():
    settings = {"pnr_options": ["--placer", "static"], "cores": [{"datapath": 128, "engines": 2}, {"datapath": 32}]}
    content = {"provenance": {**MEASURED_WITH, "configuration": settings}}
    assert "; pnr_options --placer static, cores datapath 128 engines 2, datapath 32, Python" in pages.origin(content)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ([RECORD], "does not say what it was measured with: run `make bench-dma` again"),
        ({"records": [RECORD]}, "does not say what it was measured with"),
        ({"provenance": MEASURED_WITH, "records": [RECORD]}, "lacks figures (KeyError('datapath'))"),
        ({"provenance": MEASURED_WITH}, "lacks figures (KeyError('records'))"),
        ({"provenance": MEASURED_WITH, "interrupted": "0 of 1"}, "was interrupted: run `make bench-dma` again"),
    ],
)
def test_figures_that_are_not_whole_are_not_taken(tree, capsys, content, reason):
    before = files(tree / "lab" / "results")
    measure(tree, "demo.json", {"provenance": MEASURED_WITH, "records": [RECORD]})
    measure(tree, "dma.json", content)
    assert main(["--take"]) == 1
    assert reason in error(capsys)
    assert files(tree / "lab" / "results") == before


def test_what_is_missing_or_broken_is_named(tree, capsys):
    data = tree / "lab" / "results" / "data" / "dma.json"
    content = data.read_text()
    data.write_text(content[:-5])
    assert main(["--check"]) == 1
    assert "dma.json is not JSON" in error(capsys)
    data.unlink()
    assert main(["--check"]) == 1
    assert "no dma.json in lab/results/data: run `make bench-dma`, then `make readme`" in error(capsys)
    data.write_text(content)
    page = tree / "host" / "RESULTS.md"
    page.write_text(page.read_text().replace("<!-- demo: end -->", ""))
    assert main([]) == 1
    assert "host/RESULTS.md has 0 places for demo" in error(capsys)
    page.unlink()
    assert main([]) == 1
    assert "host/RESULTS.md is missing" in error(capsys)


def test_figures_of_different_boards_do_not_stand_in_one_table(tree, capsys):
    measure(tree, "demo.json", {"provenance": MEASURED_WITH, "records": [{**RECORD, "kind": "board"}]})
    assert main(["--take"]) == 1
    said = r"are of \d+ MHz \(sim\), 75 MHz \(board\), \d+ MHz \(sim\): measure them on one board"
    assert re.search(said, error(capsys))


def test_every_kept_file_belongs_to_a_table_and_says_where_it_is_from():
    files = sorted(kept.DATA.iterdir())
    shown = {path for table in pages.MEASURED for pattern in table.sources for path in kept.DATA.glob(pattern)}
    assert sorted(shown) == files
    for path in files:
        provenance = json.loads(path.read_text())["provenance"]
        assert provenance.keys() >= PROVENANCE, path
        assert provenance["commit"] or provenance["note"], path
