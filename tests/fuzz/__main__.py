# SPDX-License-Identifier: BSD-2-Clause
"""Runs each fuzzer for a limited time; `python -m tests.fuzz --seconds 3600` runs each for an hour. See `make fuzz`."""

import argparse
import subprocess
import sys
from pathlib import Path

from tests.firmware import core_peer

FOLDER = Path(__file__).parent
BUILD = core_peer.ROOT / "build" / "fuzz"
PEERS = Path(core_peer.__file__).parent  # folder of the headers that the firmware tests share
FUZZERS = ("service", "frames", "mka", "parsers")
SANITIZERS = ["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"]
FLAGS = ["-std=c11", "-O1", "-g", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", *SANITIZERS]
MOST_BYTES = 2048
GRACE_S = 60  # extra time for each run, because a run first tries the inputs in `corpus/`


def main() -> int:
    """Run the fuzzers; return 1 if any of them found a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for each fuzzer (default: %(default)s)")
    parser.add_argument("--only", choices=FUZZERS, action="append", help="default: all")
    args = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    found = [name for name in args.only or FUZZERS if not _run(name, args.seconds)]
    for name in found:
        print(f"{name}: found something: see {BUILD}/{name}.log; keep its input in {FOLDER}/corpus/{name}")
    if not found:
        print("the fuzzers found nothing")
    return bool(found)


def _program(name: str) -> list[str]:
    """Return the command that runs a fuzzer. Compiles the fuzzer first if it is in C."""
    if name == "parsers":
        return [sys.executable, "-m", "tests.fuzz.parsers"]
    core_peer.write_wire_header(BUILD)
    sources = [FOLDER / f"{name}_fuzzer.c", *core_peer.portable_sources(over_secy=name == "mka")]
    binary = BUILD / f"{name}_fuzzer"
    command = [
        "clang",
        *FLAGS,
        f"-I{core_peer.CORE}",
        f"-I{BUILD}",
        f"-I{PEERS}",
        *map(str, sources),
        "-o",
        str(binary),
    ]
    subprocess.run(command, check=True, timeout=600)
    return [str(binary)]


def _run(name: str, seconds: int) -> bool:
    """Run a fuzzer; return whether it found no fault."""
    grown, kept = BUILD / f"{name}-corpus", FOLDER / "corpus" / name
    grown.mkdir(exist_ok=True)
    options = [f"-max_total_time={seconds}", f"-max_len={MOST_BYTES}", "-print_final_stats=1"]
    command = [*_program(name), *options, f"-artifact_prefix={BUILD}/{name}-", str(grown)]
    command += [str(kept)] if kept.is_dir() else []
    print(f"{name}: {seconds} s", flush=True)
    log = BUILD / f"{name}.log"
    with log.open("wb") as output:
        done = subprocess.run(
            command, cwd=core_peer.ROOT, stdout=output, stderr=subprocess.STDOUT, timeout=seconds + GRACE_S, check=False
        )
    for line in log.read_text(errors="replace").splitlines():
        if "number_of_executed_units" in line or line.startswith("Done "):
            print(f"{name}: {line}")
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
