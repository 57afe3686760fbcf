# SPDX-License-Identifier: BSD-2-Clause
"""Tests the live view as its users see it: Chromium opens the page of `cipherlane live` on the simulated board."""

import collections
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from axe_playwright_python.sync_playwright import Axe
from cipherlane.live import pictures
from playwright.sync_api import expect, sync_playwright

from tests.waiting import HANG_S, until

CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.simboard,
    pytest.mark.skipif(not CHROMIUM, reason="no Debian package chromium: `make test` installs it (.ci/setup chromium)"),
]
CIPHERLANE = Path(sys.executable).parent / "cipherlane"
EDGE = 32
PANES = ("plaintext", "wire", "decrypted")
WAIT_MS = 1000 * HANG_S
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
GONE = "ERR_CONNECTION_REFUSED"  # Chromium's error message when it cannot connect, because the host tool has ended
PIXELS = """id => {
    const canvas = document.getElementById(id);
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return Array.from(new Uint32Array(data.buffer)).map(pixel => pixel & 0xffffff);
}"""
CODES = {red | green << 8 | blue << 16: code for code in range(256) for red, green, blue in [pictures.colour(code)]}
SIXTEEN = {(half >> 3) * 255 | (half >> 1 & 3) * 85 << 8 | (half & 1) * 255 << 16: half for half in range(16)}
SIZES = [(1280, 720), (1920, 1080)]


