# SPDX-License-Identifier: BSD-2-Clause
"""Kills host commands at random moments after they have started the simulated board. No process and no temporary folder
may remain.

`python -m tests.end_to_end.killed_runs --runs 100` (`make fuzz`) kills many, and prints the seeds after which something
remained. Each moment is a random part of the command's duration, so a slow machine gets the same moments.
"""

import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cipherlane.errors import SimulatedBoardError
from cipherlane.transport.simboard import find_board

CIPHERLANE = [sys.executable, "-m", "cipherlane.cli"]
KEY = "00" * 16
LEFT_S = 60  # seconds within which all started processes must end, even on a busy machine
COMMANDS = (
    ("sim", ("info",)),
    ("sim", ("encrypt", "--key", KEY, "--raw", "--iv", KEY, "--force", "in", "out")),
    ("sim", ("live", "--listen", "127.0.0.1:0")),
    ("sim+udp", ("info",)),
    ("sim+udp", ("encrypt", "--key", KEY, "--raw", "--iv", KEY, "--force", "in", "out")),
)


class Killed:
    """Context manager: start commands in a new folder and kill them. This folder also contains the temporary files of
    the commands.
    """

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory()
        self._work, self._made = Path(self._folder.name, "work"), Path(self._folder.name, "made")
        for path in (self._work, self._made):
            path.mkdir()
        (self._work / "in").write_bytes(bytes(100_000))
        self._seconds = {}
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def run(self, seed, commands):
        """Start a random command and kill it. Return the processes and folders that remain: normally an empty list."""
        rng = random.Random(seed)
        port, words = rng.choice(commands)
        if (port, words) not in self._seconds:
            self._seconds[port, words] = self._duration(port, words)
        process = self._start(port, words)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(rng.random() * self._seconds[port, words])
        process.kill()
        process.wait()
        deadline = time.monotonic() + LEFT_S
        while left := [*self._processes(), *(path.name for path in self._made.iterdir())]:
            if time.monotonic() > deadline:
                for number in self._processes():
                    os.kill(number, signal.SIGKILL)
                return left
            time.sleep(0.02)
        return []

    def _start(self, port, words):
        for path in self._work.glob("out*"):
            path.unlink()
        environment = {**os.environ, "TMPDIR": str(self._made)}
        return subprocess.Popen(
            [*CIPHERLANE, *words, "--port", port],
            cwd=self._work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _duration(self, port, words):
        """Return how many seconds a command runs if it is not killed. The command `cipherlane live` does not end by
        itself. For this command, return twice the seconds that the command takes to start.
        """
        begun = time.monotonic()
        process = self._start(port, words)
        if "live" not in words:
            assert process.wait(600) == 0, words
            return time.monotonic() - begun
        while len(self._processes()) < 2:
            assert time.monotonic() - begun < 600 and process.poll() is None
            time.sleep(0.02)
        seconds = time.monotonic() - begun
        process.terminate()
        process.wait(600)
        return 2 * seconds

    def _processes(self):
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if f"TMPDIR={self._made}".encode() in (process / "environ").read_bytes():
                    found.append(int(process.name))
        return found


def built(commands):
    """Return the commands that can run on this machine. A command can run if its simulated board has been built.
    Commands over UDP also need root.
    """
    boards = {"sim": "sim", "sim+udp": "sim_eth"}
    there = set()
    for port, name in boards.items():
        with contextlib.suppress(SimulatedBoardError):
            find_board(name)
            if port == "sim" or os.geteuid() == 0:
                there.add(port)
    return [command for command in commands if command[0] in there]


def main():
    """Kill the requested number of commands; fail if one leaves a process or a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first run (default: 0)")
    args = parser.parse_args()
    commands = built(COMMANDS)
    if not commands:
        sys.exit("no simulated board: run `make sim`")
    with Killed() as killed:
        left = {seed: killed.run(seed, commands) for seed in range(args.seed, args.seed + args.runs)}
    bad = {seed: what for seed, what in left.items() if what}
    for seed, what in bad.items():
        print(f"seed {seed}: {what}")
    ports = ", ".join(sorted({port for port, _ in commands}))
    print(f"{args.runs} commands at {ports} killed, {len(bad)} left something")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
