# SPDX-License-Identifier: BSD-2-Clause
"""Makes random plans of hostile environments. A plan contains a command line, and the environment in which it runs. A
seed determines the plan.

A plan is drawn before the process that carries it out is forked; see `hostile_environments`.
"""

import contextlib
import datetime
import os
import random
import resource
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from .commands import IV, KEY

DATA = bytes(range(251)) * 20
OLD = b"what was there before\n"
NOBODY = 65534
ENCODINGS = ("ascii", "latin-1", "cp1252", "utf-16", "utf-8")
BRACKETS = "[" * 100_000
NAMES = (
    b"out",
    b"\xff\xfe",
    "\u540d\u524d".encode(),
    b"a\nb",
    b" ",
    b"[/x]",
    b"\x1b[2J",
    b"x" * 250,
    b"x" * 255,
    b"x" * 4000,
    b"no/such/folder",
    b"folder",
    b"loop",
    b"/dev/null",
    b"/dev/full",
    b"%s{0}",
)
PORTS = (
    "\udcff\udcfe",
    "rfc2217://127.0.0.1:1",
    "socket://127.0.0.1:1",
    "socket://[",
    "socket://\udcff:80",
    "udp://\udcff",
    "udp://127.0.0.1:99999",
    "hwgrep://(",
    "loop://",
    "alt://",
    "spy://",
    "/dev/null",
    "/dev/full",
    "folder",
    "in",
    "no such port",
    "x" * 5000,
    "sim:folder",
    "sim:\udcff",
    "",
)
NUMBERS = ("0", "-1", "nan", "inf", "1e999", "9" * 5000, "", " ", "x", "\u00b2", "\u0663", "1", "7", "100000")


@dataclass
class Plan:
    """The plan of one run: `words` is the command line; the other fields describe its environment."""

    words: list[str]
    kind: str
    target: bytes | None = None
    force: bool = False
    there: bool = False  # whether the output file `target` exists before the run
    streams: list[str] = field(default_factory=lambda: ["null", "file", "file"])
    encoding: tuple[str, str] = ("utf-8", "strict")
    variables: dict[str, str | None] = field(default_factory=dict)
    limits: dict[int, int] = field(default_factory=dict)
    # signals to send to the tool: (lines that the tool executes before the signal, signal number)
    signals: list[tuple[int, int]] = field(default_factory=list)
    features: list[str] = field(default_factory=list)


def commands(rng, urls):
    """Return a random plan for a command on one of the boards at `urls`."""
    target = rng.choice(NAMES) if rng.random() < 0.3 else b"out"
    source = os.fsdecode(rng.choice(NAMES)) if rng.random() < 0.1 else "in"
    force = rng.choice(([], ["--force"]))
    crypt = ["--key-file", "key", *rng.choice((["--raw", "--iv", IV], []))]
    crypt += ["--engine", "table", *rng.choice(([], ["--verify"], ["--json"]))]
    crypt += [*force, *rng.choice(([], [], ["--resume"])), source, os.fsdecode(target)]
    results = [*rng.choice(([], ["--results", "results.json"])), *rng.choice(([], ["--csv", "results.csv"]))]
    bench = ["bench", "--engine", "ise", "--key-bits", "128", *rng.choice(([], ["--json"])), *results]
    words = rng.choice(
        [
            *[["encrypt", *crypt]] * 6,
            ["info", *rng.choice(([], ["--json"]))],
            ["selftest"],
            bench,
            [*bench, "--link", "--bytes", "5000"],
            ["demo", "--engine", "ise", "--key-bits", "128", source],
            ["keygen", os.fsdecode(target)],
            ["config"],
            ["doctor"],
            ["find"],
            ["report", "figures.json", "--output", "page.html"],
            ["report", source, "--output", "page.html"],
            ["top"],
            ["load", "image"],
            ["flash", source],
            ["load"],
            ["--help"],
            ["--version"],
            ["shell", "bash"],
            ["no-such-command"],
        ]
    )
    plan = Plan(words, words[0], force="--force" in words)
    if words[0] in ("encrypt", "keygen"):
        plan.target = target
        plan.there = target == b"out" and rng.random() < 0.4
        if rng.random() < 0.2 and target == b"out":
            plan.features.append("resumed")
    linked = words[0] in ("encrypt", "info", "selftest", "bench", "demo", "load", "top", "doctor")
    if linked:
        port = rng.choice(PORTS) if rng.random() < 0.15 else urls["load" if words[0] == "load" else "board"]
        plan.words += ["--port", port, "--timeout", "0.2" if port not in urls.values() else "20"]
        plan.words += rng.choice(([], [], [], ["--log", "log"], ["--baud", rng.choice(NUMBERS)]))
    return plan