@pytest.fixture(scope="module")
def tool():
    """Run `cipherlane live`, which starts a simulated board. Yield the process, and the address of the web page."""
    words = [CIPHERLANE, "live", "--port", "sim", "--edge", str(EDGE), "--listen", "127.0.0.1:0", "--engine", "ise"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process, re.search(r"http://\S+", process.stdout.readline())[0]
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(HANG_S)


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(tool, browser, request):
    """Open the page and wait until it shows pictures. After the test, check that the page reported no errors."""
    options = getattr(request, "param", {})
    context = browser.new_context(**{"viewport": {"width": 1400, "height": 1200}, **options})
    context.set_default_timeout(WAIT_MS)
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" and GONE not in said.text else None)
    page.goto(tool[1])
    expect(page.locator("#decrypted_note")).to_contain_text("equal to the source", timeout=WAIT_MS)
    yield page
    context.close()
    assert wrong == []


def picture(page, panes=PANES, codes=CODES):
    """Return the pixels of each pane in `panes` (source, wire and so on). All panes belong to the same picture."""
    return [bytes(codes[pixel] for pixel in pane) for pane in page.evaluate(f"() => {list(panes)}.map({PIXELS})")]


def another(page, before, panes=PANES, codes=CODES):
    """Wait until the second pane in `panes` no longer shows the pixels `before`. Return the pixels of all panes."""

    def now():
        seen = picture(page, panes, codes)
        return seen if seen[1] != before else None

    return until(now, lambda: "the picture stands still", lambda: page.wait_for_timeout(50))


def chi_square(data):
    expected, counts = len(data) / 256, collections.Counter(data)
    return sum((counts[value] - expected) ** 2 / expected for value in range(256))


def test_three_panes_move_and_the_decrypted_one_is_the_source(page):
    page.select_option("#bits", "8")  # 8 bits per pixel; on slow machines, the default is fewer bits
    expect(page.locator("#plaintext_note")).not_to_contain_text("colours", timeout=WAIT_MS)
    seen = [another(page, b"")]
    while len(seen) < 6:
        seen.append(another(page, seen[-1][1]))
    for plaintext, wire, decrypted in seen:
        assert len(plaintext) == EDGE * EDGE and plaintext == decrypted != wire
    assert len({plaintext for plaintext, _, _ in seen}) > 1
    # A chi-squared test of the encrypted bytes. With 255 degrees of freedom, the result for random data exceeds 409
    # once in 10^9 tests. For a picture with a visible pattern, the result is several thousand.
    assert chi_square(b"".join(wire for _, wire, _ in seen)) < 409 < chi_square(seen[0][0])


def test_engine_switched_with_the_keyboard_alone(page):
    passed = []
    while not passed or passed[-1] != "engine":
        page.keyboard.press("Tab")
        passed.append(page.evaluate("document.activeElement.id"))
        assert len(passed) < 12, passed
    assert passed[0] == "do_stage"
    page.keyboard.type("acc")
    expect(page.locator("#bars text").filter(has_text="▸")).to_have_text("▸ accelerator", timeout=WAIT_MS)
    row = page.locator("#latest tbody tr").filter(has_text="accelerator 128")
    expect(row).to_contain_text("sim", timeout=WAIT_MS)
    mbps = float(row.locator("td").nth(1).inner_text())
    assert 500 < mbps < 1600, "AES alone of the accelerator, at 100 MHz"
    expect(page.locator("#bars")).to_contain_text(f"{mbps} sim")
    expect(page.locator("#decrypted_note")).to_contain_text(" 0 different")


def test_sixteen_colours_are_sent_two_pixels_a_byte(page):
    page.select_option("#bits", "4")
    expect(page.locator("#plaintext_note")).to_contain_text("16 colours, two pixels a byte", timeout=WAIT_MS)
    expect(page.locator("#spread")).to_contain_text(f"{EDGE * EDGE // 2} bytes")
    plaintext, wire, decrypted = another(page, b"", codes=SIXTEEN)
    assert len(plaintext) == EDGE * EDGE and plaintext == decrypted != wire
    page.select_option("#bits", "8")


def test_the_table_of_byte_values_counts_what_the_wiretap_shows(page):
    expect(page.locator("#plaintext_note")).not_to_contain_text("colours", timeout=WAIT_MS)
    page.get_by_role("button", name="Pause").click()
    another(page, another(page, b"")[1])
    table = "() => [...document.querySelectorAll('#counts tbody tr')].map(row => [...row.cells].map(c => c.innerText))"
    # Read the pixels and the table in one call, so that the pixels and the table belong to the same picture.
    pixels, cells = page.evaluate(f"() => [({PIXELS})('wire'), ({table})()]")
    wire = bytes(CODES[pixel] for pixel in pixels)
    assert [row[0] for row in cells] == [f"{value:X}x" for value in range(16)]
    assert [int(cell) for row in cells for cell in row[1:]] == [wire.count(value) for value in range(256)]
    assert page.locator("#histogram path").get_attribute("d").count("M") == 256


def test_two_engines_side_by_side(page):
    expect(page.locator("#compared")).to_be_hidden()
    page.select_option("#beside", "ise_vmem")
    rows = page.locator("#both tbody tr")
    expect(rows).to_have_count(2, timeout=WAIT_MS)
    shown = [row.split("\t") for row in rows.all_inner_texts()]
    engines = [row[0].split()[0] for row in shown]
    assert engines[1] == "ise_vmem" and engines[0] == page.input_value("#engine")
    cycles = [float(row[3]) for row in shown]
    assert all(10 < each < 80 for each in cycles) and cycles[0] != cycles[1]
    expect(page.locator("#ratio")).to_contain_text("times as fast as")
    expect(page.locator("#decrypted_beside_note")).to_contain_text("ise_vmem: by the host", timeout=WAIT_MS)
    _, wire, one, wire_beside, other = another(page, b"", (*PANES, "wire_beside", "decrypted_beside"))
    assert len(one) == len(other) == EDGE * EDGE and wire != wire_beside and other != wire_beside
    expect(page.locator("#decrypted_beside_note")).to_contain_text(" 0 different")
    assert Axe().run(page).violations_count == 0
    page.select_option("#beside", "no")
    expect(page.locator("#compared")).to_be_hidden(timeout=WAIT_MS)


def test_ecb_shows_the_picture_and_is_said_not_to_be_sent(page):
    page.select_option("#wiretap", "ecb")
    expect(page.locator("#wire_note")).to_contain_text("not sent", timeout=WAIT_MS)
    expect(page.locator("#wire_note")).to_contain_text("the picture shows through")
    page.select_option("#wiretap", "ctr")
    expect(page.locator("#wire_note")).to_contain_text("like random bytes", timeout=WAIT_MS)


def test_a_text_is_sent_by_the_enter_key(page):
    before = another(page, b"")[0]
    page.fill("#text", "Hello")
    page.press("#text", "Enter")
    expect(page.locator("#source")).to_have_value("text", timeout=WAIT_MS)

    def letters():
        plaintext, _, decrypted = picture(page)
        return (plaintext, decrypted) if plaintext != before and len(set(plaintext)) == 2 else None

    plaintext, decrypted = until(letters, lambda: "no picture in two colours, letters on paper, has come")
    assert plaintext == decrypted
    page.select_option("#source", "pattern")


@pytest.mark.parametrize("page", [{"color_scheme": "light"}, {"color_scheme": "dark"}], indirect=True)
def test_axe_finds_nothing(page):
    expect(page.locator("#latest tbody tr").first).to_be_visible(timeout=WAIT_MS)
    found = Axe().run(page)
    assert found.response["passes"], "it has looked"
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("page", [{"reduced_motion": "reduce"}], indirect=True)
def test_who_wants_no_motion_gets_none(page):
    button = page.get_by_role("button", name="Paused")
    expect(button).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("() => [...document.querySelectorAll('.runner')].every(runner => runner.hidden)")
    before = picture(page)
    page.wait_for_timeout(1500)
    assert picture(page) == before, "a still picture for 5 s"
    button.click()
    another(page, before[1])


def test_no_session_raises_the_board_s_count_of_rejected_records(page):
    counters = "() => document.getElementById('counters').textContent"
    page.wait_for_function(
        "() => /sessions opened ([2-9]|[0-9]{2,})/.test(document.getElementById('counters').textContent)"
    )
    assert re.search(r"\brejected (\d+)", page.evaluate(counters))[1] == "0"


# The stage


@pytest.fixture
def stage(page):
    """Switch the page to its view for a large screen."""
    page.keyboard.press("s")
    expect(page.locator("html")).to_have_class("stage")
    return page


def shown(page, selector):
    """Return left, top, right and bottom of each visible element that matches the CSS selector."""
    boxes = [each.bounding_box() for each in page.locator(selector).all() if each.is_visible()]
    return [(box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]) for box in boxes]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_stage_is_one_screen_that_is_read_from_the_last_row(stage, width, height, scheme):
    stage.set_viewport_size({"width": width, "height": height})
    stage.emulate_media(color_scheme=scheme)
    expect(stage.locator(".lane").first).to_be_visible(timeout=WAIT_MS)
    boxes = {each: shown(stage, f"#{each}") for each in (*PANES, "number", "kind", "lanes", "quick")}
    for left, top, right, bottom in (box for found in boxes.values() for box in found):
        assert left >= 0 and top >= 0 and right <= width and bottom <= height
    assert all(boxes.values()), "all of it is seen"
    assert stage.evaluate("() => document.documentElement.scrollHeight") <= height
    sizes = "() => ['.verdict', 'figcaption b', '#number_note', '.lane .name', '.lane .value', '#kind'].map(each => "
    sizes += "parseFloat(getComputedStyle(document.querySelector(each)).fontSize))"
    assert min(stage.evaluate(sizes)) >= height / 30
    assert shown(stage, "#number")[0][3] - shown(stage, "#number")[0][1] > height / 10
    left, top, right, bottom = boxes["wire"][0]
    assert bottom - top > 0.45 * height and abs((right - left) - (bottom - top)) < 2
    found = Axe().run(stage)
    assert found.violations_count == 0, found.generate_report()


