# SPDX-License-Identifier: BSD-2-Clause
"""Tests that the page of all runs is complete and self-contained. It must have a plot of each measured speed, with a
point for each run.
"""

from html.parser import HTMLParser
from xml.etree import ElementTree

from tests.hil import history, report


class Page(HTMLParser):
    """Parses a page and counts its elements. Fails if an element is not closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.attributes, self.counts = [], [], {}
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.attributes += [name for name, _ in attrs]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def run(n, regressed=()):
    figures = {"ise": 300.0 + n, "<b>": 5.0} if n else {"ise": 300.0}
    return {
        "target": "ecpix5",
        "serial": "<FT&1>",
        "kind": "board",
        "commit": f"c{n}",
        "date": f"2026-11-{n + 1:02}T02:00:00",
        "figures": figures,
        "regressed": list(regressed),
        "clock_hz": 100_000_000,
        "passed": 3,
        "failed": len(regressed),
    }


def test_page(tmp_path):
    for n in range(5):
        history.append(tmp_path / "ecpix5.jsonl", run(n, ["ise"] if n == 4 else []))
    history.append(tmp_path / "ecpix5.jsonl", {"accepted": "ise", "target": "ecpix5"})
    history.append(tmp_path / "sim.jsonl", {**run(0), "target": "sim", "kind": "sim", "serial": None})
    text = report.write(tmp_path).read_text()
    page = Page(text)
    assert page.counts["h2"] == 2
    assert page.counts["svg"] == 3
    assert page.counts["circle"] == 5 + 1 + 4 + 1, "a point for each run, a ring for the refused one"
    assert not {"src", "href"} & set(page.attributes), "nothing is loaded from elsewhere"
    assert "<b>" not in text and "&lt;FT&amp;1&gt;" in text
    assert "kind board: measured on hardware" in text and "kind sim: cycles of the simulated board" in text
    assert text.count("regression") == 1
    for svg in text.split("<svg")[1:]:
        ElementTree.fromstring("<svg" + svg.partition("</svg>")[0] + "</svg>")


def test_page_of_no_run(tmp_path):
    assert "There is no run yet" in report.write(tmp_path / "none").read_text()
