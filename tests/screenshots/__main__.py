"""Makes the pictures of the live view in build/pictures: ``python -m tests.screenshots``, or ``make screenshots``.

Chromium opens the page of `cipherlane live` on the simulated board. One picture is of the page; a short animation is
of its three panes: what CTR sends, what ECB would leak, and what bytes changed on the wire do.
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
from playwright.sync_api import Page, sync_playwright

from tests.gateware.support import ROOT

PICTURES = ROOT / "build" / "pictures"
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
WIDTH, HEIGHT, ANIMATED_WIDTH = 1280, 1500, 720
SCENES = ({}, {"wiretap": "ecb"}, {"wiretap": "ctr", "tamper": "yes"})
SCENE = 6  # pictures of the animation
FRAME_MS = 300
MOST_BYTES = 400_000
PATIENCE_MS = 120_000
END_S = 60  # for the tool to close the board's sessions
SHOWN = {"ecb": "shows through", "ctr": "as of random bytes", "yes": "changed on the wire", "no": "equal to the source"}
PANE = "id => document.getElementById(id).toDataURL()"


def photograph(page: Page, selector: str | None = None) -> Image.Image:
    """Return the page, or a part of it, as seen."""
    shot = page.locator(selector).screenshot() if selector else page.screenshot()
    return Image.open(io.BytesIO(shot)).convert("RGB")


def another(page: Page) -> None:
    """Wait for the next picture."""
    before = page.evaluate(PANE, "plaintext") + page.evaluate(PANE, "wire")
    changed = "before => ['plaintext', 'wire'].map(id => document.getElementById(id).toDataURL()).join('') !== before"
    page.wait_for_function(changed, arg=before, timeout=PATIENCE_MS)


def animate(page: Page) -> list[Image.Image]:
    """Return the pictures of all scenes."""
    found = []
    for scene in SCENES:
        for choice, value in scene.items():
            page.select_option(f"#{choice}", value)
            note = "#decrypted_note" if choice == "tamper" else "#wire_note"
            page.locator(note).filter(has_text=SHOWN[value]).wait_for(timeout=PATIENCE_MS)
        print(f"{len(found)} of {SCENE * len(SCENES)} pictures", flush=True)
        for _ in range(SCENE):
            another(page)
            whole = photograph(page, "#panes")
            found.append(whole.resize((ANIMATED_WIDTH, whole.height * ANIMATED_WIDTH // whole.width)))
    high = max(each.height for each in found)
    return [_padded(each, high) for each in found]


def _padded(picture: Image.Image, high: int) -> Image.Image:
    """Return `picture` with its lowest left pixel's colour beneath it."""
    whole = Image.new("RGB", (picture.width, high), picture.getpixel((0, picture.height - 1)))
    whole.paste(picture)
    return whole


@contextlib.contextmanager
def live_view(port: str, engine: str) -> Iterator[str]:
    """Have `cipherlane live` show a board; yield the page's URL. End it as its user does, by Ctrl-C.

    Raises:
        SystemExit: it does not begin, or does not end in order.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background job, and then in its children
    words = [Path(sys.executable).parent / "cipherlane", "live", "--listen", "127.0.0.1:0", "--port", port]
    with subprocess.Popen([*words, "--engine", engine], stdout=subprocess.PIPE, text=True) as tool:
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
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.screenshots", description=__doc__.splitlines()[0])
    parser.add_argument("--port", default="sim", help="the board that is shown (default: sim)")
    parser.add_argument("--engine", default="accelerator")
    parser.add_argument("--into", type=Path, default=PICTURES, metavar="FOLDER")
    args = parser.parse_args()
    if not shutil.which("chromium"):
        raise SystemExit("error: no Debian package chromium: .ci/setup chromium")
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(live_view(args.port, args.engine))
        playwright = stack.enter_context(sync_playwright())
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        stack.callback(chromium.close)
        page = chromium.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(url)
        page.locator("#latest tbody td").first.wait_for(timeout=PATIENCE_MS)
        page.select_option("#bits", "8")
        page.locator("#plaintext_note").filter(has_not_text="shades").wait_for(timeout=PATIENCE_MS)
        another(page)
        still, moving = photograph(page), animate(page)
    args.into.mkdir(parents=True, exist_ok=True)
    still.save(args.into / "live.webp", quality=80, method=6)
    moving[0].save(
        args.into / "live-moving.webp",
        save_all=True,
        append_images=moving[1:],
        duration=FRAME_MS,
        loop=0,
        quality=40,
        method=6,
    )
    sizes = {name: (args.into / name).stat().st_size for name in ("live.webp", "live-moving.webp")}
    for name, size in sizes.items():
        print(f"{args.into / name}: {size} bytes")
        if size > MOST_BYTES:
            print(f"error: {name} is larger than {MOST_BYTES} bytes", file=sys.stderr)
    return int(max(sizes.values()) > MOST_BYTES)


if __name__ == "__main__":
    sys.exit(main())
