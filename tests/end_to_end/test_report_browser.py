# SPDX-License-Identifier: BSD-2-Clause
"""Tests the page of `cipherlane report` in a browser. The accessibility checker axe-core must find no problem, and
files with hostile contents must have no effect.
"""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from cipherlane import cli
from playwright.sync_api import sync_playwright

from ..host.test_report import EVIL, hostile
from ..kept import figures
from .test_live_browser import CHROMIUM, FLAGS

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no Debian package chromium: `make test` installs it")
KEPT = ("bench", "bench-udp", "demo", "dma", "explore-rgmii", "netlist-ecpix5")


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Make two report pages: one from stored measurements of this project, the other from hostile files."""
    folder = tmp_path_factory.mktemp("report")
    files = []
    for number, text in enumerate(EVIL):
        files.append(folder / f"{number}.json")
        files[-1].write_text(json.dumps(hostile(text)))
    kept = [figures() / f"{name}.json" for name in KEPT]
    for name, sources in (("kept", kept), ("hostile", files)):
        assert cli.main(["report", *map(str, sources), "--out", str(folder / f"{name}.html")]) == 0
    return folder


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["kept", "hostile"])
def test_axe_finds_nothing_and_nothing_is_run_or_loaded(browser, reports, name, scheme):
    context = browser.new_context(color_scheme=scheme)
    page, asked, said = context.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("dialog", lambda dialog: said.append(dialog.message) or dialog.dismiss())
    address = (reports / f"{name}.html").as_uri()
    page.goto(address)
    assert asked == [address] and said == []
    assert page.evaluate("document.scripts.length + document.images.length") == 0
    assert (
        page.evaluate("[...document.querySelectorAll('*')].filter(e => !e.innerHTML && e.tagName == 'B').length") == 0
    )
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
    fill = "getComputedStyle(document.querySelector('svg .page')).fill"
    assert (page.evaluate(fill) == "rgb(255, 255, 255)") == (scheme == "light")
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    found = Axe().run(page)
    assert found.response["passes"], "it has looked"
    assert found.violations_count == 0, found.generate_report()
    context.close()


def test_tables_are_sorted_and_folded_without_scripts(browser, reports):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((reports / "kept.html").as_uri())
    table = page.locator(".sorted").filter(has=page.locator("th", has_text="cycles a block")).first
    assert not table.is_visible()
    table.locator("xpath=ancestor::details/summary").click()
    assert table.is_visible()
    name = table.locator("thead th").all_inner_texts().index("cycles a block")

    def column():
        """Return the numbers in a column of the page's table, from top to bottom."""
        places = f"rows => rows.map(row => [row.getBoundingClientRect().y, row.cells[{name}].innerText])"
        found = table.locator("tbody tr").evaluate_all(places)
        return [float(text.replace(",", "")) for _, text in sorted(found) if text != "-"]

    assert column() != sorted(column())
    table.get_by_role("radio", name="cycles a block").check(force=True)
    assert column() == sorted(column())
    table.get_by_role("checkbox", name="descending").check()
    assert column() == sorted(column(), reverse=True)
    table.get_by_role("radio", name="as in the file").check()
    assert column() not in (sorted(column()), sorted(column(), reverse=True))
    context.close()


def test_without_scripts_it_is_the_same_page(browser, reports):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((reports / "kept.html").as_uri())
    assert page.locator("svg[role=img]").count() > 5 and page.locator("table").count() > 10
    assert page.locator("svg").first.bounding_box()["height"] > 50
    context.close()