def test_the_large_number_is_the_engine_s_figure_with_its_kind(stage):
    expect(stage.locator("#kind")).to_have_text("sim", timeout=WAIT_MS)
    stage.keyboard.press("s")
    row = stage.locator("#latest tbody tr").filter(has_text=stage.input_value("#engine")).first
    both = "() => [document.getElementById('number').textContent, document.querySelector('#latest tbody').innerText]"
    number, table = stage.evaluate(both)
    assert row.count() and 5 < float(number) < 2000
    assert any(abs(float(line.split("\t")[1]) / float(number) - 1) < 0.01 for line in table.split("\n"))


def test_tampering_takes_one_key_or_one_click(stage):
    expect(stage.locator("#decrypted_verdict")).to_contain_text("equal", timeout=WAIT_MS)
    stage.keyboard.press("t")
    expect(stage.locator("#pending")).to_have_text("Not yet in effect: tamper")
    assert "waiting" in stage.locator("#tamper").get_attribute("class")
    expect(stage.locator("#decrypted_verdict")).to_have_text(f"tampered in {EDGE} bytes", timeout=WAIT_MS)
    expect(stage.locator("#pending")).to_have_text("", timeout=WAIT_MS)
    expect(stage.locator("#do_tamper")).to_have_attribute("aria-pressed", "true")
    stage.locator("#do_tamper").click()
    expect(stage.locator("#decrypted_verdict")).to_contain_text("equal", timeout=WAIT_MS)
    stage.keyboard.press("e")
    expect(stage.locator("#wire_verdict")).to_have_text("ECB, not sent: it leaks", timeout=WAIT_MS)
    stage.keyboard.press("e")
    expect(stage.locator("#wire_verdict")).to_have_text("looks random", timeout=WAIT_MS)


