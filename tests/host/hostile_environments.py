# SPDX-License-Identifier: BSD-2-Clause
"""Runs the host tool in hostile environments, chosen by seed: closed streams, low limits, strange names and variables,
jumping clocks, and signals.

Each run must end by itself with a documented status. It must show no traceback, and one line for an error. It must not
lose or change any file other than the result, and a result must be complete. `python -m tests.host.hostile_environments
--runs 10000` (`make fuzz`) runs many, and names the seeds that fail.

Each run is a process forked from this one, in which the tool is already loaded. The child sets itself up as
`hostile_plans` describes, runs the command, and ends as Python ends. The boards are models in another process.
"""

import argparse
import codecs
import gc
import os
import random
import select
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import cipherlane.commands.report
import cipherlane.measuring.oracle
import cipherlane.start
import cipherlane.transport.sim
from cipherlane_base import image

from .commands import KEY, reference
from .edits import Sealed
from .hostile_plans import ENCODINGS, OLD, draw, enter, lay_out
from .loader_model import BUILD, FIRMWARE, ORIGIN, LoaderBoard
from .model import PeerBoard, SocketBoard

HANGS_S = 120
STATUSES = {*range(9), 129, 130, 141, 143}
SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
BAD = ("Traceback", "Exception ignored", "Fatal Python", 'File "', "Exception in thread", "a fault of this tool")


class FreshBoard(SocketBoard):
    """Serves each client with a new board, which is in its state after power-on."""

    def __init__(self, make):
        super().__init__(make())
        self._make = make

    def _serve(self, client):
        self.board = self._make()
        super()._serve(client)


def boards():
    """Start a child process that serves boards until the calling process ends; return the boards' URLs."""
    ours, theirs = os.pipe()
    tether, held = os.pipe()
    if os.fork() == 0:
        os.close(held)
        served = [FreshBoard(PeerBoard), FreshBoard(lambda: LoaderBoard(running=False))]
        for board in served:
            board.start()
        os.write(theirs, " ".join(board.url for board in served).encode())
        os.close(theirs)
        os.read(tether, 1)
        os._exit(0)
    os.close(theirs)
    os.close(tether)
    urls = os.read(ours, 1000).decode().split()
    os.close(ours)
    return dict(zip(("board", "load"), urls, strict=True))


class Child(BaseException):
    """Raised in a forked process, so that the process leaves the loop over the seeds and runs one command."""


def run(seed, urls, folder):
    """Run the plan of a seed in a forked process. Return the exit status of this process, and a list of faults. The
    list is empty if there is no fault. In the forked process, raise `Child` instead.
    """
    plan = draw(seed, urls)
    work = folder / "work"
    work.mkdir()
    kept = lay_out(plan, work, image.pack(FIRMWARE, BUILD, ORIGIN), b'{"provenance": {}}')
    paths = [folder / name for name in ("stdout", "stderr")]
    files = [os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC) for path in paths]
    pid = os.fork()
    if pid == 0:
        enter(plan, work, files, random.Random(seed))
        raise Child
    for number in files:
        os.close(number)
    status = _wait(pid)
    outputs = [path.read_bytes().decode(errors="replace") for path in paths]
    work.chmod(0o755)
    wrong = [*_said(plan, status, *outputs), *_files(plan, status, work, kept)]
    shutil.rmtree(work)
    shown = [f"{line[:300]}" for output in outputs for line in output.splitlines()[-6:]]
    return status, wrong and [str(plan), f"status {status}", *shown, *wrong]


def _wait(pid):
    """Return the exit status of a process, or the negative number of the signal that ended the process. Return None if
    the process hung and was killed.
    """
    handle = os.pidfd_open(pid)
    ended = select.select([handle], [], [], HANGS_S)[0]
    os.close(handle)
    if not ended:
        os.kill(pid, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return status if ended else None


def _said(plan, status, output, errors):
    """Yield a message for each fault in the command's exit status and in its output."""
    if status is None:
        yield "it hung"
    elif status not in STATUSES and not (plan.signals and -status in SIGNALS):
        yield f"it ended with status {status}"
    for word in BAD:
        if word in errors or (plan.kind != "shell" and word in output):
            yield f"it shows {word!r}"
    if plan.encoding[0] == "utf-16":
        return
    lines = [line for line in errors.splitlines() if "error:" in line]
    if plan.streams[2] == "file" and not plan.limits and status in range(1, 8):
        shown_elsewhere = plan.kind == "doctor" or (status == 1 and plan.kind in ("selftest", "demo"))
        if len(lines) != 1 and not shown_elsewhere and plan.streams[1] != "gone":
            yield f"it shows {len(lines)} errors"
    if status == 0 and plan.streams[1] == "file" and plan.kind not in ("load", "keygen") and not output.strip():
        yield "it shows nothing"


def _files(plan, status, work, kept):
    """Yield a message for each fault in the files after the run."""
    for name, content in kept.items():
        path = work / name
        if not path.is_file() or path.read_bytes() != content:
            yield f"{name} has changed"
    out = work / os.fsdecode(plan.target) if plan.target and plan.target != b"folder" else None
    try:
        found = out.read_bytes() if out and not os.path.isabs(plan.target) else None
    except OSError:
        found = None
    if plan.there and not plan.force and found != OLD:
        yield "what was there is lost"
    if plan.kind == "encrypt":
        data, key = (work / "in").read_bytes(), bytes.fromhex(KEY)
        result = (
            reference(data) if "--raw" in plan.words else Sealed(key, data, 960, (found or b"")[8:16].ljust(8)).data
        )
        allowed = {result, *([OLD] if plan.there else [])}
        if plan.there and found not in allowed:
            yield "neither what was there nor the result is there"
        if found is not None and found not in allowed:
            yield "the result is wrong"
        if status == 0 and not os.path.isabs(plan.target) and found not in allowed - {OLD}:
            yield "there is no result"


def run_many(seeds, report):
    """Run the plans of all `seeds` and print the faults. Then call `report` with the outcomes and the seeds that
    failed.

    In a child, return the exit status of the command.
    """
    for name in [name for name in os.environ if name.startswith("CIPHERLANE_")]:
        del os.environ[name]
    urls, outcomes, failures = boards(), {}, []
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    folder.chmod(0o755)
    for name in ENCODINGS:
        codecs.lookup(name)  # load codecs now: some plans take away the permission to read Python's own files
    gc.freeze()
    try:
        for seed in seeds:
            status, wrong = run(seed, urls, folder)
            outcomes[status] = outcomes.get(status, 0) + 1
            if wrong:
                failures.append(seed)
                print(f"--- seed {seed}", *wrong, sep="\n", flush=True)
    except Child:
        return cipherlane.start.main()
    shutil.rmtree(folder)
    return report(outcomes, failures)


def main():
    """Run as many seeds as the option `--runs` requests; fail if one of them fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first run (default: 0)")
    args = parser.parse_args()

    def report(outcomes, failures):
        for outcome, count in sorted(outcomes.items(), key=lambda item: -item[1]):
            print(f"{count:6} status {outcome}")
        print(f"{args.runs} runs, {len(failures)} failed{f': {failures[:50]}' if failures else ''}")
        return int(bool(failures))

    return run_many(range(args.seed, args.seed + args.runs), report)


if __name__ == "__main__":
    sys.exit(main())