def draw(seed, urls):
    """Return the plan that the seed determines."""
    rng = random.Random(seed)
    plan = commands(rng, urls)
    for feature in rng.sample(FEATURES, rng.choice((1, 1, 2, 3))):
        feature(rng, plan)
    return plan


def _streams(rng, plan):
    for number in range(3):
        if rng.random() < 0.6:
            plan.streams[number] = rng.choice(("closed", "closed", "full", "gone", "null"))


def _encoding(rng, plan):
    plan.encoding = rng.choice(ENCODINGS), rng.choice(("strict", "surrogateescape"))
    plan.variables |= {"LC_ALL": rng.choice(("C", "xx_YY", "")), "LANG": rng.choice(("tlh", ""))}


def _terminal(rng, plan):
    plan.variables |= {"COLUMNS": rng.choice(NUMBERS), "LINES": rng.choice(NUMBERS)}
    plan.variables |= {
        "TERM": rng.choice(("dumb", "", None, "xterm", "\udcff")),
        "FORCE_COLOR": rng.choice((None, "1")),
    }


def _limits(rng, plan):
    kind = rng.choice(("NOFILE", "FSIZE", "AS", "NPROC", "DATA"))
    most = {
        "NOFILE": rng.randrange(3, 16),
        "FSIZE": rng.choice((0, 1, 100, 512, 4096, 6000)),
        "AS": 1 << rng.randrange(10, 27),  # bytes that the process may add to its address space
        "DATA": 1 << rng.randrange(10, 27),
        "NPROC": 0,
    }[kind]
    plan.limits[getattr(resource, f"RLIMIT_{kind}")] = most
    if kind == "NPROC":
        plan.features.append("nobody")


def _variables(rng, plan):
    for name in ("HOME", "PATH", "TMPDIR", "XDG_CONFIG_HOME"):
        if rng.random() < 0.5:
            plan.variables[name] = rng.choice((None, "", "/no/such/folder", "\udcff", "relative", "/dev/null"))


def _settings(rng, plan):
    name = rng.choice(("TIMEOUT", "BAUD", "PORT", "KEY", "CONFIG", "CONFIG", "SIM"))
    plan.variables[f"CIPHERLANE_{name}"] = rng.choice(
        {
            "CONFIG": ("brackets", "binary", "folder", "no such file", "/dev/null", "\udcff", "in"),
            "PORT": PORTS,
            "KEY": ("", "x", KEY + "00", "\udcff", "\u0663" * 32),
            "SIM": ("folder", "\udcff"),
        }.get(name, NUMBERS)
    )


def _folder(rng, plan):
    plan.features.append(rng.choice(("read-only", "closed folder", "deleted folder", "nobody", "umask", "many files")))


def _clock(rng, plan):
    plan.features.append("clock")


def _signals(rng, plan):
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    step = int(2 ** (rng.random() * 13))
    for _ in range(rng.choice((1, 1, 2, 3))):
        plan.signals.append((step, rng.choice(numbers)))
        step += rng.choice((1, 2, 5, 30, 300))
    if rng.random() < 0.1:
        plan.features.append("ignored signals")


FEATURES = [_streams, _streams, _encoding, _terminal, _limits, _limits, _variables, _settings, _folder, _clock]
FEATURES += [_signals, _signals]


def lay_out(plan, folder, image, figures):
    """Write the command's input files, and files that the command should not touch. Return a dictionary that maps the
    path of each file that must stay unchanged to the file's contents.
    """
    kept = {"in": DATA, "key": KEY.encode(), "bystander": OLD, "image": image, "figures.json": figures}
    kept |= {"brackets": BRACKETS.encode(), "binary": bytes(range(256)), "folder/inside": OLD}
    (folder / "folder").mkdir()
    for name, content in kept.items():
        (folder / name).write_bytes(content)
    (folder / "loop").symlink_to("loop")
    if plan.there:
        (folder / "out").write_bytes(OLD)
    if "resumed" in plan.features:
        (folder / "out.part").write_bytes(DATA[:1024])
        (folder / "out.part.resume").write_text(BRACKETS[: 1 << 12] if plan.force else BRACKETS)
    return kept