def test_the_keys_are_listed_and_can_be_switched_off(stage):
    stage.keyboard.press("?")
    expect(stage.locator("#help")).to_be_visible()
    keys = stage.locator("#help kbd").all_inner_texts()
    buttons = stage.locator("#quick [aria-keyshortcuts]").all()
    assert {each.get_attribute("aria-keyshortcuts") for each in buttons} <= set(keys) and "Esc" in keys
    assert Axe().run(stage).violations_count == 0
    stage.locator("#keys_on").uncheck()
    stage.keyboard.press("Escape")
    expect(stage.locator("#help")).to_be_hidden()
    stage.keyboard.press("s")
    expect(stage.locator("html")).to_have_class("stage")
    stage.keyboard.press("?")
    stage.locator("#keys_on").check()
    stage.keyboard.press("Escape")
    stage.keyboard.press("Escape")
    expect(stage.locator("html")).not_to_have_class("stage")


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_speeds_are_seen_without_scrolling(page, width, height):
    page.set_viewport_size({"width": width, "height": height})
    expect(page.locator(".lane").first).to_be_visible(timeout=WAIT_MS)
    assert page.locator("#controls").is_visible()
    for selector in ("#number", ".lane", "canvas"):
        assert all(bottom <= height for *_, bottom in shown(page, f"#first {selector}"))


@pytest.mark.parametrize("page", [{"viewport": {"width": 390, "height": 844}}], indirect=True)
def test_on_a_phone_the_controls_fold(page):
    expect(page.locator("#number")).to_be_visible()
    assert not page.locator("#controls").is_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    page.locator("summary").click()
    assert page.locator("#controls").is_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert Axe().run(page).violations_count == 0


def test_engines_race_on_the_same_stream(stage):
    stage.keyboard.press("1")
    stage.keyboard.press("r")
    expect(stage.locator(".lane")).to_have_count(3, timeout=2 * WAIT_MS)
    names = ["accelerator", "instructions", "C with tables"]
    assert [name.removeprefix("▸ ") for name in stage.locator(".lane .name").all_inner_texts()] == names
    speeds = [float(text.split()[0]) for text in stage.locator(".lane .value").all_inner_texts()]
    assert speeds[0] > speeds[1] > speeds[2] > 0, "as in every table of the project"
    widths = stage.evaluate("() => [...document.querySelectorAll('.fill')].map(each => parseFloat(each.style.width))")
    assert widths == pytest.approx([100 * speed / speeds[0] for speed in speeds], rel=0.02)
    stage.keyboard.press("1")
    expect(stage.locator("#do_race")).to_have_attribute("aria-pressed", "false", timeout=WAIT_MS)


def test_a_board_that_dies_is_said_and_another_takes_its_place(tool, page):
    (board,) = psutil.Process(tool[0].pid).children()
    board.kill()
    expect(page.locator("#state")).to_contain_text("The board is not there", timeout=WAIT_MS)
    expect(page.locator("#state")).to_have_text("", timeout=WAIT_MS)
    before = another(page, b"")
    assert another(page, before[1])[0]
    (new,) = psutil.Process(tool[0].pid).children()
    assert new.pid != board.pid


def test_the_end_of_the_tool_is_said_and_leaves_nothing_running(tool, page):
    children = psutil.Process(tool[0].pid).children(recursive=True)
    os.kill(tool[0].pid, signal.SIGINT)
    assert tool[0].wait(HANG_S) == 0
    expect(page.locator("#state")).to_contain_text("No connection to cipherlane live", timeout=WAIT_MS)
    assert children and not psutil.wait_procs(children, HANG_S)[1]
