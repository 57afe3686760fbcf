"""The live view as people see it: Chromium opens the page of `cipherlane live` on the simulated board."""

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
GONE = "ERR_CONNECTION_REFUSED"  # said of a tool that has ended
PIXELS = """id => {
    const canvas = document.getElementById(id);
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return Array.from(data).filter((_, at) => at % 4 == 0);
}"""


@pytest.fixture(scope="module")
def tool():
    """`cipherlane live` on a simulated board of its own, and its address."""
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
    """The page with pictures in it; at the end nothing was wrong in it."""
    options = getattr(request, "param", {})
    context = browser.new_context(viewport={"width": 1400, "height": 1200}, **options)
    context.set_default_timeout(WAIT_MS)
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" and GONE not in said.text else None)
    page.goto(tool[1])
    expect(page.locator("#decrypted_note")).to_contain_text("equal to the source", timeout=WAIT_MS)
    yield page
    context.close()
    assert wrong == []


def picture(page, panes=PANES):
    """Bytes of `panes`, as drawn at one time."""
    return page.evaluate(f"() => {list(panes)}.map({PIXELS})")


def another(page, before, panes=PANES):
    """Wait for `panes` of another picture; the second tells."""

    def now():
        seen = [bytes(pane) for pane in picture(page, panes)]
        return seen if seen[1] != before else None

    return until(now, lambda: "the picture stands still", lambda: page.wait_for_timeout(50))


def chi_square(data):
    expected, counts = len(data) / 256, collections.Counter(data)
    return sum((counts[value] - expected) ** 2 / expected for value in range(256))


def test_three_panes_move_and_the_decrypted_one_is_the_source(page):
    page.select_option("#bits", "8")  # a byte a pixel, be the machine as slow as it is
    expect(page.locator("#plaintext_note")).not_to_contain_text("shades", timeout=WAIT_MS)
    seen = [another(page, b"")]
    while len(seen) < 6:
        seen.append(another(page, seen[-1][1]))
    for plaintext, wire, decrypted in seen:
        assert len(plaintext) == EDGE * EDGE and plaintext == decrypted != wire
    assert len({plaintext for plaintext, _, _ in seen}) > 1
    # Of 255 degrees of freedom, one in 10^9 is above 409; of the pattern it is thousands.
    assert chi_square(b"".join(wire for _, wire, _ in seen)) < 409 < chi_square(seen[0][0])


def test_engine_switched_with_the_keyboard_alone(page):
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "engine"
    page.keyboard.type("acc")
    expect(page.locator("#bars text").filter(has_text="▸")).to_have_text("▸ accelerator", timeout=WAIT_MS)
    row = page.locator("#latest tbody tr").filter(has_text="accelerator 128")
    expect(row).to_contain_text("sim", timeout=WAIT_MS)
    mbps = float(row.locator("td").nth(1).inner_text())
    assert 500 < mbps < 1600, "AES alone of the accelerator, at 100 MHz"
    expect(page.locator("#bars")).to_contain_text(f"{mbps} sim")
    expect(page.locator("#decrypted_note")).to_contain_text(" 0 different")


def test_sixteen_shades_are_sent_two_pixels_a_byte(page):
    page.select_option("#bits", "4")
    expect(page.locator("#plaintext_note")).to_contain_text("16 shades, two pixels a byte", timeout=WAIT_MS)
    expect(page.locator("#spread")).to_contain_text(f"{EDGE * EDGE // 2} bytes")
    plaintext, wire, decrypted = another(page, b"")
    assert len(plaintext) == EDGE * EDGE and plaintext == decrypted != wire
    assert all(pixel % 17 == 0 for pixel in plaintext + wire)
    page.select_option("#bits", "8")


def test_the_table_of_byte_values_counts_what_the_wiretap_shows(page):
    expect(page.locator("#plaintext_note")).not_to_contain_text("shades", timeout=WAIT_MS)
    page.get_by_role("button", name="Pause pictures").click()
    another(page, another(page, b"")[1])
    table = "() => [...document.querySelectorAll('#counts tbody tr')].map(row => [...row.cells].map(c => c.innerText))"
    wire, cells = page.evaluate(f"() => [({PIXELS})('wire'), ({table})()]")  # of one picture
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
    expect(page.locator("#wire_note")).to_contain_text("as of random bytes", timeout=WAIT_MS)


def test_a_text_is_sent_by_the_enter_key(page):
    before = another(page, b"")[0]
    page.fill("#text", "Hello")
    page.press("#text", "Enter")
    expect(page.locator("#source")).to_have_value("text", timeout=WAIT_MS)
    plaintext, _, decrypted = another(page, b"")
    while plaintext == before or len(set(plaintext)) < 5:
        plaintext, _, decrypted = another(page, b"")
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
    before = [bytes(pane) for pane in picture(page)]
    page.wait_for_timeout(1500)
    assert [bytes(pane) for pane in picture(page)] == before, "a still picture for 5 s"
    button.click()
    another(page, before[1])


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
