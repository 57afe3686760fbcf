# SPDX-License-Identifier: BSD-2-Clause
"""Tests `cipherlane report`: what a page shows, what the command refuses, and that hostile files do no harm."""

import cProfile
import json
import os
import pstats
import re
import stat
from html.parser import HTMLParser

import pytest
from cipherlane.measuring import plots
from cipherlane.report import figures, sorting, words
from cipherlane.report.best import best, table
from cipherlane.report.page import page
from cipherlane.report.sources import read, read_all

from ..kept import figures as kept_figures
from .commands import ON_POSIX, command, one_line_error

PROVENANCE = {
    "date": "2026-11-23T06:24:33+00:00",
    "commit": "bdd703bf929c",
    "command": "cipherlane bench --port sim",
    "board": "sim",
    "configuration": {"firmware": "baremetal 0.1.0", "clock_hz": 100000000},
    "tools": {"cipherlane": "0.1.0", "verilator": "Verilator 5.006"},
}
ROWS = [
    {"engine": name, "key_bits": 128, "mbps": mbps, "verified": True, "kind": "sim", "clock_hz": 100000000}
    for name, mbps in (("table", 10.25), ("ise", 317.125))
]
VOID = {"br", "input", "meta", "rect", "line", "circle", "polyline"}
ELEMENTS = (
    "html head meta title style body main h1 h2 h3 p code dl dt dd section div table thead tbody tr th td a "
    "svg rect text line circle polyline details summary label input b br span"
)
EVIL = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</title></style><b>",
    "javascript:alert(1)",
    "' onload='alert(1)",
    "]]><!--",
    "&lt;i&gt;",
    "\ud800",
    "\x00\x1b[31m",
    "\u202egnp.exe",
    "{{7*7}}${7*7}",
]


