# SPDX-License-Identifier: BSD-2-Clause
"""Makes the pictures of the live view in docs/pictures: ``python -m tests.screenshots``, or ``make screenshots``.

Chromium opens the stage of `cipherlane live` on the simulated board. It makes one picture in each size, and a short
animation. The animation shows what CTR sends, what ECB would leak, and the effect of bytes changed on the wire.
"""

import argparse
import contextlib
import io
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.gateware.support import ROOT

PICTURES = ROOT / "docs" / "pictures"
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
SIZES = (((1280, 720), "dark"), ((1920, 1080), "light"))
ANIMATED = (960, 540)
SCENES = ((), ("e",), ("e", "t"))  # keys to press for each scene (CTR, ECB, tampering)
VERDICTS = (("wire", "looks random"), ("wire", "it leaks"), ("decrypted", "tampered"))
SCENE = 5  # pictures per scene of the animation
FRAME_MS = 400
MOST_BYTES = 300_000
PATIENCE_MS = 300_000
END_S = 60  # seconds that the tool gets to close the board's sessions
STRETCHES = 4  # number of measurements to wait for with each engine
PANE = "id => document.getElementById(id).toDataURL()"


def photograph(page: Page) -> Image.Image:
    """Return a screenshot of the page."""
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def another(page: Page) -> None:
    """Wait until the live view shows another picture."""
    before = page.evaluate(PANE, "plaintext") + page.evaluate(PANE, "wire")
    changed = "before => ['plaintext', 'wire'].map(id => document.getElementById(id).toDataURL()).join('') !== before"
    page.wait_for_function(changed, arg=before, timeout=PATIENCE_MS)


def on_stage(chromium: Browser, address: str, size: tuple[int, int], scheme: str) -> Page:
    """Open the live view in its stage layout. Wait until the page shows engines of three kinds; return the page."""
    page = chromium.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    page.goto(f"{address}?stage")
    page.locator("#decrypted_verdict").filter(has_text="equal").wait_for(timeout=PATIENCE_MS)
    page.wait_for_function("() => document.querySelectorAll('.lane').length === 3", timeout=PATIENCE_MS)
    return page


def measure(page: Page) -> None:
    """Stream with one kind of engine after another, the fastest last. Wait until each kind has several measurements."""
    for key in "321":
        page.keyboard.press(key)
        page.wait_for_function(
            "([lane, many]) => document.querySelectorAll('.lane')[lane].classList.contains('now') && "
            "[...document.querySelectorAll('#points tbody tr')].slice(0, many).filter(row => "
            "row.cells[0].innerText.startsWith(document.getElementById('engine').value + ' ')).length === many",
            arg=[int(key) - 1, STRETCHES],
            timeout=PATIENCE_MS,
        )


def animate(page: Page) -> list[Image.Image]:
    """Play all scenes; return their screenshots in order."""
    found = []
    for keys, (pane, verdict) in zip(SCENES, VERDICTS, strict=True):
        for key in keys:
            page.keyboard.press(key)
        page.locator(f"#{pane}_verdict").filter(has_text=verdict).wait_for(timeout=PATIENCE_MS)
        page.wait_for_function("() => !document.getElementById('pending').textContent", timeout=PATIENCE_MS)
        print(f"{len(found)} of {SCENE * len(SCENES)} pictures", flush=True)
        for _ in range(SCENE):
            another(page)
            found.append(photograph(page))
    page.keyboard.press("t")
    return found


@contextlib.contextmanager
def live_view(port: str) -> Iterator[str]:
    """Have `cipherlane live` show a board; yield the page's URL. End the tool by Ctrl-C, as its user does.

    Raises:
        SystemExit: the tool does not start, or does not end in order.
    """
    # A shell starts background jobs with SIGINT ignored, and child processes inherit this. Restore SIGINT's default
    # handler, because SIGINT must end the tool.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    words = [Path(sys.executable).parent / "cipherlane", "live", "--listen", "127.0.0.1:0", "--port", port]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as tool:
        try:
            said = re.search(r"http://\S+", tool.stdout.readline())
            if not said:
                raise SystemExit("error: cipherlane live has no address: see above")
            yield said[0].rstrip(";")
            tool.send_signal(signal.SIGINT)
            if tool.wait(END_S):
                raise SystemExit(f"error: cipherlane live ended with status {tool.returncode}: see above")
        finally:
            tool.terminate()


def main() -> int:
    """Make the pictures and write them to files; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.screenshots", description=__doc__.splitlines()[0])
    parser.add_argument("--port", default="sim+udp", help="the board that is shown (default: %(default)s, as root)")
    parser.add_argument("--into", type=Path, default=PICTURES, metavar="FOLDER")
    args = parser.parse_args()
    if not shutil.which("chromium"):
        raise SystemExit("error: no Debian package chromium: .ci/setup chromium")
    args.into.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        address = stack.enter_context(live_view(args.port))
        playwright = stack.enter_context(sync_playwright())
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        stack.callback(chromium.close)
        for (width, height), scheme in SIZES:
            page = on_stage(chromium, address, (width, height), scheme)
            measure(page)
            another(page)
            photograph(page).save(args.into / f"stage-{width}x{height}.webp", quality=80, method=6)
            page.close()
        first, *others = animate(on_stage(chromium, address, ANIMATED, "dark"))
    # The pictures contain noise with large pixels. Such pictures become smaller with lossless than with lossy
    # compression.
    options = {"duration": FRAME_MS, "loop": 0, "lossless": True, "method": 6}
    first.save(args.into / "live.webp", save_all=True, append_images=others, **options)
    sizes = {path: path.stat().st_size for path in sorted(args.into.glob("*.webp"))}
    for path, size in sizes.items():
        print(f"{path}: {size} bytes")
        if size > MOST_BYTES:
            print(f"error: {path} is larger than {MOST_BYTES} bytes", file=sys.stderr)
    return int(max(sizes.values()) > MOST_BYTES)


if __name__ == "__main__":
    sys.exit(main())
