# SPDX-License-Identifier: BSD-2-Clause
"""Measure how long `make live` takes to print its address and to show a picture. `make live` runs twice in a new clone.

The clone has this checkout's HEAD, lies in build/bench-live, and has its own cache of simulators. It uses the machine's
Debian packages and pip's downloads. A first picture later than the bars fails the command.
"""

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

from cipherlane_base.figures import write
from websockets.sync.client import connect

from tests.bench_live.viewing import load
from tests.gateware.support import ROOT

COMMAND = "make bench-live LIVE=start"
# Maximum seconds until the first picture, in the first run and in the second run of `make live`.
BARS = {"cold": 600.0, "second": 30.0}
PATIENCE = 60.0  # maximum seconds to wait for a message after the address is printed


def start(clone: Path) -> dict[str, float]:
    """Run `make live` in the clone. Return the seconds until `make live` prints its address, and until a picture
    arrives.
    """
    begun, words = time.monotonic(), ["make", "live"]
    environment = {**os.environ, "CIPHERLANE_CACHE": str(clone / "build" / "cache")}
    environment.pop("MAKEFLAGS", None)
    with subprocess.Popen(
        words, cwd=clone, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as making:
        try:
            for line in making.stdout:
                if found := re.search(r"http://(\S+)/", line):
                    break
                print(f"  {time.monotonic() - begun:6.1f} s {line.rstrip()}", flush=True)
            else:
                raise SystemExit("error: `make live` ended before it had an address")
            address = time.monotonic() - begun
            with connect(f"ws://{found[1]}/messages", origin=f"http://{found[1]}", proxy=None) as viewer:
                viewer.send("ready")
                while isinstance(viewer.recv(PATIENCE), str):
                    viewer.send("ready")
            return {"address_seconds": round(address, 2), "picture_seconds": round(time.monotonic() - begun, 2)}
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(making.pid, signal.SIGINT)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command-line options of this measurement."""
    parser.add_argument("--keep", action="store_true", help="leave the clone where it is")


def run(args: argparse.Namespace) -> int:
    """Measure the start times, print and save the results; return the exit status."""
    clone = ROOT / "build" / "bench-live" / "clone"
    shutil.rmtree(clone, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    records = []
    for name in BARS:
        records.append({"start": name, "kind": "sim", "load": load(), **start(clone)})
        print(
            "{start}: address after {address_seconds} s, first picture after {picture_seconds} s, {load}".format(
                **records[-1]
            )
        )
    if not args.keep:
        shutil.rmtree(clone)
    path = ROOT / "build" / "results" / "bench-live-start.json"
    write(path, {"records": records}, command=COMMAND, board="sim", configuration={})
    return int(any(each["picture_seconds"] > BARS[each["start"]] for each in records))