def enter(plan, folder, files, rng):
    """Put this process into the environment that the plan describes, until the process ends.

    `files` are the descriptors that capture output and errors.
    """
    os.umask(0o777 if "umask" in plan.features else 0o022)
    os.chdir(folder)
    if "nobody" in plan.features or {"read-only", "closed folder"} & {*plan.features}:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        if "read-only" in plan.features:
            folder.chmod(0o555)
        if "closed folder" in plan.features:
            folder.chmod(0)
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    if "deleted folder" in plan.features:
        gone = folder / "gone"
        gone.mkdir()
        os.chdir(gone)
        gone.rmdir()
    for name, value in {"CIPHERLANE_CONFIG": "", **plan.variables}.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    for number, how in enumerate(plan.streams):
        _set_stream(number, how, files)
    if "many files" in plan.features:
        resource.setrlimit(resource.RLIMIT_NOFILE, (1200, 1200))
        for _ in range(1100):
            os.dup(sys.stderr.fileno() if sys.stderr else files[0])
    else:
        os.closerange(3, 1000)
    _set_streams(plan)
    if "ignored signals" in plan.features:
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
    else:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if "clock" in plan.features:
        _jump(rng)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pages = Path("/proc/self/statm").read_text().split()
    used = {resource.RLIMIT_AS: int(pages[0]), resource.RLIMIT_DATA: int(pages[5])}
    for kind, most in plan.limits.items():
        most += used.get(kind, 0) * resource.getpagesize()
        resource.setrlimit(kind, (most, most))
    sys.argv = ["cipherlane", *plan.words]
    if plan.signals:
        _signal_at(sorted(plan.signals))


def _set_stream(number, how, files):
    os.close(number)
    if how == "closed":
        return
    if how == "gone":
        ours, theirs = os.pipe()
        end = ours if number == 0 else theirs
        os.close(theirs if number == 0 else ours)
    else:
        path = "/dev/full" if how == "full" else os.devnull
        end = os.dup(files[number - 1]) if how == "file" else os.open(path, os.O_RDWR)
    if end != number:
        os.dup2(end, number)
        os.close(end)


def _set_streams(plan):
    """Set the standard streams as Python does when it starts."""
    encoding, errors = plan.encoding
    for number, (name, how) in enumerate(zip(("stdin", "stdout", "stderr"), plan.streams, strict=True)):
        stream = None
        if how != "closed":
            errors = "backslashreplace" if number == 2 else errors
            stream = open(number, "w" if number else "r", encoding=encoding, errors=errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _jump(rng):
    """Make the time of day random, and let the monotonic clock jump forward at times, as on a machine that sleeps."""
    now, passed = time.monotonic, 0.0

    def monotonic():
        nonlocal passed
        passed += rng.choice((0, 0, 0, 0, 0, 0, 0, 0, 0, 3600 * rng.random()))
        return now() + passed

    class Day(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return rng.choice((cls.min, cls.max, cls(1970, 1, 1), cls(2038, 1, 19))).replace(tzinfo=tz)

    time.monotonic = monotonic
    time.time = lambda: rng.choice((0.0, -1e9, 2.0**31, 2.0**40, 1e18))
    for name in ("cipherlane_base.figures", "cipherlane.commands.report"):
        sys.modules[name].datetime = Day


def _signal_at(signals):
    """Send signals to this process. Each pair in `signals` contains a number of steps, and a signal. The signal is sent
    after these steps.

    Steps are executed lines of the tool, counted from the moment when it has set its own handler for SIGINT.
    """
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        if "cipherlane" not in frame.f_code.co_filename:
            return None
        count += bool(count) or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        while signals and count >= signals[0][0]:
            _, number = signals.pop(0)
            with contextlib.suppress(ProcessLookupError):
                os.kill(os.getpid(), number)
        return trace if signals else None

    sys.settrace(trace)