class Page(HTMLParser):
    """Parses a page and collects its elements, attributes and texts; fails if an element is not closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.texts = [], set(), [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def handle_comment(self, data):
        raise AssertionError("a comment")


def figure_file(folder, name="bench.json", **content):
    path = folder / name
    path.write_text(json.dumps({"provenance": PROVENANCE, "records": ROWS} | content))
    return path


def test_a_page_has_figures_and_all_that_they_were_measured_with(tmp_path):
    figure_file(tmp_path)
    out = tmp_path / "page.html"
    status, stdout, stderr = command("report", tmp_path, "--out", out)
    assert (status, stderr) == (0, "") and b"1 files of figures" in stdout
    texts = Page(out.read_text(encoding="utf-8")).texts
    for said in ("table", "ise", "10.25", "317.125", "sim", "bdd703bf929c", "cipherlane bench --port sim"):
        assert said in texts
    assert "firmware baremetal 0.1.0; clock_hz 100000000" in texts and "cipherlane 0.1.0; Verilator 5.006" in texts
    assert "In all rows: key, bits: 128; verified: yes; kind: sim; clock: 100 MHz." in texts
    assert "In all rows: key_bits 128; verified yes; kind sim; clock_hz 100000000." in texts, "in the raw data"
    assert "No figure here says that it was measured on hardware." in " ".join(texts)
    assert texts.count("bench, records: Mbps (sim)") == 1, "the plot's title"


def test_every_kept_file_is_shown_with_every_row(tmp_path):
    out, kept = tmp_path / "page.html", kept_figures()
    assert command("report", kept, "--out", out)[0] == 0
    text = out.read_text(encoding="utf-8")
    page = Page(text)
    assert {"table", "svg", "rect"} <= page.tags <= set(ELEMENTS.split()), "and nothing that runs"
    assert {name for name, _ in page.attributes} & {"src", "srcset", "action", "data", "onload"} == set()
    assert not re.findall(r"https?:|@import|url\(", text), "nothing is loaded from elsewhere"
    assert all(value.startswith("#") for name, value in page.attributes if name == "href")
    for path in kept.glob("*.json"):
        content = json.loads(path.read_text())
        assert content["provenance"]["command"] in page.texts and content["provenance"]["date"] in page.texts
        for record in content.get("records", ()):
            for name in ("mbps", "cycles_per_block", "achieved_mhz", "goodput_mbps"):
                assert record.get(name) is None or str(record[name]) in page.texts
    assert text.count("<svg") >= len(list(kept.glob("*.json"))) - 4, "calls of one row need none"


def test_each_plot_stands_with_a_table_of_its_figures(tmp_path):
    found = list(figures.of(read(str(figure_file(tmp_path)))))
    (records,) = [each for each in found if each.plot]
    drawn = re.findall(r'text-anchor="end">([^<]*)</text>|<text[^>]*>([\d.]+)</text>', records.plot.inline())
    assert ["".join(each) for each in drawn] == ["table", "10.25", "ise", "317.1"]
    assert [row["mbps"] for row in records.rows] == [10.25, 317.125]
    assert "mbps" in records.fields and "kind" not in records.fields and records.same["kind"] == "sim"


def test_the_best_of_each_engine_is_of_its_own_speed(tmp_path):
    figure_file(tmp_path, "a.json")
    figure_file(tmp_path, "b.json", records=[{**ROWS[1], "mbps": 400.0}, {**ROWS[0], "key_bits": 256, "mbps": 999.0}])
    linked = [{"engine": "ise", "key_bits": 128, "goodput_mbps": 50.0, "kind": "board", "clock_hz": 80000000}]
    figure_file(tmp_path, "c.json", records=linked)
    found = best(read_all([str(tmp_path)])[0])
    assert [(each.engine, each.series, each.mbps, each.file) for each in found] == [
        ("ise", "engine speed, sim, 100 MHz", 400.0, "b"),
        ("table", "engine speed, sim, 100 MHz", 10.25, "a"),
        ("ise", "link speed, board, 80 MHz", 50.0, "c"),
    ]
    assert table(found).plot


def run_of(folder, name, date, mbps, command="cipherlane bench --port sim", **row):
    provenance = {**PROVENANCE, "date": date, "command": command}
    return figure_file(folder, name, provenance=provenance, records=[{**ROWS[1], "mbps": mbps, **row}])


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [(400.0, 300.0, "-25.0 %"), (300.0, 301.5, "+0.500 %"), (300.0, 300.1, "none"), (0.0, 1.0, "none")],
)
def test_the_change_is_against_the_last_run_of_the_same_command(tmp_path, before, after, said):
    run_of(tmp_path, "c.json", "2026-11-20T00:00:00+00:00", 999.0)
    run_of(tmp_path, "b.json", "2026-11-21T00:00:00+00:00", before, "cipherlane bench --port /dev/x --results a.json")
    run_of(tmp_path, "a.json", "2026-11-22T00:00:00+00:00", after)
    run_of(tmp_path, "d.json", "2026-11-23T00:00:00+00:00", after / 2, "cipherlane bench --port sim --record-bytes 64")
    run_of(tmp_path, "e.json", "2026-11-21T12:00:00+00:00", 1.0, kind="board")
    run_of(tmp_path, "f.json", "2026-11-21T12:00:00+00:00", 1.0, clock_hz=50000000)
    found = best(read_all([str(tmp_path)])[0])
    assert [(each.mbps, each.change, each.file) for each in found if each.series.endswith("sim, 100 MHz")] == [
        (after, said, "a")
    ]
    assert [each.change for each in found if each.kind == "board" or each.clock_mhz == 50] == ["first run"] * 2


def test_the_page_begins_with_the_best_and_ends_with_the_raw_data(tmp_path):
    run_of(tmp_path, "a.json", "2026-11-21T00:00:00+00:00", 250.0)
    run_of(tmp_path, "b.json", "2026-11-24T00:00:00+00:00", 317.125)
    figure_file(tmp_path, records=[ROWS[0], {**ROWS[1], "mbps": 250.0}])
    made = page(read_all([str(tmp_path)])[0], [], "now")
    assert re.findall(r"<h[12][^>]*>([^<]*)<", made) == [
        "Cipherlane: results",
        "Engines",
        "Files",
        "a",
        "b",
        "Engines from memory to memory (bench)",
        "Kinds of figures",
        "Raw data",
    ]
    lead = made[: made.index("<section")]
    said = (
        "<b>317 Mbps</b>",
        '<span class="kind">sim</span>',
        "the vector AES instructions, AES-128, on the board sim",
    )
    assert all(each in lead for each in said) and "Since the run before: +26.8 %" in lead
    assert made.index("317.125") > made.index("Raw data</h2>")
    assert made.count("<details>") == 3 + 3 + 3, "figures, what they were measured with, raw data"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("mbps", 1255.23, "1,260"),
        ("mbps", 0.0123456, "0.0123"),
        ("mbps", 12, "12"),
        ("share", 0.9996, "1.00"),
        ("mbps", 999.9, "1,000"),
        ("mbps", 1e12, "1,000,000,000,000"),
        ("mbps", 1e-9, "1e-09"),
        ("cycles", 4711234, "4,710,000"),
        ("lut4", 8949, "8,950"),
        ("bytes", 4711234, "4,711,234"),
        ("record_bytes", 1440, "1,440"),
        ("clock_hz", 80000000, "80 MHz"),
        ("mbps", 0, "0"),
        ("mbps", 0.0, "0"),
        ("mbps", None, "-"),
        ("verified", True, "yes"),
        ("mbps", -5, "-5"),
    ],
)
def test_numbers_for_people_have_three_digits_and_counts_are_exact(name, value, said):
    assert words.said(name, value) == said


def test_names_are_for_people():
    assert words.field("goodput_mbps") == "link, Mbps" and words.field("tx_mbps") == "out, Mbps"
    assert words.field("packet_cycles.driver") == "packet cycles, driver" and words.field("delay_ns") == "delay, ns"
    assert words.file_title("bench") == "Engines from memory to memory (bench)"
    assert words.file_title("build/results/bench-udp_zephyr.json").startswith("Records over UDP (build/")
    assert words.file_title("benches") == "benches"
    named = {path.stem for path in kept_figures().glob("*.json")}
    assert {name for name in named if words.file_title(name) == name} == set(), "each kept file has a title"


def test_rows_have_their_places_by_each_column(tmp_path):
    values = [3.5, None, 10, "x", 3.5, "a"]
    rows = [{"engine": f"e{n}", "mbps": value, "other": n} for n, value in enumerate(values)]
    (found,) = figures.of(read(str(figure_file(tmp_path, records=rows))))
    made = sorting.table(found, "name")
    places = [dict(re.findall(r"--c(\d+):(\d+)", style)) for style in re.findall(r'<tr style="([^"]*)">', made)]
    column = str(list(found.fields).index("mbps"))
    assert [int(each[column]) for each in places] == [0, 4, 1, 3, 0, 2], "numbers, texts, and what is not there"
    assert made.count('type="radio"') == len(found.fields) + 1


def test_intervals_are_drawn_as_a_course(tmp_path):
    course = [{"start": n, "end": n + 1, "received_mbps": 10.0 * n} for n in range(3)]
    path = figure_file(tmp_path, records=[{**ROWS[0], "intervals": course}])
    (one,) = [each for each in figures.of(read(str(path))) if each.title.startswith("records, 1: ")]
    assert "<polyline" in one.plot.inline() and len(one.rows) == 3


def test_a_run_that_was_kept_too_is_shown_once(tmp_path):
    folders = [tmp_path / name for name in ("build", "data")]
    for folder, date in zip(folders, ("1", "1"), strict=True):
        folder.mkdir()
        figure_file(folder, provenance={**PROVENANCE, "date": date})
        figure_file(folder, "other.json", provenance={**PROVENANCE, "date": folder.name})
    out = tmp_path / "page.html"
    status, stdout, _ = command("report", "--json", *folders, "--out", out)
    said = json.loads(stdout)
    assert status == 0 and said["repeated"] == [str(folders[1] / "bench.json")] and len(said["files"]) == 3
    texts = Page(out.read_text()).texts
    assert str(folders[0] / "other.json") in texts and str(folders[1] / "other.json") in texts, "not both called other"


# Refused inputs


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"9" * 5000, "not JSON"),
        (b'{"provenance": NaN}', "not JSON"),
        (b'{"provenance": {}, "x": 1e999}', "not JSON"),
        (b"[]", "does not state what it was measured with"),
        (b'{"name": "package.json"}', "does not state what it was measured with"),
        (b'{"provenance": {"date": 1, "command": []}}', "does not state what it was measured with"),
    ],
)
def test_what_is_no_file_of_figures_is_named_in_one_line_and_no_page_is_made(tmp_path, content, reason):
    figure_file(tmp_path)
    bad, out = tmp_path / "foreign.json", tmp_path / "page.html"
    bad.write_bytes(content)
    before = set(tmp_path.iterdir())
    status, stdout, stderr = command("report", tmp_path, "--out", out)
    line = one_line_error(stderr)
    assert status == 2 and stdout == b"" and str(bad) in line and reason in line and len(line) < 400
    assert set(tmp_path.iterdir()) == before


@ON_POSIX
def test_files_that_cannot_be_read_or_never_end(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    for name, reason in (
        ("pipe.json", "not a file of figures"),
        ("none.json", "No such file"),
        ("a\0b", "cannot read"),
    ):
        status, _, stderr = command("report", f"{tmp_path}/{name}", "--out", tmp_path / "page.html")
        assert status == 2 and reason in one_line_error(stderr)
    status, _, stderr = command("report", "/dev/zero", "--out", tmp_path / "page.html")
    assert status == 2 and "/dev/zero is not a file of figures" in one_line_error(stderr)
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "there are no files of figures" in one_line_error(command("report", empty)[2])


@pytest.mark.parametrize("how", ["itself", "symlink", "hard link"])
def test_no_file_that_was_read_is_written_over(tmp_path, how):
    first, path = figure_file(tmp_path, "a.json"), figure_file(tmp_path, "b.json")
    before, out = path.read_bytes(), tmp_path / "page.html"
    if how == "symlink":
        out.symlink_to(path)
    elif how == "hard link":
        os.link(path, out)
    else:
        out = path
    status, _, stderr = command("report", "--force", first, path, "--out", out)
    assert status == 2 and "are the same file" in one_line_error(stderr)
    assert path.read_bytes() == before and path.samefile(out)


def test_a_page_that_is_there_is_replaced_with_force_alone(tmp_path):
    path, out = figure_file(tmp_path), tmp_path / "page.html"
    out.write_text("earlier")
    status, _, stderr = command("report", path, "--out", out)
    assert status == 2 and "replace it with --force" in one_line_error(stderr) and out.read_text() == "earlier"
    assert command("report", path, "--out", out, "--force")[0] == 0 and out.read_text().startswith("<!DOCTYPE html>")
    if os.name == "posix":
        assert stat.S_IMODE(out.stat().st_mode) & 0o600 == 0o600
    assert {each.name for each in tmp_path.iterdir()} == {"bench.json", "page.html"}


def test_a_page_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path, out = figure_file(tmp_path), tmp_path / "page.html"
    out.write_text("earlier")
    write = os.write

    def full(descriptor, data):
        if bytes(data[:9]) == b"<!DOCTYPE":
            write(descriptor, data[:100])
            raise OSError(28, "No space left on device")
        return write(descriptor, data)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        status, _, stderr = command("report", path, "--out", out, "--force")
    assert status == 2 and "No space left" in one_line_error(stderr) and out.read_text() == "earlier"
    assert {each.name for each in tmp_path.iterdir()} == {"bench.json", "page.html"}
    assert command("report", path, "--out", tmp_path / "nowhere" / "page.html")[0] == 2


def test_to_standard_output(tmp_path):
    status, stdout, stderr = command("report", figure_file(tmp_path), "--out", "-")
    assert status == 0 and stdout.startswith(b"<!DOCTYPE html>") and stdout.endswith(b"</html>\n")
    assert stderr.startswith("report: -: 1 files")


# Hostile files


def hostile(text):
    """Return the contents of a file of measurements in which all names and values are `text`."""
    row = {text: text, "engine": text, "mbps": 1.5, "kind": text, "cycles": text, text * 2: [text], "end": text}
    return {
        "provenance": {
            **{name: text for name in ("date", "commit", "command", "board", "note", text)},
            "configuration": {text: text, "list": [text]},
            "tools": {text: {text: text}},
        },
        "records": [{**row, "received_mbps": 1, "intervals": [row, row]}, {**row, "engine": text + "2"}],
        text: {text: {text: text}, "b": {text: 2}},
        "kind": text,
        "deep": [[text], {text: text}],
    }


@pytest.mark.parametrize("text", EVIL)
def test_nothing_of_a_file_becomes_markup(tmp_path, text):
    path, out = tmp_path / "evil.json", tmp_path / "page.html"
    path.write_text(json.dumps(hostile(text)))
    assert command("report", path, "--out", out)[0] == 0
    made = out.read_text(encoding="utf-8")
    page = Page(made)
    assert page.tags <= set(ELEMENTS.split()), "of the page's own elements alone"
    assert all(not name.startswith("on") and name != "src" for name, _ in page.attributes)
    assert all(value.startswith("#file") for name, value in page.attributes if name == "href")
    assert figures.printable(text) in "".join(page.texts), "but it is shown"
    assert all(each.isprintable() or each == "\n" for each in made), "no control characters, none that turn text round"


def test_a_name_of_a_file_becomes_no_markup(tmp_path):
    path = figure_file(tmp_path, "<b>&'.json")
    source = read(str(path))
    made = page([source], ["<i>"], "<u>")
    assert Page(made).tags <= set(ELEMENTS.split())


@pytest.mark.parametrize("value", [1e300, -5, 10**400, 0, True, None, "317", [1], {"a": 1}])
def test_figures_that_cannot_be_drawn_are_in_the_table(tmp_path, value):
    path, out = figure_file(tmp_path, records=[{**ROWS[0], "mbps": value}, ROWS[1]]), tmp_path / "page.html"
    assert command("report", path, "--out", out)[0] == 0
    assert "317.125" in Page(out.read_text()).texts


# Maximum number of function calls for one report, about four times the number needed. If each row of the table had a
# cell for each field, the report would exceed this maximum.
MOST_CALLS = 5_000_000


def test_many_fields_are_not_multiplied_by_many_rows(tmp_path):
    path, out = (
        figure_file(tmp_path, records=[{"engine": "e", f"field{n}": n} for n in range(1500)]),
        tmp_path / "page.html",
    )
    calls = cProfile.Profile()
    status = calls.runcall(command, "report", path, "--out", out)[0]
    assert status == 0 and pstats.Stats(calls).total_calls < MOST_CALLS and out.stat().st_size < 1 << 24
    assert "1441 more fields are not shown." in Page(out.read_text()).texts


def test_without_a_name_it_takes_the_folder_of_results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, _, stderr = command("report")
    assert status == 2 and "there are no files of figures" in one_line_error(stderr)
    (tmp_path / "build" / "results").mkdir(parents=True)
    figure_file(tmp_path / "build" / "results")
    assert command("report")[0] == 0 and "317.125" in Page((tmp_path / "report.html").read_text()).texts


def test_many_rows_and_empty_ones(tmp_path):
    many = [{**ROWS[0], "mbps": n, "engine": f"e{n}"} for n in range(figures.MOST_BARS + 1)]
    path = figure_file(tmp_path, records=many, nothing=[], none={}, empty=[{}, {}], mixed=[1, {}])
    found = {each.title: each for each in figures.of(read(str(path)))}
    assert found["records"].plot is None and len(found["records"].rows) == len(many)
    made = page([read(str(path))], [], "now")
    assert f"No plot: {len(many)} rows are too many." in made and made.count("<svg") <= 1
    assert plots.STYLE in made
