# SPDX-License-Identifier: BSD-2-Clause
"""Watch the live view of the null board in ten Chromium pages for ten minutes. The memory use must not grow.

Every few seconds the program reads the tool's resident memory, and the JavaScript heap of all pages after a garbage
collection. The reading after a tenth of the time is the reference. The command fails if the tool or the pages have
grown by more than the bar at the end, or if a page stands still.
"""

import argparse
import contextlib
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psutil
from cipherlane_base.figures import write
from playwright.sync_api import Page, sync_playwright

from tests.bench_host.__main__ import null_board
from tests.bench_live.viewing import load
from tests.gateware.support import ROOT

COMMAND = "make bench-live LIVE=soak"
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--js-flags=--expose-gc")
READING = 10.0  # seconds
PATIENCE_MS = 120_000
BARS = {"tool": 16.0, "pages": 16.0}  # MB of growth
COUNT = """() => {
    window.seen = 0;
    new MutationObserver(() => seen++).observe(document.getElementById('wire_note'), {childList: true});
}"""
HEAP = "() => { gc(); return performance.memory.usedJSHeapSize; }"


def reading(tool: psutil.Process, pages: list[Page]) -> dict[str, float]:
    """Return the memory that the host tool and the browser pages use, in MB."""
    return {"tool": tool.memory_info().rss / 1e6, "pages": sum(page.evaluate(HEAP) for page in pages) / 1e6}


def give_way() -> None:
    """Chromium raises the priority of its processes. Lower each of the processes to the priority of this program."""
    mine = psutil.Process().nice()
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if child.nice() < mine:
                child.nice(mine)


def soak(seconds: float, count: int) -> tuple[list[dict], list[int]]:
    """Watch the live view in `count` pages. Return the memory readings, and the number of pictures that each page
    drew.
    """
    words = [Path(sys.executable).parent / "cipherlane", "live", "--listen", "127.0.0.1:0", "--port"]
    with contextlib.ExitStack() as stack:
        url, _ = stack.enter_context(null_board())
        tool = stack.enter_context(psutil.Popen([*words, url], stdout=subprocess.PIPE, text=True))
        stack.callback(tool.terminate)
        address = re.search(r"http://\S+", tool.stdout.readline())[0]
        playwright = stack.enter_context(sync_playwright())
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        stack.callback(chromium.close)
        pages = [chromium.new_page() for _ in range(count)]
        for number, page in enumerate(pages, 1):
            page.goto(address, timeout=PATIENCE_MS)
            page.wait_for_function("() => document.getElementById('wire_note').textContent", timeout=PATIENCE_MS)
            page.evaluate(COUNT)
            give_way()
            print(f"{number} pages are open", flush=True)
        readings, end = [], time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(min(READING, seconds / 20))
            give_way()
            readings.append(reading(tool, pages))
            print("tool {tool:.1f} MB, pages {pages:.1f} MB".format(**readings[-1]), flush=True)
        return readings, [page.evaluate("() => seen") for page in pages]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command-line options of this measurement."""
    parser.add_argument("--seconds", type=float, default=600.0, help="default: 600")
    parser.add_argument("--pages", type=int, default=10, help="default: 10")


def run(args: argparse.Namespace) -> int:
    """Measure the memory use, print and save the results; return the exit status."""
    if not shutil.which("chromium"):
        raise SystemExit("error: no Debian package chromium: .ci/setup chromium")
    readings, drawn = soak(args.seconds, args.pages)
    begun = readings[len(readings) // 10]
    record: dict = {"kind": "null", "seconds": args.seconds, "pages": args.pages, "drawn": drawn}
    for name in BARS:
        values = [each[name] for each in readings]
        record |= {
            f"{name}_begun_mb": round(begun[name], 1),
            f"{name}_ended_mb": round(values[-1], 1),
            f"{name}_most_mb": round(max(values), 1),
        }
        print(f"{name}: {begun[name]:.1f} MB, at the end {values[-1]:.1f} MB, at most {max(values):.1f} MB")
    print(f"{args.pages} pages drew {min(drawn)} to {max(drawn)} pictures each in {args.seconds:g} s; {load()}")
    path = ROOT / "build" / "results" / "bench-live-soak.json"
    write(path, {"records": [record]}, command=COMMAND, board="null", configuration={"load": load()})
    grown = any(record[f"{name}_ended_mb"] - record[f"{name}_begun_mb"] > bar for name, bar in BARS.items())
    return int(grown or min(drawn) < args.seconds / 10)
