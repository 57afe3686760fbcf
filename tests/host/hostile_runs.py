"""Runs the commands of the host tool, in this process and in simulated time, against hostile boards.

Of each run is asked: it ends with a result or a CipherlaneError; no wait is longer than the user's limit allows;
nothing but printable text is shown, or written to the log that every other run keeps.
`python -m tests.host.hostile_runs --runs 10000` (`make fuzz`) runs many, and names the seeds of those that fail.
"""

import argparse
import contextlib
import io
import json
import sys
import tempfile
import traceback
from pathlib import Path
from unittest import mock

from cipherlane.cli import build_parser
from cipherlane.commands import common
from cipherlane.device import Device
from cipherlane.errors import CipherlaneError
from cipherlane.protocol.layout import Engine
from cipherlane.recordlog import RecordLog
from cipherlane.transport.serial import SerialTransport
from cipherlane.transport.udp import UdpTransport

from .hostile import Clock, HostileBoard, Port, Socket

TIMEOUT = 0.1  # the user's limit for each reply, in seconds
PARSER = build_parser()
_ATTEMPTS = 4
_SLACK = 0.05  # pieces that are on their way when the time is over
EXCHANGE = 2 * _ATTEMPTS * TIMEOUT + _SLACK  # each copy waits for room, and for its answer
STANDSTILL = 5 * EXCHANGE  # of a transfer: the copies of a record, and questions whether its session is there
FILE_BYTES = 5003


class WaitedTooLong(AssertionError):
    """A wait was longer than the user's limit allows."""


class Watched(Device):
    """A device that notes how long things take."""

    @contextlib.contextmanager
    def within(self, limit, what):
        begun = self.clock.time
        try:
            yield
        finally:
            if self.clock.time - begun > limit:
                raise WaitedTooLong(f"{what}: {self.clock.time - begun:.3f} s, limit {limit:.3f}")

    def exchange(self, request, **options):
        with self.within(EXCHANGE, f"exchange {request.type}"):
            return super().exchange(request, **options)

    def connect(self):
        with self.within(TIMEOUT + EXCHANGE + _SLACK, "connect"):
            return super().connect()

    def open_session(self, *arguments, **options):
        session = super().open_session(*arguments, **options)
        transfer = session.transfer

        def watched(reader, writer, *, progress=None, **options):
            moved = [self.clock.time]

            def note(written):
                if self.clock.time - moved[0] > STANDSTILL:
                    raise WaitedTooLong(f"transfer: {self.clock.time - moved[0]:.3f} s without a result")
                moved[0] = self.clock.time
                if progress:
                    progress(written)

            try:
                return transfer(reader, writer, progress=note, **options)
            finally:
                note(0)

        session.transfer = watched
        return session


def crypt(device, rng):
    """Do as the commands encrypt and decrypt: a stream of known or unknown length, and go on after a failure."""
    data, out = rng.randbytes(rng.choice((0, 1, 4000))), io.BytesIO()
    engine = rng.choice((Engine.TABLE, Engine.FASTPATH))
    key, iv = rng.randbytes(rng.choice((16, 32))), rng.choice((None, rng.randbytes(16)))
    length = rng.choice((None, len(data)))
    session = device.open_session(key, iv, engine, rng.choice(("encrypt", "decrypt")), length=length)
    try:
        with session:
            session.transfer(io.BytesIO(data), out, length=length)
            session.stat()
    except CipherlaneError:
        again = {"length": length, "record_bytes": session.record_bytes, "ticket": session.ticket}
        with device.open_session(key, session.iv, engine, **again) as session:
            written = len(out.getvalue()) // session.record_bytes * session.record_bytes
            session.transfer(io.BytesIO(data[written:]), out, offset=written)
    assert len(out.getvalue()) >= len(data)


def commands(file):
    """Return the command lines that take their turns."""
    json = (["--json"], [])
    return [
        *(["info", *more] for more in json),
        *(["selftest", *more] for more in json),
        *(["bench", "--key-bits", "128", "--engine", "ise", *more] for more in json),
        *(["bench", "--link", "--engine", name, "--bytes", "20000"] for name in ("table", "fastpath")),
        *(["demo", "--engine", name, "--key-bits", "192", file] for name in ("ise", "fastpath")),
        *[["crypt"]] * 4,
    ]


def run(seed, file):
    """Run one command against the hostile board of `seed`; return what it ended with ("done", or an error's name)."""
    board, clock = HostileBoard(seed), Clock()
    if board.random.random() < 0.5:
        transport = UdpTransport("udp://127.0.0.1", Socket(board, clock), clock)
    else:
        transport = SerialTransport("hostile", clock=clock, port=Port(board, clock))
    words = board.random.choice(commands(file))
    path = f"{file}.log"
    log = RecordLog(path, clock, replace=True) if board.random.random() < 0.5 else None
    shown = io.StringIO()
    with (
        mock.patch.object(common, "open_device", lambda args: Watched(transport, args.timeout, log)),
        contextlib.redirect_stdout(shown),
        contextlib.redirect_stderr(shown),
    ):
        try:
            if words == ["crypt"]:
                with Watched(transport, TIMEOUT, log) as device:
                    crypt(device, board.random)
            else:
                args = PARSER.parse_args([*words, "--port", "hostile", "--timeout", str(TIMEOUT)])
                args.run(args)
        except CipherlaneError as error:
            shown.write(str(error))
            outcome = type(error).__name__
        else:
            outcome = "done"
    text = shown.getvalue()
    if log:
        with open(path, encoding="ascii") as lines:
            for line in lines:
                json.loads(line)
                text += line
    bad = [character for character in text if (character < " " and character != "\n") or "\x7f" <= character < "\xa0"]
    assert not bad, f"shown as it came: {bad}"
    return outcome


def run_many(seeds):
    """Run all `seeds`; return the outcomes and how often each came, and the seeds that failed with their tracebacks."""
    outcomes, failures = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "[", "x]")  # that is markup, and wrong
        file.parent.mkdir()
        file.write_bytes(bytes(range(251)) * (FILE_BYTES // 251))
        for seed in seeds:
            try:
                outcome = run(seed, str(file))
            except Exception:
                failures[seed] = traceback.format_exc()
            else:
                outcomes[outcome] = outcomes.get(outcome, 0) + 1
    return outcomes, failures


def main():
    """Run as many as asked for; fail if one does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first run (default: 0)")
    args = parser.parse_args()
    outcomes, failures = run_many(range(args.seed, args.seed + args.runs))
    for seed, trace in list(failures.items())[:5]:
        print(f"--- seed {seed}\n{trace}")
    for outcome, count in sorted(outcomes.items(), key=lambda item: -item[1]):
        print(f"{count:6} {outcome}")
    print(f"{args.runs} runs, {len(failures)} failed{': ' + str(sorted(failures)[:50]) if failures else ''}")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
